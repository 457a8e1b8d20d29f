"""The clocks of a server process and of its tables."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple


class Timepiece(NamedTuple):
    """The two clocks of a process.

    Attributes:
        wall: seconds since the epoch; may be set forwards or back.
        steady: monotonic seconds.
    """

    wall: Callable[[], float] = time.time
    steady: Callable[[], float] = time.monotonic


_MOST_DOUBTED = 600.0
"""Seconds that this process measures itself before a longer time is over for somebody."""


class TableClock:
    """The time at one table: it continues from the last entry by the monotonic clock.

    So changes of the wall clock do not affect a player's time, and processes whose clocks differ
    agree on how much of it is used. What passed before this process opened the table is known only
    from its wall clock, so nobody's time is over before this process has measured it.
    """

    def __init__(self, timepiece: Timepiece, last: float) -> None:
        """A clock for a table whose last entry was made at ``last``."""
        self._steady = timepiece.steady
        self._at = max(last, timepiece.wall())
        self._since = self._steady()

    def now(self) -> float:
        """The time in seconds since the epoch; never before the last entry."""
        return self._at + self._steady() - self._since

    def left(self, since: float, allowed: float) -> float:
        """Seconds until what is allowed since a time is over for certain; negative afterwards."""
        now = self.now()
        measured = now - max(since, self._at)
        return max(since + allowed - now, min(allowed, _MOST_DOUBTED) - measured)

    def judged(self, since: float | None, allowed: float) -> float:
        """The time by which to judge whether what is allowed since a time is over."""
        if since is None or (left := self.left(since, allowed)) <= 0:
            return self.now()
        return since + allowed - left

    def sync(self, at: float) -> None:
        """Set the time to that of an entry that another process has just made."""
        self._at, self._since = at, self._steady()
