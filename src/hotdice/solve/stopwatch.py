"""How long solving takes, compiling kernels apart.

A kernel is compiled, or loaded, when it is first called; solvers call theirs with nothing to do
while the watch stands still.
"""

from __future__ import annotations

import time


class Stopwatch:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._paused = 0.0

    def pause(self) -> None:
        """Stand still."""
        self._paused = time.perf_counter()

    def go_on(self) -> None:
        """Run again."""
        self._began += time.perf_counter() - self._paused

    def seconds(self) -> float:
        """How long it has run."""
        return time.perf_counter() - self._began
