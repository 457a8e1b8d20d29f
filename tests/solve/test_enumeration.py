"""Solving by enumeration, against special solvers and known values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hotdice.core.game import AnyGame
from hotdice.games.cockroach import Cockroach
from hotdice.games.farkle import Farkle
from hotdice.games.peruke_one import PerukeOne
from hotdice.solve.coach import advise, all_values, ready
from hotdice.solve.enumerated import EnumeratedSolver
from hotdice.solve.enumeration import (
    CHANCE,
    END,
    FIRST,
    Enumerator,
    Nodes,
    enumerate_game,
)
from hotdice.solve.enumeration_kernels import solve_nodes
from hotdice.solve.solutions import Cancelled, no_progress
from hotdice.solve.solver import AnySolver, Question, Unsolvable
from hotdice.solvers.cockroach import CockroachSolver
from hotdice.solvers.farkle import FarkleSolver
from hotdice.solvers.peruke_one import PerukeOneSolver
from tests.solve.merging import SIXES, merge_farkle
from tests.toy import Pig, Piglet
from tests.toy.solver import PigSolver


def value(game: AnyGame, objective: str = "win") -> float:
    answer = EnumeratedSolver(game).solve(Question(objective))
    assert answer.residual < 1e-12
    return answer.value


def test_piglet_to_two_is_four_sevenths() -> None:
    assert value(Piglet.with_options("target=2")) == pytest.approx(Fraction(4, 7), abs=1e-14)


def test_pig_is_what_the_solver_of_races_says() -> None:
    """Two independent methods; enumeration knows nothing of races."""
    game = Pig.with_options("target=30")
    solved = PigSolver(game).compute(no_progress)
    assert value(game) == pytest.approx(solved.value(0, 0), abs=1e-10)


def test_pig_to_a_hundred() -> None:
    """The value known from the literature."""
    solved = PigSolver(Pig.with_options("target=100")).compute(no_progress)
    assert solved.residual < 1e-9
    assert solved.value(0, 0) == pytest.approx(0.5305927, abs=5e-8)


@pytest.mark.parametrize(
    "game, solver",
    [
        (Cockroach.with_options("target=3 starts=seat"), CockroachSolver),
        (Cockroach.with_options("target=3 starts=seat extra_die=on any_start=on"), CockroachSolver),
    ],
)
def test_it_agrees_with_the_solver_of_the_game(game: Any, solver: Any) -> None:
    mine: AnySolver = solver(game)
    assert value(game) == pytest.approx(mine.solve(Question("win")).value, abs=1e-9)


def test_a_short_farkle_is_what_its_solver_says() -> None:
    """Totals are unbounded, but optimal play never reaches one above the cut."""
    options = f"starts=seat {SIXES} three_pairs=6 target=6 entry=0 carry_over=off"
    game = Farkle.with_options(options)
    found = enumerate_game(game, 2, same=merge_farkle(game, 144))
    solved = FarkleSolver(game).compute(no_progress)
    assert found.win[found.find(game.start(2))] == pytest.approx(solved.value(0, 0), abs=1e-12)


def test_one_player_is_solved_for_points_and_for_winning() -> None:
    game = PerukeOne.with_options("games=1 uses=1")
    mine = PerukeOneSolver(game)
    assert value(game, "points") == pytest.approx(mine.points, abs=1e-10)
    assert value(game, "win") == pytest.approx(mine.peruke, abs=1e-12)


def test_coach_and_bots_call_it_exact_once_it_is_solved(toy: str) -> None:
    game = Pig.with_options("target=12")
    assert not ready(game, 2)
    state = game.read_state("scores=3,7 phase=choose total=4 tray=4")
    assert not advise(game, state).exact
    values = all_values(game, state, "win")
    assert ready(game, 2)
    advice = advise(game, state)
    assert advice.exact
    assert advice.objective == "win"
    assert {one.choice: one.value for one in advice.counsels} == values
    for three in (game.start(3), game.read_state("scores=3,7,1 phase=choose total=4 tray=4")):
        assert ready(game, 3)
        if game.choices(three):
            assert not advise(game, three).exact


def test_values_are_those_of_whoever_acts() -> None:
    """One step of lookahead by the rules, from both seats."""
    game = Pig.with_options("target=9")
    solver = EnumeratedSolver(game)
    solver.prepare(2)
    for text in ("scores=3,5 seat=0 total=2", "scores=5,3 seat=1 total=2"):
        state = game.read_state(text)
        sheet = solver.sheet(state, "win")
        assert sheet is not None
        ahead = sum(
            float(chance) * sheet.ending(state, game.apply(state, roll))
            for roll, chance in game.rolls(state)
        )
        assert sheet.going(state) == pytest.approx(ahead, abs=1e-12)


def test_what_is_too_large_says_so() -> None:
    with pytest.raises(Unsolvable, match="more than 1,000 states"):
        enumerate_game(Pig.with_options("target=30"), 2, most=1000)


def test_it_can_be_stopped() -> None:
    def stop(_done: float) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        enumerate_game(Pig.with_options("target=40"), 2, stop)


def test_a_game_that_a_player_can_keep_from_ending() -> None:
    """A seat that would lose by stopping rolls for ever instead, so there is no value."""
    nodes = Nodes(
        np.array([FIRST, CHANCE, END]),
        np.array([0, 2, 3, 3]),
        np.array([1, 2, 0]),
        np.array([1.0, 1.0, 1.0]),
        np.zeros(3),
        np.zeros(3),
    )
    *_, endless = solve_nodes(nodes, np.array([0]), nodes.win)
    assert endless


def test_equal_decisions_are_one_node() -> None:
    """Decisions are merged by where their choices lead, whatever the dice."""
    found: Enumerator[Any] = Enumerator(Pig.with_options("target=10"), 2)
    nodes = found.run()
    assert (nodes.kind == CHANCE).sum() == len(found.number)
    decisions = (nodes.kind != CHANCE).sum() - (nodes.kind == END).sum()
    assert decisions <= len(found.number)
