"""Discs: alone, in rounds, each roll turning discs that only ever turn one way.

What a roll can do is found by driving the rules with no disc turned yet: fewer turned discs allow
every use that more turned discs allow. On other discs a use fits if no disc goes beyond its last
side, and if none fits the game ends there. A number stands for how all discs lie: one digit each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hotdice.core.events import Choice
from hotdice.core.game import AnyGame, Over, ToChoose
from hotdice.core.remembering import Remembered
from hotdice.solve.program import Floats, Ints
from hotdice.solve.solver import Odds, Question, Sheet, Solution, Solver, Unsolvable, weigh
from hotdice.solve.stopwatch import Stopwatch
from hotdice.solve.store import Progress, no_progress

_SIDES = 3
_NEVER = -1e9

Turned = tuple[int, ...]


class Round(NamedTuple):
    """A round: what its rolls can turn.

    Attributes:
        discs: the numbers of all ways the discs can lie when it begins.
        to: how they lie after each turning; -1 where it does not fit.
        turning: the turnings of each roll class, one class after the other; the first turns none.
        first: where each class's turnings begin.
        chance: the chance of each class.
    """

    discs: Ints
    to: Ints
    turning: Ints
    first: Ints
    chance: Floats


class Chart(NamedTuple):
    """A whole game: its rounds, and for each number of discs its score and whether it wins."""

    rounds: tuple[Round, ...]
    scores: Ints
    wins: Floats


_charts: Remembered[Chart] = Remembered(32_000_000)
"""Games compiled before, by the bytes they take."""


def number_of(discs: Turned) -> int:
    """The number that stands for how the discs lie."""
    number = 0
    for side in reversed(discs):
        number = _SIDES * number + side
    return number


def compile_game(game: AnyGame) -> Chart:
    """One game, compiled by driving the rules."""
    single: Any = type(game)(replace(game.options, games=1))
    fresh = single.start(1)
    size = len(fresh.discs)
    everything = [_sides(number, size) for number in range(_SIDES**size)]
    uses: dict[Any, frozenset[Turned]] = {}
    reachable = {fresh.discs}
    rounds = []
    number = fresh.round
    while True:
        state = fresh._replace(round=number)
        classes: dict[frozenset[Turned], Fraction] = defaultdict(Fraction)
        for roll, chance in single.rolls(state):
            classes[_turnings(single, single.apply(state, roll), uses)] += chance
        rounds.append(_lay_out(reachable, classes))
        to = np.unique(rounds[-1].to)
        reachable = {everything[after] for after in to[to >= 0].tolist()}
        rolled = single.apply(state, single.rolls(state)[0][0])
        following = single.apply(rolled, Choice("pass"))
        if isinstance(single.due(following), Over):
            break
        number = following.round
    scores = [single.show(fresh._replace(discs=discs)).tracks[0].pending for discs in everything]
    wins = [
        bool(single.due(_ended(fresh, discs, number + 1, score)).result.winners)
        for discs, score in zip(everything, scores, strict=True)
    ]
    return Chart(tuple(rounds), np.array(scores), np.array(wins, float))


def _ended(state: Any, discs: Turned, number: int, score: int) -> Any:
    return state._replace(discs=discs, past=(score,), round=number, phase="over")


def _sides(number: int, size: int) -> Turned:
    sides = []
    for _ in range(size):
        number, side = divmod(number, _SIDES)
        sides.append(side)
    return tuple(sides)


def _turnings(game: AnyGame, state: Any, known: dict[Any, frozenset[Turned]]) -> frozenset[Turned]:
    """How the discs can lie after the uses of a roll."""
    same = state.discs, state.tray, state.used
    if same not in known:
        found: set[Turned] = set()
        for choice in game.choices(state):
            after = game.apply(state, choice)
            if after.round == state.round and isinstance(game.due(after), ToChoose):
                found |= _turnings(game, after, known)
            else:
                found.add(after.discs)
        known[same] = frozenset(found)
    return known[same]


def _lay_out(discs: set[Turned], classes: Mapping[frozenset[Turned], Fraction]) -> Round:
    turnings = sorted({turning for found in classes for turning in found}, key=sum)
    at = {turning: place for place, turning in enumerate(turnings)}
    rows = sorted(discs)
    after = np.array(rows)[:, None, :] + np.array(turnings)[None, :, :]
    digits = _SIDES ** np.arange(after.shape[2])
    to = np.where(after.max(axis=2) < _SIDES, after @ digits, -1)
    turning: list[int] = []
    first = []
    for found in classes:
        first.append(len(turning))
        turning += sorted(at[one] for one in found)
    return Round(
        np.array([number_of(row) for row in rows]),
        to,
        np.array(turning),
        np.array(first),
        np.array([float(chance) for chance in classes.values()]),
    )


def run_game(chart: Chart, ends: Floats) -> list[Floats]:
    """The value of all discs before each round and after the last, given what ends are worth."""
    values = [ends]
    for one in reversed(chart.rounds):
        after = values[-1][one.to]
        after[one.to < 0] = _NEVER
        best = np.maximum.reduceat(after[:, one.turning], one.first, axis=1)
        used = np.where(np.arange(after.shape[1]) == 0, _NEVER, after)
        stuck = np.maximum.reduceat(used[:, one.turning], one.first, axis=1) == _NEVER
        value = np.full(len(ends), np.nan)
        value[one.discs] = np.where(stuck, ends[one.discs, None], best) @ one.chance
        values.append(value)
    return values[::-1]


class DiscsSheet(Sheet):
    """A game: the value of all discs before each round, and of its end."""

    def __init__(
        self, solver: DiscsSolver, values: list[Floats], more: float, aim: str, basis: str
    ) -> None:
        super().__init__(1)
        self.objective, self.basis = aim, basis
        self._solver, self._values, self._more = solver, values, more
        self.start = more + float(values[0][0])

    def going(self, state: Any) -> float:
        """The value of a round about to be rolled."""
        return self._more + float(self._values[state.round - 1][number_of(state.discs)])

    def ending(self, before: Any, after: Any) -> float:
        """The value after a round."""
        if len(after.past) == len(before.past):
            return self.going(after)
        score = after.past[-1]
        return self._more + self._solver.end_value(self._values[-1], score)

    def odds_after(self, before: Any, after: Any) -> tuple[Odds, ...]:
        """A Peruke One in this game, where it can still be made."""
        if len(after.past) > len(before.past):
            return ()
        chance = float(self._solver.peruke_values[after.round - 1][number_of(after.discs)])
        return (Odds("Peruke One", chance),)


class DiscsSolver(Solver):
    """Solves solitaires of discs."""

    objectives: ClassVar[Mapping[str, str]] = {
        "points": "expected points of one game",
        "peruke": "chance of a Peruke One in one game",
        "at_least": "chance of at least so many points in one game",
        "series": "chance of a series that beats a total",
        "win": "chance of a Peruke One somewhere in the series",
    }

    aim: ClassVar[str] = "points"

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._watch = Stopwatch()
        self._series_ends = lru_cache(maxsize=64)(self._ends_of_series)
        self._run = lru_cache(maxsize=256)(self._new_run)

    @cached_property
    def chart(self) -> Chart:
        """One game; series of any length share it."""
        key = type(self.game), replace(self.game.options, games=1)
        return _charts.obtain(key, lambda: compile_game(self.game), weigh)

    @cached_property
    def _any_of_score(self) -> dict[int, int]:
        """Some discs with each score."""
        return {int(score): at for at, score in enumerate(self.chart.scores)}

    def end_value(self, ends: Floats, score: int) -> float:
        """The value of a game's end by its score."""
        return float(ends[self._any_of_score[score]])

    @cached_property
    def peruke_values(self) -> list[Floats]:
        """The best chance of a Peruke One, by how the discs lie before each round."""
        return run_game(self.chart, self.chart.wins)

    @cached_property
    def points_values(self) -> list[Floats]:
        """The best expected points, by how the discs lie before each round."""
        return run_game(self.chart, self.chart.scores.astype(float))

    @property
    def points(self) -> float:
        """The best expected points of a game."""
        return float(self.points_values[0][0])

    @property
    def peruke(self) -> float:
        """The best chance of a Peruke One in a game."""
        return float(self.peruke_values[0][0])

    def _new_run(self, games: int, missing: int) -> list[Floats]:
        """A game with so many more to come that together have to make more than is missing."""
        return run_game(self.chart, self._series_ends(games, missing))

    def _ends_of_series(self, games: int, missing: int) -> Floats:
        """What each end of a game is worth with so many games to come and points missing."""
        chance = self._beating(games)
        left = missing - self.chart.scores
        middle = len(chance) // 2
        return np.asarray(chance[np.clip(left + middle, 0, len(chance) - 1)])

    @cached_property
    def _beaten(self) -> list[Floats]:
        most = int(np.abs(self.chart.scores).max())
        return [np.concatenate([np.ones(most + 2), np.zeros(most + 3)])]

    def _beating(self, games: int) -> Floats:
        """The best chance that so many games make more than missing points, by those points.

        The middle of the array stands for none missing; its ends are certain.
        """
        while len(self._beaten) <= games:
            self._beaten.append(self._one_more(self._beaten[-1]))
        return self._beaten[games]

    def _one_more(self, chance: Floats) -> Floats:
        self._watch.pause()
        from hotdice.solve.discs import run_lanes  # noqa: PLC0415 - loads the compiler

        run_lanes(self.chart, np.zeros((len(self.chart.scores), 0)))
        self._watch.go_on()
        most = int(np.abs(self.chart.scores).max())
        middle = len(chance) // 2
        half = middle + most
        missing = np.arange(-half, half + 1)
        left = missing[None, :] - self.chart.scores[:, None]
        ends = chance[np.clip(left + middle, 0, len(chance) - 1)]
        return run_lanes(self.chart, ends)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: Any, objective: str) -> DiscsSheet:
        """The values of the game under way; an objective's goal follows a colon: ``series:70``."""
        aim, _, goal = objective.partition(":")
        left = self.game.options.games - len(state.past) - (state.phase != "over")
        if aim == "points":
            more = sum(state.past) + left * self.points
            return DiscsSheet(self, self.points_values, more, aim, "Exact expected total.")
        if aim == "series" and goal:
            values = self._run(left, int(goal) - sum(state.past))
            basis = f"Exact chance that the series beats {goal}."
            return DiscsSheet(self, values, 0.0, aim, basis)
        if aim == "at_least" and goal:
            basis = f"Exact chance that this game makes at least {goal}."
            return DiscsSheet(self, self._run(0, int(goal) - 1), 0.0, aim, basis)
        if aim == "peruke":
            basis = "Exact chance of a Peruke One in this game."
            return DiscsSheet(self, self.peruke_values, 0.0, aim, basis)
        if aim == "win":
            return self._win_sheet(state, left)
        raise Unsolvable(f"Say how many points you play for: {aim} has a goal.")

    def _win_sheet(self, state: Any, left: int) -> DiscsSheet:
        """The chance of a Peruke One in the series."""
        made = any(self.chart.wins[self._any_of_score[score]] for score in state.past)
        later = 1.0 if made else 1.0 - (1.0 - self.peruke) ** left
        values = [later + (1.0 - later) * value for value in self.peruke_values]
        return DiscsSheet(self, values, 0.0, "win", "Exact chance of a Peruke One in the series.")

    # Answers --------------------------------------------------------------------------------

    def solve(self, question: Question, progress: Progress = no_progress) -> Solution:
        """The value of a game or a series."""
        self._watch = Stopwatch()
        value = self._value(question)
        seconds = self._watch.seconds()
        states = sum(len(one.discs) for one in self.chart.rounds)
        about = self.objectives[question.objective]
        if question.goal is not None:
            about = f"{about} ({question.goal})"
        return Solution(value, 0.0, states, seconds, about)

    def _value(self, question: Question) -> float:
        if question.objective == "points":
            return self.points
        if question.objective == "peruke":
            return self.peruke
        if question.objective == "win":
            return float(1.0 - (1.0 - self.peruke) ** self.game.options.games)
        if question.goal is None:
            raise Unsolvable("Say how many points, for instance --goal 12.")
        if question.objective == "at_least":
            return float(self._run(0, question.goal - 1)[0][0])
        return float(self._run(self.game.options.games - 1, question.goal)[0][0])
