"""Solves a small two-player game state by state, from the rules alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hotdice.core.game import AnyGame
from hotdice.solve.enumerated import EnumeratedSheet
from hotdice.solve.enumeration import enumerate_game


def first_seat_wins(game: AnyGame, *, same: Callable[[Any], Any] | None = None) -> float:
    """The first seat's chance to win under optimal play.

    Args:
        game: the rules.
        same: maps equivalent states to one of them.
    """
    start = game.start(2)
    found = enumerate_game(game, 2, same=same)
    return EnumeratedSheet(game, found, 0, 2, "win").ending(start, start)
