"""Optimal play by exhaustive search of the rules, in exact fractions.

Only for games that always end.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame


def best_value(
    game: AnyGame,
    state: Any,
    worth: Callable[[Any], Fraction | None],
    known: dict[Any, Fraction] | None = None,
) -> Fraction:
    """The expected value of a state under optimal play, given the worth of some states."""
    known = {} if known is None else known
    if state in known:
        return known[state]
    value = worth(state)
    due = game.due(state)
    if value is None and isinstance(due, Over):
        raise AssertionError("an end has a worth")
    if value is None and isinstance(due, ToChoose):
        options = (game.apply(state, choice) for choice in game.choices(state))
        value = max(best_value(game, after, worth, known) for after in options)
    elif value is None:
        value = sum(
            (
                chance * best_value(game, game.apply(state, roll), worth, known)
                for roll, chance in game.rolls(state)
            ),
            Fraction(0),
        )
    known[state] = value
    return value
