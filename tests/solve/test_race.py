"""The race solver against plain value iteration."""

from __future__ import annotations

import numpy as np
import pytest

from hotdice.games.farkle import Farkle
from hotdice.games.rogue import Rogue
from hotdice.solve.race.program import write_program
from hotdice.solve.solutions import no_progress
from hotdice.solvers.farkle import FarkleSolver
from hotdice.solvers.rogue.turn import turn_graph
from tests.solve.naive_race import solve_naively


@pytest.mark.parametrize("options", ["target=20 entry=10", "target=20 entry=15 carry_over=off"])
def test_the_race_is_what_plain_sweeps_come_to(options: str) -> None:
    """Value iteration banks all totals above a level; the higher it is, the closer they agree."""
    game = Farkle.with_options(f"starts=seat {options}")
    table = FarkleSolver(game).compute(no_progress)
    reachable = [0, *range(-(-game.options.entry // 5), len(table.win))]
    apart = [
        np.abs(table.win - solve_naively(game, level))[np.ix_(reachable, reachable)].max()
        for level in (75, 125, 175)
    ]
    assert table.residual < 1e-9
    assert apart[2] < apart[1] / 2 < apart[0] / 4
    assert apart[2] < 1e-2


def test_values_are_chances_and_a_lead_helps() -> None:
    table = FarkleSolver(Farkle.with_options("target=150 entry=50")).compute(no_progress)
    assert table.residual < 1e-9
    assert table.value(0, 0) == pytest.approx(0.570983336029, abs=1e-9)
    assert table.value(140, 50) > table.value(50, 50) > table.value(50, 140)
    assert table.unit == 5


def test_a_turn_of_another_kind_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        write_program(turn_graph(Rogue()))
