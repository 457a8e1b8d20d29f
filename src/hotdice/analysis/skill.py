"""What several games say about a player: luck and skill, and how sure that is.

In a game between two, start + luck - own costs + the other's costs = result. So the result without
luck is start - own costs + the other's costs: it needs no dice to tell who played better, and it
varies far less than results do. How good a player is, is what their own costs say.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from hotdice.analysis.judging import NOTHING
from hotdice.analysis.telling import RATING

PERFECT = 1000.0
"""The skill rating of who gives nothing away."""
A_WIN = 2000.0
"""By so much the skill rating falls for a whole win given away in every game."""
LAST = 50
"""The skill rating is of so many games, the newest: players get better."""


class Outing(NamedTuple):
    """One seat's part in an analysed game.

    Attributes:
        objective: ``win`` if values are chances to win, ``points`` if they are points.
        exact: whether they are exact, and comparable between turns.
        players: how many played.
        options: the options of the game, as text.
        start: the seat's value before the first event.
        result: its share of the win, or its points.
        rolls: how many rolls it made.
        luck: the luck of these rolls.
        deviation: the standard deviation of that luck.
        decisions: how many real decisions it took.
        cost: what its choices gave away.
        spread: what choosing at random would have given away.
        others: what the choices of its opponents gave away.
        busts: how many of its turns a roll ended with nothing made.
        risk: how many were to be expected.
        risk_deviation: the standard deviation of that number.
    """

    objective: str
    exact: bool
    players: int
    options: str
    start: float
    result: float
    rolls: int
    luck: float
    deviation: float
    decisions: int
    cost: float
    spread: float
    others: float
    busts: int
    risk: float
    risk_deviation: float

    @property
    def is_duel(self) -> bool:
        """Whether it can be compared: a game between two with exact chances to win."""
        return self.exact and self.players == 2 and self.objective == "win"

    @property
    def adjusted(self) -> float:
        """The result without the luck of any roll, where values are exact."""
        return self.start - self.cost + self.others

    @property
    def accuracy(self) -> float | None:
        """How much of what a random player gives away was kept; ``None`` without a decision."""
        return max(0.0, 1.0 - self.cost / self.spread) if self.decisions else None


class Estimate(NamedTuple):
    """A mean of several games; the standard error is ``None`` if there is only one."""

    value: float
    error: float | None
    games: int


def mean_of(values: Iterable[float]) -> Estimate | None:
    """The mean of what several games show, with its standard error; ``None`` without games."""
    games, mean, squares = 0, 0.0, 0.0
    for value in values:  # Welford's algorithm
        games += 1
        off = value - mean
        mean += off / games
        squares += off * (value - mean)
    if not games:
        return None
    return Estimate(mean, sqrt(squares / (games - 1) / games) if games > 1 else None, games)


def skill_rating(costs: Iterable[float]) -> Estimate | None:
    """The skill rating: 1000 - 2000 * what was given away per game."""
    mean = mean_of(costs)
    if mean is None:
        return None
    error = None if mean.error is None else A_WIN * mean.error
    return Estimate(PERFECT - A_WIN * mean.value, error, mean.games)


def skill_of(outings: Iterable[Outing]) -> Estimate | None:
    """The skill rating after these games, the oldest first."""
    return skill_rating(deque((one.cost for one in outings if one.is_duel), LAST))


def expected_result(one: float, other: float) -> float:
    """The result without luck that two skill ratings let expect, if the start is even."""
    return 0.5 + (one - other) / A_WIN


def adjusted_of(outings: Sequence[Outing]) -> Estimate | None:
    """The mean result without luck, of games between two or of games alone."""
    return mean_of(one.adjusted for one in outings if one.is_duel or _is_lone(one))


def results_of(outings: Sequence[Outing]) -> Estimate | None:
    """The mean result of the same games, luck included."""
    return mean_of(one.result for one in outings if one.is_duel or _is_lone(one))


def _is_lone(one: Outing) -> bool:
    return one.exact and one.players == 1


class Luck(NamedTuple):
    """The luck of several games: how much, its standard deviation, and the share of less luck."""

    total: float
    deviation: float
    percentile: float
    rolls: int
    games: int


def luck_of(outings: Sequence[Outing]) -> Luck | None:
    """The luck of all games with exact values; ``None`` without one."""
    exact = [one for one in outings if one.exact]
    if not exact:
        return None
    total = sum(one.luck for one in exact)
    deviation = sqrt(sum(one.deviation**2 for one in exact))
    rank = NormalDist(0.0, deviation).cdf(total) if deviation > NOTHING else 0.5
    return Luck(total, deviation, rank, sum(one.rolls for one in exact), len(exact))


class Play(NamedTuple):
    """How well several games were played: accuracy and performance rating over all decisions."""

    decisions: int
    cost: float
    accuracy: float | None
    rating: float | None
    games: int


def play_of(outings: Sequence[Outing]) -> Play:
    """The play of games with the same objective."""
    decisions = sum(one.decisions for one in outings)
    cost = sum(one.cost for one in outings)
    if not decisions:
        return Play(0, cost, None, None, len(outings))
    accuracy = max(0.0, 1.0 - cost / sum(one.spread for one in outings if one.decisions))
    unit = RATING if outings[0].objective == "win" else 1
    return Play(decisions, cost, accuracy, unit * cost / decisions, len(outings))


class Busts(NamedTuple):
    """Turns that a roll ended with nothing made: how many, and how many were to be expected."""

    happened: int
    expected: float
    deviation: float


def busts_of(outings: Sequence[Outing]) -> Busts:
    """The busts of several games."""
    return Busts(
        sum(one.busts for one in outings),
        sum(one.risk for one in outings),
        sqrt(sum(one.risk_deviation**2 for one in outings)),
    )
