"""Choices that make sense to a player: no bot rolls dice for nothing."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from hotdice.core.due import Over, ToRoll
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame


def sensible(game: AnyGame, state: Any) -> tuple[Choice, ...]:
    """The choices without the pointless ones, never empty.

    Where a choice ends the game and wins it, all others are pointless. Otherwise a choice that
    rolls dice is pointless if another one rolls the same dice with more points at stake, or if the
    game says so.
    """
    choices = game.choices(state)
    if len(choices) == 1:
        return choices
    due = game.due(state)
    if isinstance(due, Over):
        return choices
    after = {choice: game.apply(state, choice) for choice in choices}
    won = tuple(c for c in choices if _wins(game, after[c], due.seat))
    if won:
        return won
    stakes: dict[Hashable, int] = {}
    keys = {choice: _key(game, state, choice, after[choice]) for choice in choices}
    for choice, key in keys.items():
        stake = game.at_stake(after[choice], due.seat)
        if key is not None:
            stakes[key] = max(stakes.get(key, stake), stake)
    return tuple(
        choice
        for choice, key in keys.items()
        if (key is None or game.at_stake(after[choice], due.seat) == stakes[key])
        and not game.pointless(state, choice)
    )


def _wins(game: AnyGame, after: Any, seat: int) -> bool:
    """Whether the game is over and won by this seat alone, against others."""
    due = game.due(after)
    return isinstance(due, Over) and game.players(after) > 1 and due.result.winners == (seat,)


def _key(game: AnyGame, state: Any, choice: Choice, after: Any) -> Hashable:
    """What matters for the rest of the turn besides points; ``None`` if no dice are rolled."""
    if not isinstance(game.due(after), ToRoll) or game.turn_over(state, choice, after):
        return None
    return game.turn_key(after)
