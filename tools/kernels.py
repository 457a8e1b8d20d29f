"""Compiles every kernel once, while something else runs; later processes find them on the disk."""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory

from hotdice.core.registry import game_names, load_game
from hotdice.solve.coach import prepare

_SHORT = {
    "cockroach": "target=6",
    "farkle": "target=20 entry=10",
    "go500": "course=streets rerolls=1",
    "rogue": "target=40 war_at=20",
}
"""Games that are solved in a moment, by the same kernels as long ones."""


def main() -> None:
    """Solve a short version of every game."""
    with TemporaryDirectory() as cache:
        os.environ["HOTDICE_CACHE"] = cache
        for name in game_names():
            prepare(load_game(name, _SHORT.get(name, "")), 2)


if __name__ == "__main__":
    main()
