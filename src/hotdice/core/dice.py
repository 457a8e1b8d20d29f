"""Dice as data, and the exact chances of everything they can show.

A face is a small integer, unique within its game, so that a roll is a plain tuple of
integers that already says which die shows what. Tokens are the same faces as text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, combinations_with_replacement, product
from math import factorial, prod
from typing import TYPE_CHECKING, Annotated

from hotdice.core.remembering import Remembered

if TYPE_CHECKING:
    from fractions import Fraction

Faces = Annotated[tuple[int, ...], "faces"]
"""Dice showing something, sorted by code. The annotation lets state text use tokens."""


MOST_PIPS = 6
"""A face with a greater number shows it in figures."""


class Drawn(StrEnum):
    """How a surface draws a face."""

    PIPS = "pips"
    """As many pips as ``Face.pips`` says."""
    TEXT = "text"
    """The label."""
    FLAG = "flag"
    """A flag of the colour ``Face.flag``, with the label below it."""
    BLANK = "blank"
    """What the die is called: it has not been rolled."""


@dataclass(frozen=True, slots=True)
class Face:
    """One thing a die can show.

    How it is drawn is not hashed: chances are looked up by dice, which has to be fast.

    Attributes:
        code: the integer that stands for it in events and states.
        token: its text within the game, for instance ``c`` or ``black:25``.
        label: what is printed on the die, for instance ``25``.
        weight: on how many sides of the die it stands.
        ring: whether it is circled.
        drawn: how a surface draws it.
        pips: the number of pips, where it is drawn as pips.
        flag: the colour of the flag, where it is drawn as one.
    """

    code: int
    token: str
    label: str
    weight: int = 1
    ring: bool = False
    drawn: Drawn = field(default=Drawn.TEXT, hash=False)
    pips: int = field(default=0, hash=False)
    flag: str = field(default="", hash=False)


@dataclass(frozen=True, slots=True)
class Die:
    """A kind of die.

    Attributes:
        name: how players call it, for instance ``red``.
        colour: the colour a surface should draw it in.
        faces: what it can show.
        blank: the face it shows before it is rolled, where a game lets players pick such dice.
        called: the word that tells it apart from the other dice of the game, for people who do
            not see its colour; empty for a plain die.
        sides: the code of each of its sides, equal faces counted each.
    """

    name: str
    colour: str
    faces: tuple[Face, ...]
    blank: Face | None = None
    called: str = field(default="", hash=False)
    sides: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Lay the sides out once."""
        sides = tuple(face.code for face in self.faces for _ in range(face.weight))
        object.__setattr__(self, "sides", sides)

    def all_faces(self) -> tuple[Face, ...]:
        """The faces it can be seen with, the blank one included."""
        return self.faces if self.blank is None else (*self.faces, self.blank)


def numbered_face(code: int, token: str, number: int) -> Face:
    """A face that shows a number: as pips if there are few, else in figures."""
    if number > MOST_PIPS:
        return Face(code, token, str(number))
    return Face(code, token, str(number), drawn=Drawn.PIPS, pips=number)


def numbered_die(
    name: str, colour: str, *, sides: int = 6, base: int = 0, prefix: str = "", called: str = ""
) -> Die:
    """A die with 1 to ``sides``; ``base`` is added to the codes, ``prefix`` to the tokens."""
    faces = tuple(numbered_face(base + n, f"{prefix}{n}", n) for n in range(1, sides + 1))
    return Die(name, colour, faces, called=called)


_known: Remembered[tuple[tuple[Faces, Fraction], ...]] = Remembered(60_000)
"""The chances of some dice, by how many showings they have."""


def chances(dice: tuple[Die, ...]) -> tuple[tuple[Faces, Fraction], ...]:
    """Every distinct showing of the dice thrown together, with its exact probability.

    Dice of the same kind are interchangeable. Showings come sorted; the probabilities sum to 1.
    """
    return _known.obtain(dice, lambda: _chances(dice), len)


def _chances(dice: tuple[Die, ...]) -> tuple[tuple[Faces, Fraction], ...]:
    from fractions import Fraction  # noqa: PLC0415 - scoring a roll needs no chances

    kinds = Counter(dice)
    whole = prod(len(die.sides) ** count for die, count in kinds.items())
    parts = [_ways(die, count) for die, count in kinds.items()]
    found = (
        (
            tuple(sorted(code for faces, _ in combined for code in faces)),
            prod(ways for _, ways in combined),
        )
        for combined in product(*parts)
    )
    return tuple((faces, Fraction(ways, whole)) for faces, ways in sorted(found))


def _ways(die: Die, count: int) -> list[tuple[Faces, int]]:
    """Each multiset of faces of ``count`` such dice with the number of ways to throw it."""
    found = []
    for faces in combinations_with_replacement(die.faces, count):
        times = Counter(faces)
        orders = factorial(count) // prod(factorial(n) for n in times.values())
        weight = prod(face.weight**n for face, n in times.items())
        found.append((tuple(face.code for face in faces), orders * weight))
    return found


def selections(dice: Sequence[int]) -> Iterator[Faces]:
    """Every distinct non-empty selection from the dice, each sorted, smallest counts first."""
    counts = sorted(Counter(dice).items())
    parts = [[(code,) * taken for taken in range(n + 1)] for code, n in counts]
    for combined in product(*parts):
        if taken := tuple(chain.from_iterable(combined)):
            yield taken


def without(dice: Sequence[int], removed: Iterable[int]) -> Faces:
    """The dice that stay, sorted; raises ``ValueError`` if ``removed`` is not among them."""
    rest = list(dice)
    for code in removed:
        rest.remove(code)
    return tuple(sorted(rest))
