"""Games for analyses: short ones of every kind, played by bots."""

from __future__ import annotations

from random import Random

from hotdice import Record, load_game
from hotdice.bots import LEVELS
from hotdice.core.due import Over, ToChoose
from hotdice.core.events import Event
from hotdice.solve.lookahead import throw
from tests.solve.test_bellman import COURSE, DICE

RACE = f"'course={COURSE}' 'dice={DICE}' rerolls=1 penalties=10:1,20:3"
SHORT = [
    ("farkle", "target=60 entry=20", 2),
    ("farkle", "starts=seat target=40 entry=0 carry_over=off", 2),
    ("rogue", "target=40 war_at=1 run=9 pairs=1,2,3,4,5,6", 2),
    ("cockroach", "target=6", 2),
    ("peruke", "games=2", 1),
    ("go500", RACE, 1),
    ("go500", RACE, 2),
]
"""Games whose values are exact: name, options and players."""


def played(slug: str, options: str, levels: tuple[str, ...], seed: str, most: int = 9999) -> Record:
    """A game between bots, broken off after so many events."""
    game, rng = load_game(slug, options), Random(seed)
    state, events = game.start(len(levels)), list[Event]()
    while not isinstance(due := game.due(state), Over) and len(events) < most:
        if isinstance(due, ToChoose):
            events.append(LEVELS[levels[due.seat]].play(game, state, rng))
        else:
            events.append(throw(due, rng))
        state = game.apply(state, events[-1])
    return Record(game, ("North", "South", "East", "West")[: len(levels)], tuple(events))
