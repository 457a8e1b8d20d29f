"""Random playouts: a Monte Carlo estimate for games that are not solved.

The work is bounded whatever the game: rolls are sampled, not enumerated, and there is a limit on
the total number of events.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from hotdice.core.due import Over, ToChoose
from hotdice.core.events import Choice
from hotdice.core.game import Game, O, S
from hotdice.solve.lookahead import throw

_GAMES = 200
_LONGEST = 2000
_ALL_EVENTS = 40_000
"""The limit on events played for all choices of a state together."""


class Played(NamedTuple):
    """A playout: its winners, empty if it was cut off, and its number of events."""

    winners: tuple[int, ...]
    events: int


def play_on(game: Game[S, O], state: S, rng: Random, longest: int = _LONGEST) -> Played:
    """Play a game to its end with random choices."""
    for events in range(longest):
        due = game.due(state)
        if isinstance(due, Over):
            return Played(due.result.winners, events)
        if isinstance(due, ToChoose):
            state = game.apply(state, rng.choice(game.choices(state)))
        else:
            state = game.apply(state, throw(due, rng))
    return Played((), longest)


def estimate(game: Game[S, O], state: S, seat: int, choice: Choice, games: int = _GAMES) -> float:
    """A seat's share of wins after a choice; seeded by state and choice, so reproducible."""
    rng = Random(f"{game.slug} {game.state_text(state)} {game.event_text(choice)}")  # noqa: S311 - an estimate
    after = game.apply(state, choice)
    left = max(_LONGEST, _ALL_EVENTS // len(game.choices(state)))
    won, played = 0.0, 0
    while played < games and left > 0:
        winners, events = play_on(game, after, rng, min(left, _LONGEST))
        won += (seat in winners) / max(len(winners), 1)
        played += 1
        left -= events + 1
    return won / played
