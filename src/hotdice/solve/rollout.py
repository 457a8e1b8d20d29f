"""An estimate for games of unknown shape: many games played on at random after each choice."""

from __future__ import annotations

from random import Random
from typing import Any

from hotdice.core.events import Choice
from hotdice.core.game import AnyGame, Over, ToChoose

_GAMES = 200
_LONGEST = 2000


def play_on(game: AnyGame, state: Any, rng: Random) -> tuple[int, ...]:
    """The winners of a game that everybody plays on at random; none if it goes on too long."""
    for _ in range(_LONGEST):
        due = game.due(state)
        if isinstance(due, Over):
            return due.result.winners
        if isinstance(due, ToChoose):
            state = game.apply(state, rng.choice(game.choices(state)))
        else:
            rolls = game.rolls(state)
            weights = [float(chance) for _, chance in rolls]
            state = game.apply(state, rng.choices(rolls, weights)[0][0])
    return ()


def estimate(game: AnyGame, state: Any, seat: int, choice: Choice, games: int = _GAMES) -> float:
    """The share of wins of a seat after a choice, the same whenever it is asked for."""
    rng = Random(f"{game.slug} {game.state_text(state)} {game.event_text(choice)}")  # noqa: S311 - an estimate
    after = game.apply(state, choice)
    won = 0.0
    for _ in range(games):
        winners = play_on(game, after, rng)
        won += (seat in winners) / max(len(winners), 1)
    return won / games
