"""Small ``key: value`` texts that a player can write, in a file or on one line.

In a file each pair has a line of its own; in the one-line form semicolons separate them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

from hotdice.core.errors import UnreadableText
from hotdice.core.words import quoted

_LONGEST = 20_000
_FORBIDDEN = set(";=#:|") | {chr(n) for n in range(32)}


class KeyedLine(NamedTuple):
    """One ``key: value`` with the number of its line."""

    number: int
    key: str
    value: str


def read_lines(text: str) -> list[KeyedLine]:
    """The pairs of a text; ``#`` starts a comment line."""
    if len(text) > _LONGEST:
        raise UnreadableText("The text is too long.")
    lines = []
    plain = text.removeprefix("\ufeff").replace("\u2212", "-")
    for number, raw in enumerate(plain.splitlines(), start=1):
        for part in raw.split(";"):
            pair = part.strip()
            if not pair or pair.startswith("#"):
                continue
            key, colon, value = pair.partition(":")
            if not colon or not value.strip():
                raise UnreadableText(f"{quoted(pair)} should be 'key: value'.", line=number)
            lines.append(KeyedLine(number, key.strip().lower(), value.strip()))
    return lines


def single(lines: list[KeyedLine], key: str, *, default: str | None = None) -> KeyedLine:
    """The only line with this key."""
    found = [line for line in lines if line.key == key]
    if len(found) > 1:
        raise UnreadableText(f"'{key}' is given a second time.", line=found[1].number)
    if found:
        return found[0]
    if default is None:
        raise UnreadableText(f"The line '{key}: …' is missing.")
    return KeyedLine(0, key, default)


def check_keys(lines: list[KeyedLine], known: tuple[str, ...]) -> None:
    """Refuse lines with an unknown key."""
    for line in lines:
        if line.key not in known:
            raise UnreadableText(
                f"{quoted(line.key)} is unknown; the lines are {', '.join(known)}.",
                line=line.number,
            )


def check_name(line: KeyedLine, what: str) -> str:
    """A name that fits on one line of text."""
    if not 0 < len(line.value) <= 40 or any(letter in _FORBIDDEN for letter in line.value):
        raise UnreadableText(
            f"A {what} has 1 to 40 characters without ; = # : and |.", line=line.number
        )
    return line.value


class KeyedText:
    """A named value written as ``key: value`` text: shipped, in a file, or on one line."""

    kind: ClassVar[str]
    """The word for it in messages to players."""

    name: str

    def pairs(self) -> list[str]:
        """Every ``key: value`` in order."""
        raise NotImplementedError

    def text(self) -> str:
        """A shipped value by its name, any other as the one-line form of its file."""
        return self.name if self.shipped().get(self.name) == self else "; ".join(self.pairs())

    def written(self) -> str:
        """The value as a file has it."""
        return "\n".join(self.pairs())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a value; raises ``UnreadableText`` naming the line."""
        raise NotImplementedError

    @classmethod
    def shipped(cls) -> Mapping[str, Self]:
        """The values that come with Hot Dice, by name."""
        raise NotImplementedError

    @classmethod
    def read(cls, text: str) -> Self:
        """The value with a name, or in its one-line form."""
        if ":" in text:
            return cls.parse(text)
        known = cls.shipped()
        if text.lower() not in known:
            missing = (
                f"there is no {cls.kind} {quoted(text)}" if text.strip() else "nothing is there"
            )
            names = ", ".join(known)
            raise UnreadableText(f"{missing}; choose {names}, or write one of your own.")
        return known[text.lower()]

    @classmethod
    def read_file(cls, path: Path) -> Self:
        """The value in a player's file."""
        text = read_path(path, cls.kind)
        try:
            return cls.parse(text)
        except UnreadableText as error:
            raise UnreadableText(f"the {cls.kind} file {path} has an error: {error}") from error

    @classmethod
    def values_text(cls) -> str:
        """The allowed values, in a few words."""
        return f"{', '.join(cls.shipped())} or the path of a file"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the shipped values."""
        return tuple(cls.shipped())


def shipped(folder: str) -> dict[str, str]:
    """The texts that come with Hot Dice, by name."""
    place = files(__package__).joinpath(folder)
    found = {path.name: path for path in place.iterdir() if path.name.endswith(".txt")}
    return {name.removesuffix(".txt"): found[name].read_text("utf-8") for name in sorted(found)}


def read_path(path: Path, what: str) -> str:
    """The text of a player's file; raises ``UnreadableText`` saying why it cannot be read."""
    try:
        if not path.is_file():
            raise UnreadableText(f"the {what} file {path} cannot be opened.")
        with path.open("rb") as file:
            return file.read(5 * _LONGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "is not text" if isinstance(error, UnicodeDecodeError) else "cannot be opened"
        raise UnreadableText(f"the {what} file {path} {why}.") from error
