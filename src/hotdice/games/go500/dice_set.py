"""Dice sets: the sides of the five kinds of dice (G12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple, Self

from hotdice.core.dice import Die, Drawn, Face
from hotdice.core.errors import UnreadableText
from hotdice.core.words import quoted, signed
from hotdice.games.go500.keyed_text import (
    KeyedLine,
    KeyedText,
    check_keys,
    check_name,
    read_lines,
    shipped,
    single,
)

KINDS = ("black", "green", "flag", "yellow", "red")
FLAGS = ("green", "yellow", "red", "black")
_WORDS = {
    "black": (),
    "green": ("flat",),
    "flag": FLAGS,
    "yellow": ("lights",),
    "red": ("crash", "x"),
}
_NAMES = {"flat": "flat tyre", "lights": "traffic lights", "crash": "crash", "x": "X"}
"""What players call the words on dice other than the flag."""
_STRIDE = 32
"""Codes reserved for each kind, so that a code implies its kind and black sorts before green."""
_MOST_SIDES = 20
_GREATEST = 1000


class Side(NamedTuple):
    """One side of a die: a number or a word, perhaps circled."""

    value: int
    word: str = ""
    circled: bool = False

    def text(self) -> str:
        """The side as it is written in a file."""
        shown = self.word or str(self.value)
        return f"({shown})" if self.circled else shown


def blank(kind: str) -> int:
    """The code of a die of this kind that is not rolled yet."""
    return KINDS.index(kind) * _STRIDE + _STRIDE - 1


@dataclass(frozen=True, slots=True)
class DiceSet(KeyedText):
    """The sides of each kind of die, in the order of ``KINDS``."""

    kind: ClassVar[str] = "dice-set"

    name: str
    sides: tuple[tuple[Side, ...], ...]

    def pairs(self) -> list[str]:
        """Name, and the sides of every die."""
        dice = zip(KINDS, self.sides, strict=True)
        sides = [f"{kind}: {' '.join(side.text() for side in sides)}" for kind, sides in dice]
        return [f"name: {self.name}", *sides]

    @classmethod
    def shipped(cls) -> Mapping[str, Self]:
        """The dice sets that come with Hot Dice, by name."""
        return shipped_sets()  # type: ignore[return-value]  # there are no subclasses

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a dice set."""
        lines = read_lines(text)
        check_keys(lines, ("name", *KINDS))
        name = check_name(single(lines, "name"), "name")
        return cls(name, tuple(_sides(single(lines, kind)) for kind in KINDS))

    def make_dice(self) -> tuple[Die, ...]:
        """The dice; black and green ones have a blank face to choose them by."""
        return tuple(
            Die(
                kind,
                "white" if kind == "flag" else kind,
                tuple(
                    Face(
                        code,
                        _token(kind, side, sides),
                        side.word or signed(side.value),
                        weight,
                        side.circled,
                        drawn=Drawn.FLAG if kind == "flag" else Drawn.TEXT,
                        flag=side.word if kind == "flag" else "",
                        name=_name(kind, side),
                    )
                    for code, (side, weight) in self.numbered(kind)
                ),
                _blank_face(kind) if kind in ("black", "green") else None,
                called=kind,
            )
            for kind, sides in zip(KINDS, self.sides, strict=True)
        )

    def numbered(self, kind: str) -> list[tuple[int, tuple[Side, int]]]:
        """The distinct sides of a kind with their codes and how often each occurs on the die."""
        sides = self.sides[KINDS.index(kind)]
        return list(enumerate(Counter(sides).items(), start=KINDS.index(kind) * _STRIDE))


def _blank_face(kind: str) -> Face:
    return Face(blank(kind), kind, "", 0, drawn=Drawn.BLANK)


def _name(kind: str, side: Side) -> str:
    """What players call a side with a word; numbers are called by their die."""
    return f"{side.word} flag" if kind == "flag" else _NAMES.get(side.word, "")


def _token(kind: str, side: Side, sides: tuple[Side, ...]) -> str:
    """``black:25``; a circled side gets an ``o`` only if there is an uncircled twin."""
    twin = side.circled and side._replace(circled=False) in sides
    return f"{kind}:{side.word or side.value}{'o' if twin else ''}"


def _sides(line: KeyedLine) -> tuple[Side, ...]:
    sides = tuple(_side(word, line) for word in line.value.lower().split())
    if len(sides) > _MOST_SIDES:
        raise UnreadableText(f"A die has at most {_MOST_SIDES} sides.", line=line.number)
    return sides


def _side(text: str, line: KeyedLine) -> Side:
    kind = line.key
    circled = text.startswith("(") and text.endswith(")")
    word = text[1:-1] if circled else text
    if circled and kind not in ("black", "green"):
        raise UnreadableText("Only black and green numbers are circled.", line=line.number)
    if word in _WORDS[kind] and not circled:
        return Side(0, word)
    digits = word.removeprefix("-")
    if kind == "flag" or not (digits.isascii() and digits.isdigit()):
        known = ", ".join((*_WORDS[kind], *(() if kind == "flag" else ("a number",))))
        raise UnreadableText(
            f"{quoted(text)} cannot be on a {kind} die; {known} can.", line=line.number
        )
    value = int(word) if len(digits) < 5 else _GREATEST + 1
    if abs(value) > _GREATEST:
        raise UnreadableText(f"Numbers go from -{_GREATEST} to {_GREATEST}.", line=line.number)
    if kind in ("yellow", "red") and value > 0:
        raise UnreadableText(f"A penalty of {value} is above 0; write -{value}.", line=line.number)
    return Side(value, "", circled)


@cache
def shipped_sets() -> dict[str, DiceSet]:
    """The dice sets Hot Dice comes with, by name."""
    return {name: DiceSet.parse(text) for name, text in shipped("dice").items()}
