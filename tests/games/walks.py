"""Reachable states for property tests: Hypothesis draws the events."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from hotdice import load_game
from hotdice.core.due import Over, ToRoll
from hotdice.core.game import AnyGame
from tests.games.test_conformance import VARIANTS

GAMES: dict[tuple[str, str], AnyGame] = {pair: load_game(*pair) for pair in VARIANTS}


@cache
def start(game: AnyGame, players: int) -> Any:
    return game.start(players)


@st.composite
def walks(draw: st.DrawFn) -> tuple[AnyGame, Any]:
    """A game, and a state some random events after its start."""
    game = GAMES[draw(st.sampled_from(VARIANTS))]
    state = start(game, draw(st.integers(game.min_players, game.max_players)))
    for step in draw(st.lists(st.integers(0, 9999), max_size=40)):
        due = game.due(state)
        if isinstance(due, Over):
            break
        events = [r for r, _ in game.rolls(state)] if isinstance(due, ToRoll) else None
        offered = events or game.choices(state)
        state = game.apply(state, offered[step % len(offered)])
    return game, state
