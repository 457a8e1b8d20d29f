"""Works out the tables of a game in a process of its own and prints how far it is."""

from __future__ import annotations

import os
import sys

from hotdice.core.registry import load_game
from hotdice.solve.coach import prepare


def main(slug: str, options: str, players: str) -> None:
    """Solve, with a line for every hundredth that is done; others come first."""
    os.nice(10)
    shown = -1

    def progress(done: float) -> None:
        nonlocal shown
        if int(100 * done) > shown:
            shown = int(100 * done)
            print(done, flush=True)  # noqa: T201 - that is what it is for

    prepare(load_game(slug, options), int(players), progress)


if __name__ == "__main__":
    main(*sys.argv[1:])
