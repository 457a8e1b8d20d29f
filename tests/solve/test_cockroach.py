"""Cockroach in all its rule sets, against a state-by-state solution of the rules."""

from itertools import product

import pytest

from hotdice.games.cockroach import Cockroach
from hotdice.games.farkle import Farkle
from hotdice.solve.solutions import no_progress
from hotdice.solve.solver import Question
from hotdice.solvers.cockroach import CockroachSolver
from hotdice.solvers.cockroach.turn import lay_out
from hotdice.solvers.farkle import FarkleRace
from tests.solve.explicit import first_seat_wins

RULE_SETS = [
    f"any_start={a} extra_die={e} duplicates={d}" for a, e, d in product(("off", "on"), repeat=3)
]


# Half of them, in which any two rules meet in all combinations.
@pytest.mark.parametrize("rules", [one for one in RULE_SETS if one.count("=on") % 2 == 0])
def test_a_short_game_agrees_with_the_rules_state_by_state(rules: str) -> None:
    game = Cockroach.with_options(f"starts=seat target=2 {rules}")
    table = CockroachSolver(game).compute(no_progress)
    assert table.residual < 1e-9
    assert table.value(0, 0) == pytest.approx(first_seat_wins(game), abs=1e-9)


def test_a_longer_game_agrees_with_the_rules_state_by_state() -> None:
    game = Cockroach.with_options("starts=seat target=3 extra_die=on")
    solution = CockroachSolver(game).compute(no_progress)
    assert solution.value(0, 0) == pytest.approx(first_seat_wins(game), abs=1e-9)


@pytest.mark.parametrize(
    "rules, points, win",
    [
        (RULE_SETS[0], 3.118511, 0.6000618415),
        (RULE_SETS[7], 4.926447, 0.5678862580),
    ],
)
def test_values_of_the_full_game(rules: str, points: float, win: float) -> None:
    """Golden values: they may only change with the rules."""
    game = Cockroach.with_options(rules)
    assert CockroachSolver(game).solve(Question("points")).value == pytest.approx(points, abs=1e-6)
    assert CockroachSolver(game).compute(no_progress).value(0, 0) == pytest.approx(win, abs=1e-9)


def test_a_turn_with_points_at_stake_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        lay_out(FarkleRace(Farkle()).turn())
