"""Shared code of games in which dice of a roll are set aside for points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from hotdice.core.dice import Faces
from hotdice.core.events import Choice
from hotdice.core.game import Keep, Meaning
from hotdice.core.words import counted


class Worth(NamedTuple):
    """The points of dice set aside together, and their description."""

    points: int
    words: str


class RollKeeps(NamedTuple):
    """What can be done with one roll.

    Attributes:
        keeps: the sets that may be kept, best first.
        choices: the resulting choices.
        words: the description of keeping each set.
        onward: the dice that are rolled after keeping each set, in words.
    """

    keeps: dict[Faces, Worth]
    choices: tuple[Choice, ...]
    words: dict[Faces, str]
    onward: dict[Faces, str]

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
        choices = tuple(
            Choice("keep", dice, then)
            for dice in keeps
            for then in ("bank", "roll")
            if then == "bank" or self._hot or len(dice) < len(roll)
        )
        words = {dice: f"Keep {worth.words} for {worth.points:,}" for dice, worth in keeps.items()}
        left = {dice: counted(len(roll) - len(dice), "die", "dice") for dice in keeps}
        onward = {dice: left[dice] if len(dice) < len(roll) else self._hot for dice in keeps}
        found = self[roll] = RollKeeps(keeps, choices, words, onward)
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
        keeps, _, words, onward = self[roll]
        points = keeps[choice.dice].points
        left = len(roll) - len(choice.dice)
        total += points
        banks = choice.then == "bank"
        if banks:
            effect = f"Bank {total:,} → {score + total:,}"
        else:
            effect = f"Roll {onward[choice.dice]} with {total:,} {standing}"
        return Meaning(points, left, words[choice.dice], effect, banks)
