"""Jobs for worker processes that find something to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from hotdice.analysis.guessing import find_wager
from hotdice.analysis.training import find_lesson
from hotdice.core.due import ToRoll
from hotdice.core.registry import load_game
from hotdice.core.view import View
from hotdice.core.words import dice_due
from hotdice.solve.coach import Advice, advise


class Rated(NamedTuple):
    """How difficult a position is; see ``analysis.training.Lesson``."""

    gap: float
    misses: Mapping[str, float]
    difficulty: int


class LessonFound(NamedTuple):
    """A position to learn from: its view and text, and the coach's advice with the answer.

    ``rated`` is ``None`` for a position of a player's own game.
    """

    view: View
    text: str
    advice: Advice
    rated: Rated | None


class LessonJob(NamedTuple):
    """The position with this name, under the rules as printed."""

    slug: str
    name: str
    objective: str

    def run(self) -> LessonFound:
        """Find the position, and ask the coach."""
        game = load_game(self.slug)
        found = find_lesson(game, self.name, self.objective)
        return LessonFound(
            game.view(found.state),
            game.state_text(found.state),
            advise(game, found.state, found.objective),
            Rated(found.gap, found.misses, found.difficulty),
        )


class WagerFound(NamedTuple):
    """A roll to come: the view before it, the dice in words, and the exact chance of a bust."""

    view: View
    dice: str
    chance: Fraction


class WagerJob(NamedTuple):
    """The roll with this name, under the rules as printed."""

    slug: str
    name: str

    def run(self) -> WagerFound:
        """Find the roll."""
        game = load_game(self.slug)
        found = find_wager(game, self.name)
        due = game.due(found.state)
        dice = dice_due(due) if isinstance(due, ToRoll) else ""
        view = game.view(found.state)
        if view.gauge is not None:
            view.gauge = replace(view.gauge, heat=None)  # it would tell the answer
        return WagerFound(view, dice, found.chance)
