"""The tables a server process has open, kept in step with the database.

The log in the database is the truth. Notices of what other processes add are hints that save time;
whatever becomes of them, every open table is compared with its log every few seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

from hotdice.server.clocks import Timepiece
from hotdice.server.live import Live
from hotdice.server.metrics import Metrics
from hotdice.storage import NoSuchTable, StorageError, Store, Stored
from hotdice.storage.listening import ANY_TABLE, end

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_COMPARED_EVERY = 2.0
"""Seconds between two comparisons of all open tables with the database."""
_LONG = 300
"""Entries from which on a log is not read between two commands of others."""

_log = logging.getLogger(__name__)


class Room:
    """Open tables, by id."""

    def __init__(
        self,
        store: Store,
        timepiece: Timepiece,
        metrics: Metrics,
        most: int,
        moved: Callable[[Live], None],
    ) -> None:
        """At most ``most`` tables and those followed; ``moved`` hears when others moved one."""
        self._store, self._timepiece, self._metrics = store, timepiece, metrics
        self._most, self._moved = most or sys.maxsize, moved
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._opening: dict[str, asyncio.Task[Live]] = {}
        self._hinted: dict[str, int] = {}
        self._compare = asyncio.Event()
        self._tasks: set[asyncio.Task[Any]] = set()

    def __iter__(self) -> Iterator[Live]:
        return iter(list(self._live.values()))

    def __len__(self) -> int:
        return len(self._live)

    def __contains__(self, table_id: object) -> bool:
        return table_id in self._live

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep in step for as long as it lasts."""
        async with self._store.listening(self.hint):
            self.spawn(self._keep_in_step())
            try:
                yield
            finally:
                for live in self:
                    self._quiet(live)
                    live.let_everybody_go()
                await end(*self._tasks)

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Have something done meanwhile; what goes wrong with it is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("something in the background went wrong", exc_info=error)

    # Opening and closing ----------------------------------------------------------------------

    async def open(self, table_id: str) -> Live:
        """A table; raises ``NoSuchTable``."""
        if not _ID.fullmatch(table_id):
            raise _no_such_table()
        live = self._live.get(table_id)
        if live is None:
            opening = self._opening.get(table_id)
            if opening is None:
                opening = self._opening[table_id] = asyncio.create_task(self._load(table_id))
                opening.add_done_callback(_retrieve)
            live = await asyncio.shield(opening)
        if table_id in self._live:
            self._live.move_to_end(table_id)
        return live

    async def _load(self, table_id: str) -> Live:
        try:
            live = await self._unfold(await self._store.load(table_id))
            self.keep(live)
            live.hinted = self._hinted.pop(table_id, 0)  # what was noticed meanwhile
        finally:
            del self._opening[table_id]
            self._hinted.pop(table_id, None)
        self._moved(live)
        self._catch_up_soon(live)
        return live

    async def _unfold(self, stored: Stored) -> Live:
        """A stored table, opened; a long log is read without stopping everybody else."""
        if len(stored.entries) < _LONG:
            return Live.of(stored, self._timepiece)
        return await asyncio.to_thread(Live.of, stored, self._timepiece)

    def keep(self, live: Live) -> None:
        """Have a table open; of the others the longest untouched are let go, if nobody follows."""
        self._live[live.id] = live
        for other in list(self._live.values())[: max(0, len(self._live) - self._most)]:
            if other is not live and not other.watchers and not other.lock.locked():
                self._quiet(other)
                del self._live[other.id]
        self._metrics.tables.set(len(self._live))

    def _quiet(self, live: Live) -> None:
        if live.alarm is not None:
            live.alarm.cancel()
        if live.driver is not None:
            live.driver.cancel()

    def _drop(self, live: Live) -> None:
        """Let a table go that the database does not know like this; everybody connects again."""
        _log.warning("a table is shorter in the database than it was; it is opened again")
        self._quiet(live)
        self._live.pop(live.id, None)
        live.let_everybody_go()

    # Keeping in step --------------------------------------------------------------------------

    def hint(self, table_id: str, length: int) -> None:
        """Somebody says that a table's log has this length."""
        if table_id == ANY_TABLE:
            self._compare.set()
        elif (live := self._live.get(table_id)) is not None:
            live.hinted = max(live.hinted, length)
            self._catch_up_soon(live)
        elif table_id in self._opening:
            self._hinted[table_id] = max(length, self._hinted.get(table_id, 0))

    def doubt(self, live: Live) -> None:
        """Nobody knows whether what was to be added has been: look soon."""
        self.hint(live.id, live.table.seq + 1)

    def _catch_up_soon(self, live: Live) -> None:
        if live.hinted > live.table.seq and (live.catching_up is None or live.catching_up.done()):
            live.catching_up = self.spawn(self._follow_hints(live))

    async def _follow_hints(self, live: Live) -> None:
        while live.hinted > live.table.seq:
            said = live.hinted
            try:
                async with live.lock:
                    if said > live.table.seq:  # what this process committed is there by now
                        await self.catch_up(live)
            except StorageError:  # it is compared again in a while
                live.hinted = 0
            except Exception:  # noqa: BLE001 - whatever it is, the other tables go on
                live.hinted = 0
                if live.unread != live.table.seq:
                    live.unread = live.table.seq
                    _log.exception("a table's log cannot be read here; it stays as it is")
            if live.hinted == said:  # it was wrong, or it is true now
                live.hinted = 0

    async def refresh(self, live: Live) -> None:
        """Add what others have committed; raises ``StorageError``."""
        async with live.lock:
            await self.catch_up(live)

    async def catch_up(self, live: Live) -> None:
        """Add what others have committed, holding the table's lock; raises ``StorageError``."""
        entries = await self._store.since(live.id, live.table.seq)
        if not entries:
            return
        if any(entry.kind == "join" for entry in entries):
            live.keys = await self._store.keys(live.id)
        self._metrics.caught_up.inc()
        for after in live.table.caught_up(entries):
            live.take(live.step(after))
        live.clock.hear(entries[-1].at)
        self._moved(live)

    async def _keep_in_step(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_COMPARED_EVERY):
                    await self._compare.wait()
            self._compare.clear()
            try:
                await self.compare()
            except StorageError as error:
                _log.warning("open tables could not be compared with the database: %s", error)
            except Exception:  # noqa: BLE001 - whatever it is, the next comparison comes
                _log.exception("open tables could not be compared with the database")

    async def compare(self) -> None:
        """Look whether all open tables are as long as their logs; raises ``StorageError``."""
        here = {live.id: live.table.seq for live in self}
        there = await self._store.lengths(list(here))
        for table_id, length in here.items():
            live = self._live.get(table_id)
            if live is None:
                continue
            if there.get(table_id, -1) < length:
                self._drop(live)
            else:
                self.hint(table_id, there[table_id])


def _no_such_table() -> NoSuchTable:
    return NoSuchTable("There is no such table; ask for its link again.")


def _retrieve(task: asyncio.Task[Live]) -> None:
    """Look at what went wrong: whoever waits for it hears of it, and perhaps nobody waits."""
    if not task.cancelled():
        task.exception()
