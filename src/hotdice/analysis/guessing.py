"""Guessing the chance of a bust: positions to guess at, and how well a player's guesses fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from hotdice.analysis.training import NoPosition, played, seeded, usual_players
from hotdice.core.due import ToRoll
from hotdice.core.game import AnyGame
from hotdice.core.losing import bust_chance

LEAST = Fraction(1, 50)
"""Less likely busts, and those that are as good as certain, are not asked for."""
BANDS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Guesses are counted by exact chances between these."""
FULL, NOTHING_AT = 100, 0.25
"""The points of a perfect guess, and by how much a guess is off that gets none."""
_TELLING = 0.01
"""Mean errors below this lean neither way."""
_MOST_GAMES = 30
_ENOUGH = 4000
"""Rolls that are looked at in a game; everything that a handful of dice can show is hundreds."""


class Wager(NamedTuple):
    """A position about to be rolled, and the exact chance that the roll loses the turn."""

    state: Any
    chance: Fraction


class Guess(NamedTuple):
    """What a player said, and the exact chance."""

    said: float
    chance: float


class Band(NamedTuple):
    """The guesses at chances from ``low`` to ``high``: how many, and their mean error."""

    low: float
    high: float
    guesses: int
    lean: float


class Calibration(NamedTuple):
    """How well guesses fit.

    Attributes:
        guesses: how many there are.
        error: by how much they are off on average.
        lean: the same with its sign: positive if chances are overestimated.
        bands: the same by exact chance; bands without a guess are left out.
    """

    guesses: int
    error: float
    lean: float
    bands: tuple[Band, ...]


def find_wager(game: AnyGame, name: str) -> Wager:
    """The roll with this name; raises ``NoPosition``."""
    if not game.risky:
        why = f"In {game.title} a poor roll only ends the turn, so there is no bust to guess."
        raise NoPosition(why)
    rng = seeded(game, "bust", name)
    for _ in range(_MOST_GAMES):
        found = _wagers(game, list(_rolls(game, rng)), rng)
        if found:
            chance = rng.choice(list(found))
            return Wager(found[chance], chance)
    raise NoPosition(f"No roll of {game.title} loses a turn, so there is no bust to guess.")


def _wagers(game: AnyGame, states: Sequence[Any], rng: Random) -> dict[Fraction, Any]:
    """A roll of each chance, so that the rare ones come as often as the common ones."""
    found: dict[Fraction, Any] = {}
    work = 0
    for state in rng.sample(states, len(states)):
        chance = bust_chance(game, state)
        work += len(game.rolls(state))
        if LEAST <= chance <= 1 - LEAST:
            found[chance] = state
        if work > _ENOUGH:
            break
    return found


def _rolls(game: AnyGame, rng: Random) -> Iterator[Any]:
    """The states of a game between bots that wait for a roll, after the rolls for the start."""
    begun = False
    for state in played(game, usual_players(game), rng):
        begun = begun or game.begins_turn(state)
        if begun and isinstance(game.due(state), ToRoll):
            yield state


def points(guess: Guess) -> int:
    """The points of a guess: 100 if it is exact, 0 if it is off by 25 percentage points."""
    off = abs(guess.said - guess.chance)
    return round(FULL * max(0.0, 1.0 - off / NOTHING_AT))


def calibrate(guesses: Sequence[Guess]) -> Calibration:
    """How well guesses fit."""
    found = []
    for low, high in pairwise(BANDS):
        inside = [one for one in guesses if low <= one.chance < high]
        if inside:
            found.append(Band(low, high, len(inside), _lean(inside)))
    error = sum(abs(one.said - one.chance) for one in guesses) / max(1, len(guesses))
    return Calibration(len(guesses), error, _lean(guesses), tuple(found))


def _lean(guesses: Sequence[Guess]) -> float:
    return sum(one.said - one.chance for one in guesses) / max(1, len(guesses))


def lean_words(lean: float) -> str:
    """Whether chances are over- or underestimated, in a few words."""
    if abs(lean) < _TELLING:
        return "neither too high nor too low on average"
    return f"too {'high' if lean > 0 else 'low'} by {100 * abs(lean):.0f} points on average"
