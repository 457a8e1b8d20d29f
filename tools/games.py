"""Games played by bots, for benchmarks, calibration and tests."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hotdice import Record
from hotdice.bots import LEVELS
from hotdice.core.due import Over, ToChoose
from hotdice.core.events import Event
from hotdice.core.game import AnyGame
from hotdice.solve.lookahead import throw

NAMES = ("North", "South", "East", "West")


def play(game: AnyGame, levels: Sequence[str], rng: Random, most: int = 9999) -> Record:
    """A game between bots of these levels, broken off after so many events."""
    state, events = game.start(len(levels)), list[Event]()
    while not isinstance(due := game.due(state), Over) and len(events) < most:
        if isinstance(due, ToChoose):
            events.append(LEVELS[levels[due.seat]].play(game, state, rng))
        else:
            events.append(throw(due, rng))
        state = game.apply(state, events[-1])
    return Record(game, NAMES[: len(levels)], tuple(events))
