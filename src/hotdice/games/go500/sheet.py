"""Sheets: small ``key: value`` texts a player can write, in a file or on one line.

A file has one entry per line; the one-line form separates the same entries by semicolons.
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


class Entry(NamedTuple):
    """One ``key: value`` with the line it stands on."""

    line: int
    key: str
    value: str


def read_entries(text: str) -> list[Entry]:
    """The entries of a sheet; ``#`` starts a comment line."""
    if len(text) > _LONGEST:
        raise UnreadableText("The text is too long.")
    entries = []
    plain = text.removeprefix("\ufeff").replace("\u2212", "-")
    for number, raw in enumerate(plain.splitlines(), start=1):
        for part in raw.split(";"):
            line = part.strip()
            if not line or line.startswith("#"):
                continue
            key, colon, value = line.partition(":")
            if not colon or not value.strip():
                raise UnreadableText(f"{quoted(line)} should be 'key: value'.", line=number)
            entries.append(Entry(number, key.strip().lower(), value.strip()))
    return entries


def single(entries: list[Entry], key: str, *, default: str | None = None) -> Entry:
    """The only entry with this key."""
    found = [entry for entry in entries if entry.key == key]
    if len(found) > 1:
        raise UnreadableText(f"'{key}' is given a second time.", line=found[1].line)
    if found:
        return found[0]
    if default is None:
        raise UnreadableText(f"The line '{key}: …' is missing.")
    return Entry(0, key, default)


def check_keys(entries: list[Entry], known: tuple[str, ...]) -> None:
    """Refuse entries with a key nobody reads."""
    for entry in entries:
        if entry.key not in known:
            raise UnreadableText(
                f"{quoted(entry.key)} is unknown; the lines are {', '.join(known)}.",
                line=entry.line,
            )


def check_name(entry: Entry, what: str) -> str:
    """A name that fits on one line of text."""
    if not 0 < len(entry.value) <= 40 or any(letter in _FORBIDDEN for letter in entry.value):
        raise UnreadableText(
            f"A {what} has 1 to 40 characters without ; = # : and |.", line=entry.line
        )
    return entry.value


class Sheet:
    """A value with a name that is written as a sheet: shipped, in a file, or on one line."""

    kind: ClassVar[str]
    """What players call it."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The value a sheet describes; raises ``UnreadableText`` naming the line."""
        raise NotImplementedError

    @classmethod
    def shipped(cls) -> Mapping[str, Self]:
        """Those that come with Hot Dice, by name."""
        raise NotImplementedError

    @classmethod
    def read(cls, text: str) -> Self:
        """What a person named or wrote on one line."""
        if ":" in text:
            return cls.parse(text)
        known = cls.shipped()
        if text.lower() not in known:
            raise UnreadableText(
                f"there is no {cls.kind} {quoted(text)}; choose {cls.values_text()}."
            )
        return known[text.lower()]

    @classmethod
    def read_file(cls, path: Path) -> Self:
        """What stands in a player's file."""
        text = read_path(path, cls.kind)
        try:
            return cls.parse(text)
        except UnreadableText as error:
            raise UnreadableText(f"the {cls.kind} file {path} has an error: {error}") from error

    @classmethod
    def values_text(cls) -> str:
        """The shipped ones, or a file."""
        return f"{', '.join(cls.shipped())} or the path of a file"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The shipped ones."""
        return tuple(cls.shipped())


def shipped(folder: str) -> dict[str, str]:
    """The texts that come with Hot Dice, by name."""
    place = files(__package__).joinpath(folder)
    found = {entry.name: entry for entry in place.iterdir() if entry.name.endswith(".txt")}
    return {name.removesuffix(".txt"): found[name].read_text("utf-8") for name in sorted(found)}


def read_path(path: Path, what: str) -> str:
    """The text of a player's file; raises ``UnreadableText`` with a sentence that says why not."""
    try:
        if not path.is_file():
            raise UnreadableText(f"the {what} file {path} cannot be opened.")
        with path.open("rb") as file:
            return file.read(5 * _LONGEST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "is not text" if isinstance(error, UnicodeDecodeError) else "cannot be opened"
        raise UnreadableText(f"the {what} file {path} {why}.") from error
