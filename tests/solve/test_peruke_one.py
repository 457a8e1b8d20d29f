"""The Peruke One solver against exhaustive search of the rules in exact fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hotdice.core.due import Over
from hotdice.core.game import AnyGame
from hotdice.games.peruke_one import PerukeOne
from hotdice.solve.solver import Question, Unsolvable
from hotdice.solvers.peruke_one import PerukeOneSolver
from hotdice.solvers.peruke_one.chart import number_of, run_game
from tests.solve.lookahead import best_value


def final_score(game: AnyGame, state: Any) -> Fraction | None:
    due = game.due(state)
    return Fraction(due.result.scores[0]) if isinstance(due, Over) else None


def final_peruke(game: AnyGame, state: Any) -> Fraction | None:
    due = game.due(state)
    return Fraction(bool(due.result.winners)) if isinstance(due, Over) else None


def some_discs(rng: random.Random, number: int, uses: int) -> tuple[int, ...]:
    """Random discs that are possible before a round."""
    discs = [0] * 6
    for _ in range(rng.randint(0, uses * (number - 1))):
        at = rng.randrange(6)
        discs[at] = min(2, discs[at] + 1)
    return tuple(discs)


@pytest.mark.parametrize("options", ["games=1", "games=1 red_combines=off", "games=1 uses=3"])
def test_late_rounds_agree_with_the_rules(options: str) -> None:
    game = PerukeOne.with_options(options)
    solver = PerukeOneSolver(game)
    rng = random.Random(options)
    points: dict[Any, Fraction] = {}
    perukes: dict[Any, Fraction] = {}
    for number in (6, 6, 6, 5, 5, 5, 5, 4, 4):
        discs = some_discs(rng, number, game.options.uses)
        state = game.start(1)._replace(discs=discs, round=number)
        sheet = solver.sheet(state, "points")
        exact = best_value(game, state, lambda s: final_score(game, s), points)
        assert sheet.going(state) == pytest.approx(float(exact), abs=1e-12)
        exact = best_value(game, state, lambda s: final_peruke(game, s), perukes)
        solved = solver.peruke_values[number - 1][number_of(discs)]
        assert solved == pytest.approx(float(exact), abs=1e-12)


def value(solver: PerukeOneSolver, objective: str, goal: int | None = None) -> float:
    return solver.solve(Question(objective, goal=goal)).value


def test_the_objectives_are_consistent() -> None:
    solver = PerukeOneSolver(PerukeOne())
    single = PerukeOneSolver(PerukeOne.with_options("games=1"))
    peruke = value(solver, "peruke")
    assert value(solver, "at_least", 20) == pytest.approx(peruke)
    assert value(solver, "at_least", -21) == pytest.approx(1)
    assert value(solver, "at_least", 21) == 0
    assert value(solver, "win") == pytest.approx(1 - (1 - peruke) ** 5)
    assert value(single, "series", 14) == pytest.approx(value(solver, "at_least", 15))
    chances = [value(solver, "series", goal) for goal in range(40, 101, 5)]
    assert chances == sorted(chances, reverse=True)
    assert value(solver, "series", 100) == 0
    assert value(solver, "series", 99) == pytest.approx(peruke**5)


def test_a_series_of_two_agrees_with_its_single_games() -> None:
    """To beat a total with two games, the second needs what is missing after the first."""
    solver = PerukeOneSolver(PerukeOne.with_options("games=2"))
    ends = [value(solver, "at_least", 31 - score) for score in range(-21, 22)]
    first = run_game(solver.chart, np.array(ends)[solver.chart.scores + 21])
    assert value(solver, "series", 30) == pytest.approx(float(first[0][0]), abs=1e-12)


def test_values_of_the_full_game() -> None:
    """Golden values: they may only change with the rules."""
    solver = PerukeOneSolver(PerukeOne())
    assert value(solver, "points") == pytest.approx(14.6979320082, abs=1e-9)
    assert value(solver, "peruke") == pytest.approx(0.0225198758, abs=1e-9)


def test_a_series_needs_a_goal() -> None:
    with pytest.raises(Unsolvable, match="Say how many points"):
        value(PerukeOneSolver(PerukeOne()), "series")
