"""Busts: rolls that end a turn with nothing made in it, and their chances by the rules.

They are counted in every game, as scoreless turns are. ``core.losing`` is about rolls that take
something away, which not all games have.
"""

from __future__ import annotations

from hotdice.core.due import seat_of
from hotdice.core.events import Roll
from hotdice.core.game import Game, O, S


def standing(game: Game[S, O], state: S, seat: int) -> int:
    """A seat's points, including those at stake."""
    return game.score(state, seat) + game.at_stake(state, seat)


def is_bust(game: Game[S, O], before: S, roll: Roll, after: S, began: int) -> bool:
    """Whether a roll ended a turn with nothing made.

    Args:
        game: the rules.
        before: the state before the roll; not of a roll for who starts, which is no turn.
        roll: the roll.
        after: the state after it.
        began: the seat's standing when the turn began.
    """
    if not game.turn_over(before, roll, after):
        return False
    return standing(game, after, seat_of(game.due(before))) <= began


def bust_chance(game: Game[S, O], state: S, began: int) -> float:
    """The chance that the roll a state waits for is a bust."""
    if not game.risky and standing(game, state, seat_of(game.due(state))) > began:
        return 0.0  # no roll can lose what the turn has made
    return sum(
        float(chance)
        for roll, chance in game.rolls(state)
        if is_bust(game, state, roll, game.apply(state, roll), began)
    )
