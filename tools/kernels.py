"""JIT compiles every kernel once, so that later processes load them from Numba's cache."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from hotdice.core.registry import game_names, load_game
from hotdice.solve.coach import prepare

_SHORT = {
    "cockroach": "target=6",
    "farkle": "target=20 entry=10",
    "go500": (
        "'course=name: short; segment: a = 30' rerolls=1 "
        "'dice=name: small; black: 0 (10); green: flat (20); flag: green yellow red black;"
        " yellow: -5 lights; red: -25 crash x'"
    ),
    "rogue": "target=40 war_at=20",
}
"""Options for games that are solved quickly, with the same kernels as full ones."""


def main() -> None:
    """Solve a short version of every game."""
    with TemporaryDirectory() as cache:
        os.environ["HOTDICE_CACHE"] = cache
        for name in game_names():
            prepare(load_game(name, _SHORT.get(name, "")), 2)


if __name__ == "__main__":
    main()
