"""One line of text for any state: ``name=value`` words, derived from the state's own fields.

A state is a ``NamedTuple`` of numbers, switches, words, tuples of numbers, dice, or tuples
of tuples of numbers. Fields that equal their default are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from hotdice.core.dice import Faces
from hotdice.core.errors import UnreadableText
from hotdice.core.words import quoted

State = TypeVar("State", bound=tuple[Any, ...])

_EMPTY = "-"


class _Field(NamedTuple):
    name: str
    kind: Any
    required: bool
    default: Any


@lru_cache(maxsize=64)
def _fields(state_type: type[Any]) -> tuple[_Field, ...]:
    kinds = get_type_hints(state_type, include_extras=True)
    defaults: dict[str, Any] = state_type._field_defaults
    return tuple(
        _Field(name, kinds[name], name not in defaults, defaults.get(name))
        for name in state_type._fields
    )


def write_state(state: tuple[Any, ...], tokens: Mapping[int, str]) -> str:
    """The state as one line; ``tokens`` gives the text of each face."""
    return " ".join(
        f"{field.name}={_write(field.kind, value, tokens)}"
        for field, value in zip(_fields(type(state)), state, strict=True)
        if field.required or value != field.default
    )


def read_state(text: str, state_type: type[State], codes: Mapping[str, int]) -> State:
    """The state a line describes; ``codes`` gives the face of each token."""
    fields = {field.name: field for field in _fields(state_type)}
    values: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise UnreadableText(f"{quoted(word)} in the state is not of the form name=value.")
        if name not in fields:
            raise UnreadableText(
                f"A state has no {quoted(name)}; its fields are {', '.join(fields)}."
            )
        if name in values:
            raise UnreadableText(f"'{name}' is given twice in the state.")
        try:
            values[name] = _read(fields[name].kind, value, codes)
        except ValueError as error:
            raise UnreadableText(f"{quoted(value)} cannot be the {name} of a state.") from error
    missing = [
        field.name for field in fields.values() if field.required and field.name not in values
    ]
    if missing:
        raise UnreadableText(f"The state lacks {' and '.join(missing)}.")
    return state_type(**values)


def _write(kind: Any, value: Any, tokens: Mapping[int, str]) -> str:
    if kind is bool:
        return "on" if value else "off"
    if kind == Faces:
        return write_faces(value, tokens) if value else _EMPTY
    if kind == tuple[tuple[int, ...], ...]:
        return "/".join(_write(tuple[int, ...], row, tokens) for row in value) or _EMPTY
    if kind == tuple[bool, ...]:
        return ",".join(_write(bool, item, tokens) for item in value) or _EMPTY
    if kind == tuple[int, ...]:
        return ",".join(str(item) for item in value) or _EMPTY
    return str(value)


def _read(kind: Any, text: str, codes: Mapping[str, int]) -> Any:
    if get_origin(kind) is Literal:
        return _one_of(text, get_args(kind))
    if kind is bool:
        return _one_of(text, ("on", "off")) == "on"
    if kind is int:
        return _number(text)
    if text == _EMPTY and kind != tuple[tuple[int, ...], ...]:
        return ()
    if kind == Faces:
        return _faces(text, codes)
    if kind == tuple[tuple[int, ...], ...]:
        return tuple(_read(tuple[int, ...], row, codes) for row in text.split("/"))
    if kind == tuple[bool, ...]:
        return tuple(_read(bool, item, codes) for item in text.split(","))
    return tuple(_number(item) for item in text.split(","))


def write_faces(faces: Faces, tokens: Mapping[int, str]) -> str:
    """Dice as one word: ``115`` where every token is one character, else ``black:5,green:50``."""
    words = [tokens[code] for code in faces]
    together = "".join(words)
    return together if len(together) == len(words) else ",".join(words)


def _faces(text: str, codes: Mapping[str, int]) -> Faces:
    words = text.split(",") if "," in text or text in codes else list(text)
    if any(word not in codes for word in words):
        raise ValueError(text)
    return tuple(sorted(codes[word] for word in words))


def _number(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 9 or text != str(int(text)):
        raise ValueError(text)
    return int(text)


def _one_of(text: str, words: tuple[str, ...]) -> str:
    if text not in words:
        raise ValueError(text)
    return text
