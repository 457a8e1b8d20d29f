"""Two-player Rogue, against a state-by-state solution of the rules."""

from typing import Any

import pytest

from hotdice.games.rogue import Rogue
from hotdice.solve.solutions import no_progress
from hotdice.solvers.rogue import RogueSolver
from tests.solve.explicit import first_seat_wins

SMALL = (
    "pairs=1,1,1,1,1,1 triplets=1,1,1,1,1,2 quads=2,2,2,2,2,2 quints=2,2,2,2,2,2 "
    "six_numbers=3 six_critters=3 run=2"
)
_LEAD = 20
"""Leads are capped here; the remaining chances are negligible."""


def test_a_short_game_agrees_with_the_rules_state_by_state() -> None:
    game = Rogue.with_options(f"target=3 war_at=2 {SMALL}")
    target = game.options.target

    def same(state: Any) -> Any:
        """Merge dice aside by count and, once the target is reached, scores by lead."""
        kept = (1,) * state.lone + (2,) * (len(state.kept) - state.lone)
        scores = state.scores
        if max(scores) >= target:
            lead = max(-_LEAD, min(_LEAD, scores[0] - scores[1]))
            scores = (target + max(0, lead), target + max(0, -lead))
        return state._replace(kept=kept, scores=scores)

    table = RogueSolver(game).compute(no_progress)
    assert table.residual < 1e-9
    assert table.value(0, 0, first=True) == pytest.approx(
        first_seat_wins(game, same=same), abs=1e-6
    )


def test_the_second_of_a_round_is_better_off_and_a_lead_helps() -> None:
    table = RogueSolver(Rogue.with_options("target=60 war_at=54")).compute(no_progress)
    assert table.residual < 1e-9
    assert table.value(0, 0, first=True) < 0.5 < table.value(0, 0, first=False)
    assert table.value(45, 15, first=True) > table.value(15, 15, first=True)


def test_a_turn_has_few_positions() -> None:
    turn = RogueSolver(Rogue()).turn
    assert (len(turn.ends), len(turn.first) - 1) == (198, 165)
    assert max(points for _, points in turn.ends) == 2000
