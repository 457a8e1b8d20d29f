"""Rolls that lose a turn."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from hotdice.core.due import ToRoll, seat_of
from hotdice.core.events import Event, Roll

if TYPE_CHECKING:
    from hotdice.core.game import Game, O, S


def is_lost(game: Game[S, O], before: S, event: Event, after: S) -> bool:
    """Whether a roll ended a turn with nothing gained, in a game where that is a loss."""
    if not game.risky or not isinstance(event, Roll) or not game.turn_over(before, event, after):
        return False
    seat = seat_of(game.due(before))
    had, has = (game.score(state, seat) + game.at_stake(state, seat) for state in (before, after))
    return has <= had


def bust_chance(game: Game[S, O], state: S) -> Fraction:
    """The exact chance that the roll a state waits for ends the turn with nothing gained.

    Rolls for who starts are no part of a turn; asking about them makes no sense.
    """
    if not isinstance(game.due(state), ToRoll):
        return Fraction(0)
    return sum(
        (chance for roll, chance in game.rolls(state) if _loses(game, state, roll)), Fraction(0)
    )


def _loses(game: Game[S, O], state: S, roll: Roll) -> bool:
    return is_lost(game, state, roll, game.apply(state, roll))
