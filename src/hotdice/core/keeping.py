"""Shared code of games in which dice of a roll are set aside for points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from hotdice.core.dice import Faces
from hotdice.core.events import Choice
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.view import ChoiceView
from hotdice.core.words import counted


class Worth(NamedTuple):
    """The points of dice set aside together, and their description."""

    points: int
    words: str


class Plan(NamedTuple):
    """What a choice does with a roll, whatever the score.

    Attributes:
        text: the choice as one line.
        points: the points of the dice it keeps.
        left: how many dice it leaves.
        words: its description.
        onward: the dice that are rolled next, in words; empty if the choice is to bank.
    """

    text: str
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
        text: writes a choice as one line.
        standing: the status of the total while the player rolls on, in words.
        hot: the dice that are rolled after all were set aside, in words; empty if none are.
    """

    def __init__(
        self,
        worths: Callable[[Faces], Mapping[Faces, Worth]],
        text: Callable[[Choice], str],
        standing: str,
        *,
        hot: str = "",
    ) -> None:
        super().__init__()
        self._worths, self._text = worths, text
        self._standing = standing
        self._hot = hot

    def __missing__(self, roll: Faces) -> RollKeeps:
        worths = self._worths(roll).items()
        keeps = dict(sorted(worths, key=lambda kept: (-kept[1].points, len(kept[0]), kept[0])))
        plans = {}
        for dice, worth in keeps.items():
            left = len(roll) - len(dice)
            onward = counted(left, "die", "dice") if left else self._hot
            words = f"Keep {worth.words} for {worth.points:,}"
            for then, rolled in (("bank", ""), ("roll", onward)):
                if rolled or then == "bank":
                    choice = Choice("keep", dice, then)
                    plans[choice] = Plan(self._text(choice), worth.points, left, words, rolled)
        idle = tuple(sorted(set(roll).difference(*keeps)))
        found = self[roll] = RollKeeps(keeps, plans, tuple(plans), idle)
        return found

    def meaning(self, roll: Faces, choice: Choice, total: int, score: int) -> Meaning:
        """What keeping dice of a roll does to a running total, next to the recorded points."""
        _, points, left, words, onward = self[roll].plans[choice]
        effect = self._effect(onward, total + points, score)
        return Meaning(points, left, words, effect, not onward)

    def views(
        self, roll: Faces, choices: Sequence[Choice], total: int, score: int
    ) -> tuple[ChoiceView, ...]:
        """The same of several choices, as views."""
        found, effect = self[roll], self._effect
        plans = found.plans.items()
        if choices is not found.choices:
            plans = {choice: found.plans[choice] for choice in choices}.items()
        shown = []
        for (verb, dice, then), (text, points, left, words, onward) in plans:
            what = effect(onward, total + points, score)
            shown.append(ChoiceView(text, verb, dice, then, points, left, words, what, not onward))
        return tuple(shown)

    def _effect(self, onward: str, total: int, score: int) -> str:
        if onward:
            return f"Roll {onward} with {total:,} {self._standing}"
        return f"Bank {total:,} → {score + total:,}"
