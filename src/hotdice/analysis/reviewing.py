"""When positions come back, and how long a streak is; days are numbers, as ``date.toordinal``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

DAYS = (1, 3, 7, 16, 35)
"""After how many days a missed position comes back, first and each time that it was right."""


class Review(NamedTuple):
    """Where a position stands.

    Attributes:
        step: which time it comes back next, from 1; 0 if it was never missed.
        due: the day on which it comes back; ``None`` if it does not.
    """

    step: int = 0
    due: int | None = None


def reviewed(before: Review, today: int, *, right: bool) -> Review:
    """Where a position stands after an answer.

    A miss starts over. A position that was missed is done when it was right after the longest
    time; one that never was is done at once.
    """
    if not right:
        return Review(1, today + DAYS[0])
    if before.step == 0 or before.step >= len(DAYS):
        return Review()
    return Review(before.step + 1, today + DAYS[before.step])


def counts(before: Review | None, today: int) -> bool:
    """Whether an answer counts: the first one, and any when the position is due."""
    return before is None or (before.due is not None and before.due <= today)


class Streak(NamedTuple):
    """Days in a row with an answer to a daily position, and on how many of them it was right."""

    days: int
    right: int


def streak(answers: Mapping[int, bool], today: int) -> Streak:
    """The streak that ends today, or yesterday if today's position is still to be answered.

    Args:
        answers: the days with an answer, and whether the first one was right.
        today: the day it is.
    """
    day = today if today in answers else today - 1
    right = days = 0
    while day in answers:
        days += 1
        right += answers[day]
        day -= 1
    return Streak(days, right)


def longest(days: Collection[int]) -> int:
    """The longest streak among these days."""
    found = 0
    for day in days:
        if day - 1 in days:
            continue
        end = day
        while end in days:
            end += 1
        found = max(found, end - day)
    return found
