"""Games for analyses: short ones of every kind, played by bots."""

from __future__ import annotations

from random import Random

from tools.games import play

from hotdice import Record, load_game
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
    return play(load_game(slug, options), levels, Random(seed), most)
