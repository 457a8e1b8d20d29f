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


_RECENT = 5.0
"""Seconds since the last entry up to which the wall clock is trusted when a table is opened."""
_GRACE = 10.0
"""Extra seconds for the player on the clock when the wall clock is not trusted."""


class TableClock:
    """The time at one table: it continues from the last entry by the monotonic clock.

    So changes of the wall clock do not affect a player's time, and processes whose clocks differ
    agree on how much of it is used.
    """

    def __init__(self, timepiece: Timepiece, last: float) -> None:
        """A clock for a table whose last entry was made at ``last``."""
        self._steady = timepiece.steady
        self._at = max(last, timepiece.wall())
        self._since = self._steady()
        self._doubted_until = self._since + (_GRACE if self._at - last > _RECENT else 0.0)

    def now(self) -> float:
        """The time in seconds since the epoch; never before the last entry."""
        return self._at + self._steady() - self._since

    def grace(self) -> float:
        """Seconds before anybody's time may run out, in case the wall clock has jumped."""
        return max(0.0, self._doubted_until - self._steady())

    def sync(self, at: float) -> None:
        """Set the time to that of an entry that another process has just made."""
        self._at, self._since = at, self._steady()
