"""The process that solves a game: within resource limits, printing its progress."""

from __future__ import annotations

import sys

from hotdice.core.registry import load_game
from hotdice.server.bounds import end_with_parent, limit_process
from hotdice.solve.coach import prepare, ready

UNKEPT = 4
"""The exit code if the solution could not be saved."""
_WARNED = 5
"""Seconds between the signal that says why the process ends, and its end without one."""


def main(slug: str, options: str, players: str, memory: str, seconds: str) -> None:
    """Solve a game; prints a line for every per cent."""
    limit_process(int(memory), nice=10)
    _limit_time(int(seconds))
    end_with_parent()
    shown = -1

    def progress(done: float) -> None:
        nonlocal shown
        if int(100 * done) > shown:
            shown = int(100 * done)
            print(done, flush=True)  # noqa: T201 - the server reads it

    game = load_game(slug, options)
    try:
        if prepare(game, int(players), progress) and not ready(game, int(players)):
            sys.exit(UNKEPT)
    except MemoryError:
        sys.exit(3)


def _limit_time(seconds: int) -> None:
    """End the process after so many seconds of CPU time; 0 is no limit."""
    if not seconds or sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + _WARNED))


if __name__ == "__main__":
    main(*sys.argv[1:])
