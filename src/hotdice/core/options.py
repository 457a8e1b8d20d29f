"""Options: the numbers and switches of a rule set, typed, bounded and explained.

A game declares its options as a frozen dataclass of ``option(...)`` fields. Everything
else (text, parsing, validation, help) follows from that declaration.
"""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, Self, cast, get_type_hints, runtime_checkable

from hotdice.core.errors import BadOption, UnreadableText
from hotdice.core.words import quoted

_ON = {"on", "yes", "true", "1"}
_OFF = {"off", "no", "false", "0"}
_LONGEST = 200_000
"""The longest line of options; every game's values in their longest form fit."""
_PIECE = re.compile(
    r"""(?P<plain>[^ \t\r\n'"\\]+)|'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)\""""
    r"""|\\(?P<one>.)|(?P<space>[ \t\r\n]+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r"""\\(["\\])""")
_IN_THOUSANDS = re.compile(r"-?\d{1,3}(,\d{3})+", re.ASCII)


@runtime_checkable
class OptionValue(Protocol):
    """A value of a game's own type, for instance a race course."""

    def text(self) -> str:
        """One line that ``read`` turns back into an equal value."""

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse a value; raises ``UnreadableText``."""

    @classmethod
    def read_file(cls, path: Path) -> Self:
        """Parse a value from a file; raises ``UnreadableText``."""

    @classmethod
    def values_text(cls) -> str:
        """The allowed values, in a few words."""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The named values."""

    def written(self) -> str:
        """The value written out, on lines that ``read`` turns back into an equal value."""


class OptionInfo(NamedTuple):
    """The description of an option."""

    name: str
    kind: str
    default: str
    range: str
    doc: str
    clause: str
    among: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    written: Mapping[str, str] = MappingProxyType({})
    """The named values written out, by name."""


def option(
    default: Any,
    doc: str,
    clause: str,
    *,
    low: int | None = None,
    high: int | None = None,
    among: tuple[str, ...] = (),
    opening: bool = False,
    series: bool = False,
) -> Any:
    """Declare one option.

    Args:
        default: the value of the printed rules; for a tuple it also fixes the length.
        doc: what the option does, one sentence for players.
        clause: the clause of the rules it comes from.
        low: the least number allowed.
        high: the greatest number allowed.
        among: the words allowed, for an option that is a word.
        opening: whether it only affects the start of a game.
        series: whether it is how many games a series adds up.
    """
    metadata = {
        "doc": doc,
        "clause": clause,
        "low": low,
        "high": high,
        "among": among,
        "opening": opening,
        "series": series,
    }
    return dataclasses.field(default=default, metadata=metadata)


_LONGEST_WORDS = 40
"""Characters of a value that are shown to people."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Options:
    """Base of every game's options; an instance is always valid."""

    def __post_init__(self) -> None:
        """Check each value on its own, then the values against each other."""
        for field in dataclasses.fields(self):
            _check(field, getattr(self, field.name))
        self.check()

    def check(self) -> None:
        """Raise ``BadOption`` if values contradict each other; games override this."""

    def always_told(self) -> tuple[str, ...]:
        """The options that players are told even where they are as usual; games override this."""
        return ()

    def without_opening(self) -> Self:
        """The same, with options that only affect the start of a game at their defaults."""
        return self._without("opening")

    def without_series(self) -> Self:
        """The same, with the option that says how many games a series adds up at its default."""
        return self._without("series")

    @property
    def series_length(self) -> int:
        """How many games a series adds up; 0 where there are no series."""
        fields = dataclasses.fields(self)
        return next((getattr(self, one.name) for one in fields if one.metadata["series"]), 0)

    def _without(self, trait: str) -> Self:
        fields = (field for field in dataclasses.fields(self) if field.metadata[trait])
        usual = {field.name: field.default for field in fields}
        if all(getattr(self, name) == value for name, value in usual.items()):
            return self
        return dataclasses.replace(self, **usual)

    @classmethod
    def describe(cls) -> tuple[OptionInfo, ...]:
        """Name, kind, default, range and documentation of every option, as declared."""
        kinds = get_type_hints(cls)
        return tuple(
            OptionInfo(
                field.name,
                _kind(kinds[field.name]),
                _write(field.default),
                _range(field),
                field.metadata["doc"],
                field.metadata["clause"],
                _among(field),
                field.metadata["low"],
                field.metadata["high"],
                _written(field),
            )
            for field in dataclasses.fields(cls)
        )

    @classmethod
    def read(cls, text: str) -> Self:
        """Options from one line such as ``target=500 carry_over=off``."""
        return cls.read_pairs(split_words(text))

    @classmethod
    def read_pairs(cls, pairs: Iterable[str], *, files: bool = False) -> Self:
        """Options from ``name=value`` words; others keep their defaults.

        Args:
            pairs: the words.
            files: whether a value may be the path of a file; only for local users.
        """
        values: dict[str, str] = {}
        for pair in pairs:
            name, equals, value = pair.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise BadOption(f"{quoted(pair)} is not an option; write name=value.")
            if name in values:
                raise BadOption(f"The option {quoted(name)} is given twice.")
            values[name] = value.strip()
        return cls.read_values(values, files=files)

    @classmethod
    def read_values(cls, values: Mapping[str, str], *, files: bool = False) -> Self:
        """Options from their values as text."""
        fields = {field.name: field for field in dataclasses.fields(cls)}
        kinds = get_type_hints(cls)
        unknown = next((name for name in values if name not in fields), None)
        if unknown is not None:
            known = ", ".join(fields) or "none"
            raise BadOption(f"There is no option {quoted(unknown)}; the options are {known}.")
        return cls(
            **{
                name: _read(fields[name], kinds[name], text, files=files)
                for name, text in values.items()
            }
        )

    def text(self, *, full: bool = False) -> str:
        """One line that ``read`` turns back into equal options.

        Args:
            full: name every option, not only those that differ from the default.
        """
        return " ".join(
            shlex.quote(f"{field.name}={_write(getattr(self, field.name))}")
            for field in dataclasses.fields(self)
            if full or getattr(self, field.name) != field.default
        )

    def words(self) -> str:
        """The options that differ from the usual rules, for people: ``target 500, carry over off``.

        Options that only decide who starts are left out.
        """
        return ", ".join(f"{name} {value}" for name, value in self._told(()))

    def in_force(self) -> str:
        """The same with those that are always told, for the table where they are played by."""
        return " · ".join(f"{name}: {value}" for name, value in self._told(self.always_told()))

    def _told(self, always: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            is_changed = value != field.default and not field.metadata["opening"]
            if is_changed or field.name in always:
                text = _write(value)
                shown = text if len(text) <= _LONGEST_WORDS else f"{text[:_LONGEST_WORDS]}…"
                yield field.name.replace("_", " "), shown

    def values(self) -> dict[str, str]:
        """Every option's value as text, by name."""
        return {field.name: _write(getattr(self, field.name)) for field in dataclasses.fields(self)}


def split_words(text: str) -> list[str]:
    """Split a line into words as a shell does; raises ``BadOption``.

    It parses what ``shlex.quote`` writes, in linear time.
    """
    if len(text) > _LONGEST:
        raise BadOption(f"The options are too long; they go up to {_LONGEST:,} characters.")
    words: list[str] = []
    word: list[str] | None = None
    at = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise BadOption(f"The options have an unclosed quotation mark: {quoted(text)}.")
        at = piece.end()
        kind = piece.lastgroup or ""
        if kind == "space":
            words += [] if word is None else ["".join(word)]
            word = None
            continue
        said = piece[kind]
        word = [] if word is None else word
        word.append(_ESCAPED.sub(r"\1", said) if kind == "double" else said)
    return words if word is None else [*words, "".join(word)]


def _kind(kind: Any) -> str:
    if kind is bool:
        return "switch"
    if kind is int:
        return "number"
    if kind is str:
        return "word"
    if kind == tuple[int, ...]:
        return "numbers"
    return cast("str", kind.__name__.lower())


def _among(field: dataclasses.Field[Any]) -> tuple[str, ...]:
    if isinstance(field.default, OptionValue):
        return field.default.names()
    return cast("tuple[str, ...]", field.metadata["among"])


def _written(field: dataclasses.Field[Any]) -> dict[str, str]:
    kind = field.default
    return (
        {n: kind.read(n).written() for n in kind.names()} if isinstance(kind, OptionValue) else {}
    )


def _range(field: dataclasses.Field[Any]) -> str:
    low, high = field.metadata["low"], field.metadata["high"]
    if isinstance(field.default, bool):
        return "on or off"
    if field.metadata["among"]:
        return ", ".join(field.metadata["among"])
    if isinstance(field.default, OptionValue):
        return field.default.values_text()
    if low is None or high is None:
        return ""
    if isinstance(field.default, tuple):
        return f"{len(field.default)} numbers of {low:,} to {high:,}"
    return f"{low:,} to {high:,}"


def _read(field: dataclasses.Field[Any], kind: Any, text: str, *, files: bool) -> Any:
    if kind is bool:
        return _read_switch(field.name, text)
    if kind is int:
        return _read_number(field.name, text)
    if kind is str:
        return text.lower()
    if kind == tuple[int, ...]:
        return tuple(_read_number(field.name, part) for part in text.split(","))
    value_type = cast("type[OptionValue]", kind)
    try:
        if files and _looks_like_file(text):
            return value_type.read_file(Path(os.path.expanduser(text)))  # noqa: PTH111 - never raises
        return value_type.read(text)
    except UnreadableText as error:
        raise BadOption(f"The option '{field.name}' cannot be read: {error}") from error


def _looks_like_file(text: str) -> bool:
    return ";" not in text and ("/" in text or "\\" in text or bool(Path(text).suffix))


def _read_switch(name: str, text: str) -> bool:
    word = text.lower()
    if word not in _ON | _OFF:
        raise BadOption(f"The option '{name}' is on or off, not {quoted(text)}.")
    return word in _ON


def _read_number(name: str, text: str) -> int:
    digits = text.strip().replace("_", "")
    if _IN_THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    if not (digits.isascii() and digits.removeprefix("-").isdigit()):
        raise BadOption(f"The option '{name}' takes a whole number, not {quoted(text)}.")
    return int(digits[:12])  # longer ones are out of every range anyway


def _write(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ",".join(str(number) for number in value)
    if isinstance(value, OptionValue):
        return value.text()
    return str(value)


def _check(field: dataclasses.Field[Any], value: Any) -> None:
    among = field.metadata["among"]
    if among and value not in among:
        raise BadOption(
            f"The option '{field.name}' is one of {', '.join(among)}, not {quoted(str(value))}."
        )
    if isinstance(field.default, tuple) and len(value) != len(field.default):
        raise BadOption(
            f"The option '{field.name}' takes {len(field.default)} numbers, not {len(value)}."
        )
    low, high = field.metadata["low"], field.metadata["high"]
    numbers = value if isinstance(value, tuple) else (value,)
    if low is not None and any(number < low for number in numbers):
        raise BadOption(f"The option '{field.name}' is at least {low:,}, not {_write(value)}.")
    if high is not None and any(number > high for number in numbers):
        raise BadOption(f"The option '{field.name}' is at most {high:,}, not {_write(value)}.")
