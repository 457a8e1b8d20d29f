"""Solves Peruke One: points, chances, and the series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np

from hotdice.core.caching import WeightedCache
from hotdice.games.peruke_one import PerukeOne, PerukeOneOptions, PerukeOneState
from hotdice.solve.arrays import Floats, weigh
from hotdice.solve.sheet import Odds, Sheet
from hotdice.solve.solutions import Progress
from hotdice.solve.solver import Answer, Question, Solver, Unsolvable
from hotdice.solve.stopwatch import Stopwatch
from hotdice.solvers.peruke_one.chart import (
    Chart,
    after_rolls,
    compile_game,
    number_of,
    run_game,
)

_charts: WeightedCache[Chart] = WeightedCache(32_000_000)
"""Compiled games, limited by their total size in bytes."""


class PerukeOneSheet(Sheet[PerukeOneState]):
    """The values of one game: of every position before each round, and of its ends."""

    def __init__(
        self, solver: PerukeOneSolver, values: list[Floats], more: float, aim: str, basis: str
    ) -> None:
        super().__init__(1)
        self.objective, self.basis = aim, basis
        self._solver, self._values, self._more = solver, values, more
        self.start = more + float(values[0][0])

    def going(self, state: PerukeOneState) -> float:
        """The value before the roll of a round."""
        return self._more + float(self._values[state.round - 1][number_of(state.discs)])

    def variance(self, state: PerukeOneState) -> float | None:
        """From the values after every class of rolls."""
        now = self._solver.chart.rounds[state.round - 1]
        place = int(np.flatnonzero(now.discs == number_of(state.discs))[0])
        later, ends = self._values[state.round], self._values[-1]
        after = after_rolls(now, later, ends, slice(place, place + 1))[0]
        mean = self._values[state.round - 1][number_of(state.discs)]
        return float(now.chance @ (after - mean) ** 2)

    def ending(self, before: PerukeOneState, after: PerukeOneState) -> float:
        """The value after a round."""
        if len(after.past) == len(before.past):
            return self.going(after)
        score = after.past[-1]
        return self._more + self._solver.end_value(self._values[-1], score)

    def odds_after(self, before: PerukeOneState, after: PerukeOneState) -> tuple[Odds, ...]:
        """The chance of a Peruke One in this game, unless it is over."""
        if len(after.past) > len(before.past):
            return ()
        chance = float(self._solver.peruke_values[after.round - 1][number_of(after.discs)])
        return (Odds("Peruke One", chance),)


class PerukeOneSolver(Solver[PerukeOneState, PerukeOneOptions]):
    """Solves Peruke One."""

    objectives: Mapping[str, str] = {
        "points": "expected points of one game",
        "peruke": "chance of a Peruke One in one game",
        "at_least": "chance of at least so many points in one game",
        "series": "chance of a series that beats a total",
        "win": "chance of a Peruke One in the series",
    }

    aim: str = "points"
    goals: ClassVar[tuple[str, ...]] = ("at_least", "series")
    game: PerukeOne

    def __init__(self, game: PerukeOne) -> None:
        super().__init__(game)
        self._watch = Stopwatch()
        self._series_ends = lru_cache(maxsize=64)(self._ends_of_series)
        self._run = lru_cache(maxsize=256)(self._new_run)

    @cached_property
    def chart(self) -> Chart:
        """One compiled game, shared by series of any length."""
        key = type(self.game), replace(self.game.options, games=1)
        return _charts.obtain(key, lambda: compile_game(self.game), weigh)

    @cached_property
    def _any_of_score(self) -> dict[int, int]:
        """A position with each score."""
        return {int(score): at for at, score in enumerate(self.chart.scores)}

    def end_value(self, ends: Floats, score: int) -> float:
        """The value of the end of a game with a score."""
        return float(ends[self._any_of_score[score]])

    @cached_property
    def peruke_values(self) -> list[Floats]:
        """The best chance of a Peruke One, by position before each round."""
        return run_game(self.chart, self.chart.wins)

    @cached_property
    def points_values(self) -> list[Floats]:
        """The best expected points, by position before each round."""
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
        """The values of a game when it and ``games`` more must make over ``missing`` points."""
        return run_game(self.chart, self._series_ends(games, missing))

    def _ends_of_series(self, games: int, missing: int) -> Floats:
        """The value of each end of a game, with ``games`` more to come and ``missing`` points."""
        chance = self._beating(games)
        left = missing - self.chart.scores
        middle = len(chance) // 2
        return np.asarray(chance[np.clip(left + middle, 0, len(chance) - 1)])

    @cached_property
    def _beaten(self) -> list[Floats]:
        most = int(np.abs(self.chart.scores).max())
        return [np.concatenate([np.ones(most + 2), np.zeros(most + 3)])]

    def _beating(self, games: int) -> Floats:
        """The best chance that ``games`` games make more than the missing points, by those points.

        The middle of the array is for 0 missing points; at its ends the result is certain.
        """
        while len(self._beaten) <= games:
            self._beaten.append(self._one_more(self._beaten[-1]))
        return self._beaten[games]

    def _one_more(self, chance: Floats) -> Floats:
        self._watch.pause()
        from hotdice.solvers.peruke_one.kernels import run_lanes  # noqa: PLC0415 - loads the compiler

        run_lanes(self.chart, np.zeros((len(self.chart.scores), 0)))
        self._watch.resume()
        most = int(np.abs(self.chart.scores).max())
        middle = len(chance) // 2
        half = middle + most
        missing = np.arange(-half, half + 1)
        left = missing[None, :] - self.chart.scores[:, None]
        ends = chance[np.clip(left + middle, 0, len(chance) - 1)]
        return run_lanes(self.chart, ends)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: PerukeOneState, objective: str) -> PerukeOneSheet:
        """The values of the current game; an objective's goal follows a colon: ``series:70``."""
        aim, _, goal = objective.partition(":")
        left = self.game.options.games - len(state.past) - (state.phase != "over")
        if aim == "points":
            more = sum(state.past) + left * self.points
            return PerukeOneSheet(self, self.points_values, more, aim, "Exact expected total.")
        if aim == "series" and goal:
            values = self._run(left, int(goal) - sum(state.past))
            basis = f"Exact chance that the series beats {goal}."
            return PerukeOneSheet(self, values, 0.0, aim, basis)
        if aim == "at_least" and goal:
            basis = f"Exact chance that this game makes at least {goal}."
            return PerukeOneSheet(self, self._run(0, int(goal) - 1), 0.0, aim, basis)
        if aim == "peruke":
            basis = "Exact chance of a Peruke One in this game."
            return PerukeOneSheet(self, self.peruke_values, 0.0, aim, basis)
        if aim == "win":
            return self._win_sheet(state, left)
        raise Unsolvable(f"The objective '{aim}' needs a goal in points.")

    def _win_sheet(self, state: PerukeOneState, left: int) -> PerukeOneSheet:
        """The chance of a Peruke One in the series."""
        made = any(self.chart.wins[self._any_of_score[score]] for score in state.past)
        later = 1.0 if made else 1.0 - (1.0 - self.peruke) ** left
        values = [later + (1.0 - later) * value for value in self.peruke_values]
        return PerukeOneSheet(
            self, values, 0.0, "win", "Exact chance of a Peruke One in the series."
        )

    # Answers --------------------------------------------------------------------------------

    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The value of a game or series."""
        self._watch = Stopwatch()
        value = self._value(question)
        seconds = self._watch.seconds()
        states = sum(len(one.discs) for one in self.chart.rounds)
        if question.goal is not None:
            about = f"{about} ({question.goal})"
        return Answer(value, 0.0, states, seconds, about)

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
