"""Shared code of games in which dice of a roll are set aside for points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hotdice.core.dice import Faces
from hotdice.core.events import Choice
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.words import counted


class Worth(NamedTuple):
    """The points of dice set aside together, and their description."""

    points: int
    words: str


class Plan(NamedTuple):
    """What a choice does with a roll, whatever the score.

    Attributes:
        points: the points of the dice it keeps.
        left: how many dice it leaves.
        words: its description.
        onward: the dice that are rolled next, in words; empty if the choice is to bank.
    """

    points: int
    left: int
    words: str
    onward: str


class RollKeeps(NamedTuple):
    """What can be done with one roll.

    Attributes:
        keeps: the sets that may be kept, best first.
        plans: the resulting choices.
        choices: the same, without their plans.
        idle: the dice that no keep contains, sorted.
    """

    keeps: dict[Faces, Worth]
    plans: dict[Choice, Plan]
    choices: tuple[Choice, ...]
    idle: Faces

    def listed(self, count: int) -> tuple[Keep, ...]:
        """Every keep of a roll of ``count`` dice with the dice it leaves, best first."""
        return tuple(
            Keep(dice, worth.points, count - len(dice), worth.words)
            for dice, worth in self.keeps.items()
        )


class KeepsByRoll(dict[Faces, RollKeeps]):
    """The keeps of sorted rolls, computed on first use.

    Args:
        worths: finds every set that may be kept of a roll, with its worth.
        hot: the dice that are rolled after all were set aside, in words; empty if none are.
    """

    def __init__(self, worths: Callable[[Faces], Mapping[Faces, Worth]], *, hot: str = "") -> None:
        super().__init__()
        self._worths = worths
        self._hot = hot

    def __missing__(self, roll: Faces) -> RollKeeps:
        worths = self._worths(roll).items()
        keeps = dict(sorted(worths, key=lambda kept: (-kept[1].points, len(kept[0]), kept[0])))
        plans = {}
        for dice, worth in keeps.items():
            left = len(roll) - len(dice)
            words = f"Keep {worth.words} for {worth.points:,}"
            plans[Choice("keep", dice, "bank")] = Plan(worth.points, left, words, "")
            if onward := counted(left, "die", "dice") if left else self._hot:
                plans[Choice("keep", dice, "roll")] = Plan(worth.points, left, words, onward)
        idle = tuple(sorted(set(roll).difference(*keeps)))
        found = self[roll] = RollKeeps(keeps, plans, tuple(plans), idle)
        return found

    def meaning(
        self, roll: Faces, choice: Choice, total: int, score: int, standing: str
    ) -> Meaning:
        """What keeping dice of a roll does to a running total.

        Args:
            roll: the dice that were rolled.
            choice: what is kept, and whether the player rolls on or banks.
            total: the running total before it.
            score: the points recorded before the turn.
            standing: the status of the total while the player rolls on, in words.
        """
        points, left, words, onward = self[roll].plans[choice]
        total += points
        if onward:
            return Meaning(points, left, words, f"Roll {onward} with {total:,} {standing}", False)
        return Meaning(points, left, words, f"Bank {total:,} → {score + total:,}", True)
