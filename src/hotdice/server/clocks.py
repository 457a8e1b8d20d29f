"""Time as a server process sees it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class Timepiece(NamedTuple):
    """Two clocks.

    Attributes:
        wall: seconds since the epoch; somebody may set it, forwards or back.
        steady: seconds since some moment; nobody can set it.
    """

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


_RECENT = 5.0
"""Seconds since the last entry that are believed of the wall clock when a table is opened."""
_GRACE = 10.0
"""Seconds that somebody has after that in any case."""


class TableClock:
    """The time at one table: it goes on from the last entry by the steady clock.

    So a player's time does not move with the wall clock, and processes whose clocks differ agree on
    how long somebody has had.
    """

    def __init__(self, timepiece: Timepiece, last: float) -> None:
        """A clock for a table whose last entry was made at ``last``."""
        self._steady = timepiece.steady
        self._at = max(last, timepiece.wall())
        self._since = self._steady()
        self._doubted_until = self._since + (_GRACE if self._at - last > _RECENT else 0.0)

    def now(self) -> float:
        """The time, in seconds since the epoch; never before the last entry."""
        return self._at + self._steady() - self._since

    def grace(self) -> float:
        """Seconds in which nobody's time may run out: perhaps only the wall clock has jumped."""
        return max(0.0, self._doubted_until - self._steady())

    def hear(self, at: float) -> None:
        """Another process has made an entry just now, at this time by its own clock."""
        self._at, self._since = at, self._steady()
