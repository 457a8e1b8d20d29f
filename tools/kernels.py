"""JIT compiles every kernel once, so that later processes load them from Numba's cache."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from hotdice.core.registry import game_names, load_game
from hotdice.solve.coach import prepare
from hotdice.solve.enumeration import enumerate_game
from hotdice.solve.finding import find_solver
from hotdice.solve.solver import Question

_SHORT = {
    "cockroach": "target=6",
    "farkle": "target=20 entry=10",
    "go500": (
        "'course=name: short; segment: a = 30' rerolls=1 "
        "'dice=name: small; black: 0 (10); green: flat (20); flag: green yellow red black;"
        " yellow: -5 lights; red: -25 crash x'"
    ),
    "peruke": "games=1",
    "rogue": "target=40 war_at=20",
}
"""Options for games that are solved quickly, with the same kernels as full ones."""


def main() -> None:
    """Solve a short version of every game, and one by enumeration."""
    with TemporaryDirectory() as cache:
        os.environ["HOTDICE_CACHE"] = cache
        for name in game_names():
            game = load_game(name, _SHORT.get(name, ""))
            if not prepare(game, 2):  # played alone
                find_solver(game).solve(Question("points"))
        enumerate_game(load_game("cockroach", "target=1 shortest=5 starts=seat"), 2)


if __name__ == "__main__":
    main()
