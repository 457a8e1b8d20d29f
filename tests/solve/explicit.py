"""A small game between two solved state by state, from nothing but the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hotdice.core.game import AnyGame
from hotdice.solve.enumeration import EnumeratedSheet, enumerate_game


def first_seat_wins(game: AnyGame, *, same: Callable[[Any], Any] | None = None) -> float:
    """The first seat's chance to win when both play as well as possible.

    Args:
        game: the rules.
        same: a state that stands for the given one, where many come to the same.
    """
    start = game.start(2)
    found = enumerate_game(game, 2, same=same)
    return EnumeratedSheet(game, found, 0, 2, "win").ending(start, start)
