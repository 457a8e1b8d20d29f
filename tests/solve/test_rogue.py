"""Two-player Rogue; its values are compared with exact bounds in test_exact.py."""

from hotdice.games.rogue import Rogue
from hotdice.solve.solutions import no_progress
from hotdice.solvers.rogue import RogueSolver


def test_the_second_of_a_round_is_better_off_and_a_lead_helps() -> None:
    table = RogueSolver(Rogue.with_options("target=60 war_at=54")).compute(no_progress)
    assert table.residual < 1e-9
    assert table.value(0, 0, first=True) < 0.5 < table.value(0, 0, first=False)
    assert table.value(45, 15, first=True) > table.value(15, 15, first=True)


def test_a_turn_has_few_positions() -> None:
    turn = RogueSolver(Rogue()).turn
    assert (len(turn.ends), len(turn.first) - 1) == (198, 165)
    assert max(points for _, points in turn.ends) == 2000
