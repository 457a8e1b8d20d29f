"""How evenly dice fall: counts of faces, and how often fair dice would be as uneven.

The test is Pearson's: the squared deviations of the counts from what is expected, each divided by
what is expected, add up to a number whose chances are known for fair dice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from math import ceil, erfc, exp, lgamma, log, sqrt
from typing import NamedTuple

from hotdice.core.dice import Die, Faces

LEAST_EXPECTED = 5
"""With fewer expected of any face, the chances of the test are not known well enough."""
_UNUSUAL = 0.05
_VERY_UNUSUAL = 0.001
_WITHIN = 1.96
"""Standard deviations around the mean within which 19 of 20 counts of fair dice lie."""
_WHOLES = (100, 1_000, 10_000, 1_000_000)


class Roller(NamedTuple):
    """Who rolls: a name, and whether a bot plays."""

    name: str
    bot: bool


class Throw(NamedTuple):
    """One roll: who made it, which dice it had, and what they show."""

    who: Roller
    dice: tuple[Die, ...]
    faces: Faces


Counts = Mapping[int, int]
"""How often each face was rolled, by its code."""


class Fit(NamedTuple):
    """How well counts fit fair dice.

    Attributes:
        thrown: how many dice were counted.
        least: how many are needed to tell; 0 if these are several kinds, none with enough.
        chi_square: how uneven the counts are.
        freedom: the degrees of freedom.
        p: the chance that fair dice are at least as uneven; ``None`` if there are too few dice.
    """

    thrown: int
    least: int
    chi_square: float
    freedom: int
    p: float | None


class Verdict(StrEnum):
    """What a fit says about dice."""

    TOO_FEW = "too few"
    USUAL = "nothing unusual"
    UNUSUAL = "unusual"
    VERY_UNUSUAL = "very unusual"


class Usual(NamedTuple):
    """What is expected of a face, and the range of 19 in 20 counts of fair dice."""

    expected: float
    low: float
    high: float


# Counting ---------------------------------------------------------------------------------------


def count(throws: Iterable[Throw]) -> dict[Die, dict[Roller, Counter[int]]]:
    """How often each roller rolled each face, by kind of die; dice of one kind count together."""
    found: dict[Die, dict[Roller, Counter[int]]] = {}
    rolled: dict[tuple[Roller, tuple[Die, ...]], Counter[int]] = {}
    for who, dice, faces in throws:
        rolled.setdefault((who, dice), Counter()).update(faces)
    for (who, dice), codes in rolled.items():
        for die in dict.fromkeys(dice):
            shown = Counter({code: codes[code] for code in die.sides if codes[code]})
            found.setdefault(die, {}).setdefault(who, Counter()).update(shown)
    return found


def added(counts: Iterable[Counts]) -> Counter[int]:
    """Several counts of the same kind of die added up."""
    total: Counter[int] = Counter()
    for one in counts:
        total.update(one)
    return total


def usual(die: Die, thrown: int) -> dict[int, Usual]:
    """What is expected of every face in so many throws, by its code."""
    shares = {code: sides / len(die.sides) for code, sides in Counter(die.sides).items()}
    found = {}
    for code, share in shares.items():
        around = _WITHIN * sqrt(thrown * share * (1 - share))
        expected = thrown * share
        found[code] = Usual(expected, max(0.0, expected - around), min(thrown, expected + around))
    return found


# The test ---------------------------------------------------------------------------------------


def fit(die: Die, counts: Counts) -> Fit:
    """How well counts of one kind of die fit fair dice."""
    thrown = sum(counts.values())
    sides = Counter(die.sides)
    least = ceil(LEAST_EXPECTED * len(die.sides) / min(sides.values()))
    expected = {code: one.expected for code, one in usual(die, thrown).items()}
    if not thrown:
        return Fit(0, least, 0.0, len(sides) - 1, None)
    chi_square = sum((counts.get(code, 0) - mean) ** 2 / mean for code, mean in expected.items())
    freedom = len(sides) - 1
    known = thrown >= least and freedom > 0
    return Fit(thrown, least, chi_square, freedom, tail(chi_square, freedom) if known else None)


def together(fits: Iterable[Fit]) -> Fit:
    """Several independent fits as one; those with too few dice are left out."""
    fits = list(fits)
    told = [one for one in fits if one.p is not None]
    if not told:
        return Fit(sum(one.thrown for one in fits), 0, 0.0, 0, None)
    chi_square, freedom = sum(one.chi_square for one in told), sum(one.freedom for one in told)
    thrown, least = sum(one.thrown for one in told), sum(one.least for one in told)
    return Fit(thrown, least, chi_square, freedom, tail(chi_square, freedom))


def tail(chi_square: float, freedom: int) -> float:
    """The chance that a chi-square variable is at least this large.

    It is the regularised incomplete gamma function Q(freedom/2, chi_square/2), which is a finite
    sum for whole degrees of freedom: Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1).
    """
    x = chi_square / 2
    if x <= 0:
        return 1.0
    a = 0.5 if freedom % 2 else 1.0
    chance = erfc(sqrt(x)) if freedom % 2 else exp(-x)
    while a < freedom / 2:
        chance += exp(a * log(x) - x - lgamma(a + 1))
        a += 1
    return min(1.0, chance)


# Words ------------------------------------------------------------------------------------------


def judge(fit_: Fit, looks: int = 1) -> Verdict:
    """What a fit says that is one of so many on a page.

    Among many comparisons some look unlikely, so the chance counts once for each of them
    (Bonferroni's correction, which holds however they depend on each other).
    """
    if fit_.p is None:
        return Verdict.TOO_FEW
    chance = fit_.p * max(1, looks)
    if chance >= _UNUSUAL:
        return Verdict.USUAL
    return Verdict.UNUSUAL if chance >= _VERY_UNUSUAL else Verdict.VERY_UNUSUAL


def words(fit_: Fit, looks: int = 1) -> str:
    """A fit in words, with the number of dice."""
    dice = f"{fit_.thrown:,} {'die' if fit_.thrown == 1 else 'dice'}"
    if fit_.p is None and not fit_.least:
        return f"{dice} so far, too few of every kind to tell."
    if fit_.p is None:
        return f"{dice} so far, too few to tell; it takes at least {fit_.least:,}."
    start = (
        f"{dice}: in {odds(fit_.p)} sets of fair dice the counts would be this uneven or more so"
    )
    verdict = judge(fit_, looks)
    if verdict is Verdict.USUAL:
        if fit_.p >= _UNUSUAL:
            return f"{start}, nothing unusual."
        return f"{start}. Among {looks} comparisons that is nothing unusual."
    even = f", even among {looks} comparisons" if looks > 1 else ""
    return f"{start}. That is {verdict}{even}."


def odds(chance: float) -> str:
    """A chance as a number of cases, such as ``3 of 100``."""
    if chance >= (_WHOLES[0] - 0.5) / _WHOLES[0]:
        return f"more than {_WHOLES[0] - 1} of {_WHOLES[0]}"
    for whole in _WHOLES:
        if chance * whole >= 1:
            return f"{round(chance * whole)} of {whole:,}"
    return f"fewer than 1 of {_WHOLES[-1]:,}"
