"""The Rogue solver against plain value iteration."""

from __future__ import annotations

import numpy as np
import pytest

from hotdice.games.rogue import Rogue
from hotdice.solve.solutions import no_progress
from hotdice.solvers.rogue import RogueSolver
from tests.solve.naive_rounds import solve_rounds_naively

TENTH = (
    "pairs=1,1,1,1,1,2 triplets=2,3,4,5,6,8 quads=10,15,20,25,30,35 quints=50,60,70,80,90,100 "
    "six_numbers=130 six_critters=150 run=25"
)
"""The chart with a tenth of the points."""


@pytest.mark.parametrize("options", ["target=12 war_at=8", "target=6 war_at=6"])
def test_the_solver_agrees_with_value_iteration(options: str) -> None:
    """Value iteration caps leads; the higher the cap, the closer they agree."""
    game = Rogue.with_options(f"{TENTH} {options}")
    table = RogueSolver(game).compute(no_progress)
    size = game.options.target
    solved = np.array(
        [
            [[table.value(own, other, first=first) for other in range(size)] for own in range(size)]
            for first in (True, False)
        ]
    )
    near, far = (np.abs(solve_rounds_naively(game, level) - solved).max() for level in (40, 400))
    assert far < 1e-10
    assert near > far
