"""Dice as data, and the exact probability of every roll.

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

from hotdice.core.caching import WeightedCache

if TYPE_CHECKING:
    from fractions import Fraction

Faces = Annotated[tuple[int, ...], "faces"]
"""Rolled dice as face codes, sorted. The annotation makes state text use tokens."""


MAX_PIPS = 6
"""Larger numbers are drawn as digits."""


class Drawn(StrEnum):
    """How a surface draws a face."""

    PIPS = "pips"
    """As many pips as ``Face.pips`` says."""
    TEXT = "text"
    """The label."""
    FLAG = "flag"
    """A flag of the colour ``Face.flag``, with the label below it."""
    BLANK = "blank"
    """The die's name: it has not been rolled yet."""


@dataclass(frozen=True, slots=True)
class Face:
    """A face of a die.

    Drawing attributes are not hashed: chances are looked up by dice, which has to be fast.

    Attributes:
        code: the integer that stands for it in events and states.
        token: its text within the game, for instance ``c`` or ``black:25``.
        label: what is printed on the die, for instance ``25``.
        weight: how many sides of the die show it.
        ring: whether it is circled.
        drawn: how a surface draws it.
        pips: the number of pips, where it is drawn as pips.
        flag: the colour of the flag, where it is drawn as one.
        name: what players call it, where that is not the die's ``called`` and the label.
    """

    code: int
    token: str
    label: str
    weight: int = 1
    ring: bool = False
    drawn: Drawn = field(default=Drawn.TEXT, hash=False)
    pips: int = field(default=0, hash=False)
    flag: str = field(default="", hash=False)
    name: str = field(default="", hash=False)


@dataclass(frozen=True, slots=True)
class Die:
    """A kind of die.

    Attributes:
        name: what players call it, for instance ``red``.
        colour: the colour a surface should draw it in.
        faces: what it can show.
        blank: the face it shows before it is rolled, where a game lets players pick such dice.
        called: the word that tells it apart from the other dice of the game, for players who
            cannot see its colour; empty for a plain die.
        sides: the code of each side; equal faces are repeated.
    """

    name: str
    colour: str
    faces: tuple[Face, ...]
    blank: Face | None = None
    called: str = field(default="", hash=False)
    sides: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compute the sides once."""
        sides = tuple(face.code for face in self.faces for _ in range(face.weight))
        object.__setattr__(self, "sides", sides)

    def all_faces(self) -> tuple[Face, ...]:
        """All faces, the blank one included."""
        return self.faces if self.blank is None else (*self.faces, self.blank)


def numbered_face(code: int, token: str, number: int) -> Face:
    """A face with a number, drawn as pips if it is small, else as digits."""
    if number > MAX_PIPS:
        return Face(code, token, str(number))
    return Face(code, token, str(number), drawn=Drawn.PIPS, pips=number)


def numbered_die(
    name: str, colour: str, *, sides: int = 6, base: int = 0, prefix: str = "", called: str = ""
) -> Die:
    """A die with 1 to ``sides``; ``base`` is added to the codes, ``prefix`` to the tokens."""
    faces = tuple(numbered_face(base + n, f"{prefix}{n}", n) for n in range(1, sides + 1))
    return Die(name, colour, faces, called=called)


_known: WeightedCache[tuple[tuple[Faces, Fraction], ...]] = WeightedCache(60_000)
"""The cache of ``chances``, limited by the total number of rolls."""


def chances(dice: tuple[Die, ...]) -> tuple[tuple[Faces, Fraction], ...]:
    """Every distinct roll of the dice, with its exact probability.

    Dice of the same kind are interchangeable. Rolls are sorted; the probabilities sum to 1.
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
    """Each multiset of faces of ``count`` such dice with the number of ways to roll it."""
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
    """The remaining dice, sorted; raises ``ValueError`` if ``removed`` is not among them."""
    rest = list(dice)
    for code in removed:
        rest.remove(code)
    return tuple(sorted(rest))
