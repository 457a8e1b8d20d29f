"""The devices at tables with verified dice: for whom a roll waits.

A roll waits for devices that are connected, at most ``PATIENCE`` seconds. A device that has not
answered in time is not waited for until it is heard from again.
"""

from __future__ import annotations

from collections.abc import Callable

from hotdice.server.live import Live
from hotdice.server.presence import Presence
from hotdice.table.dice_commands import DrawDice
from hotdice.table.drawing import Chain
from hotdice.table.log import Next, Table

PATIENCE = 2.0
"""Seconds that a roll waits for connected devices, and the first one for devices to take part."""
_QUIET = 30.0
"""Seconds for which a device at another process is not waited for after it has not answered."""


class Devices:
    """Knows for which devices the tables of a process wait."""

    def __init__(self, presence: Presence, steady: Callable[[], float]) -> None:
        self._presence, self._now = presence, steady

    def awaited(self, live: Live, table: Table) -> list[Chain]:
        """The chains whose links the roll that is asked for waits for."""
        return [chain for chain in _asked_of(table) if self._is_awaited(live, chain)]

    def _is_awaited(self, live: Live, chain: Chain) -> bool:
        here = [watcher for watcher in live.watchers if watcher.tip == chain.tip]
        if here:
            return not all(watcher.quiet for watcher in here)
        is_quiet = live.quiet.get(chain.number, 0.0) > self._now()
        return not is_quiet and self._is_elsewhere(live, chain)

    def _is_elsewhere(self, live: Live, chain: Chain) -> bool:
        return bool(self._presence.elsewhere(live) & set(chain.seats))

    def have_answered(self, live: Live) -> bool:
        """Whether every client has said which device it is, and all devices have answered."""
        return (
            bool(live.watchers)
            and all(watcher.tip or not watcher.seats for watcher in live.watchers)
            and not self.awaited(live, live.table)
        )

    def give_up(self, live: Live) -> None:
        """Wait no longer for any device."""
        for chain in self.awaited(live, live.table):
            live.quiet[chain.number] = self._now() + _QUIET
            for watcher in live.watchers:
                if watcher.tip == chain.tip:
                    watcher.quiet = True

    def completed(self, live: Live, after: Next, now: float) -> Next:
        """A change, and the rolls after it that wait for nobody."""
        while (drawing := after.table.drawing) and drawing.ask:
            if self.awaited(live, after.table):
                break
            tips = {watcher.tip for watcher in live.watchers}
            silent = [
                chain.number
                for chain in _asked_of(after.table)
                if chain.tip in tips or self._is_elsewhere(live, chain)
            ]
            more = DrawDice(drawing.ask.number, silent).on(after.table, now)
            after = Next([*after.entries, *more.entries], more.table)
        return after


def _asked_of(table: Table) -> list[Chain]:
    return table.drawing.asked_of() if table.drawing else []
