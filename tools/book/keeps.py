"""First rolls from which people keep the wrong dice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame
from hotdice.core.words import dice_words
from hotdice.solve.coach import all_values
from tools.book.words import percent, table

_SHOWN_FROM = 0.01


class Habit(NamedTuple):
    """A simple rule of thumb for keeping dice.

    Attributes:
        words: the rule, to follow "Always".
        liking: the sort key of a choice, given its points; ties go to the more valuable choice.
    """

    words: str
    liking: Callable[[Choice, int], Any]


class _Mistake(NamedTuple):
    roll: Roll
    best: Choice
    kept: Choice
    cost: float
    chance: float

    @property
    def weight(self) -> float:
        return self.chance * self.cost


def costly_keeps(game: AnyGame, state: Any, habit: Habit, shown: int) -> str:
    """The first rolls for which a habit loses most points, and what it loses per turn."""
    found = sorted(_mistakes(game, state, habit), key=lambda mistake: -mistake.weight)
    lines = [
        (
            dice_words(game, mistake.roll.faces),
            dice_words(game, mistake.best.dice),
            dice_words(game, mistake.kept.dice),
            f"{mistake.cost:.1f}",
            percent(mistake.chance, 2),
        )
        for mistake in found[:shown]
    ]
    total = sum(mistake.weight for mistake in found)
    heads = ("roll", "keep", "not", "points lost", "how often")
    return f"{table(heads, lines)}\n\nAlways {habit.words}, with best play afterwards, costs {total:.2f} points per turn."


def _mistakes(game: AnyGame, state: Any, habit: Habit) -> list[_Mistake]:
    found = []
    for roll, chance in game.rolls(state):
        rolled = game.apply(state, roll)
        if rolled.phase != "choose":
            continue
        worth = all_values(game, rolled, "points")
        points = {choice: game.meaning(rolled, choice).points for choice in worth}
        best = max(worth, key=lambda c: worth[c])
        kept = max(worth, key=lambda c: (habit.liking(c, points[c]), worth[c]))
        cost = worth[best] - worth[kept]
        if cost > _SHOWN_FROM:
            found.append(_Mistake(roll, best, kept, cost, float(chance)))
    return found
