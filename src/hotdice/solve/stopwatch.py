"""Measures solving time without JIT compilation.

A kernel is compiled, or loaded from Numba's cache, on its first call; solvers make that call with
empty input while the stopwatch is paused.
"""

from __future__ import annotations

import time


class Stopwatch:
    """A stopwatch that starts when it is created."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._paused = 0.0

    def pause(self) -> None:
        """Pause."""
        self._paused = time.perf_counter()

    def resume(self) -> None:
        """Resume after a pause."""
        self._began += time.perf_counter() - self._paused

    def seconds(self) -> float:
        """The elapsed time, without pauses."""
        return time.perf_counter() - self._began
