"""The open tables of a server process, kept in sync with the database.

The log in the database is the truth. Notices about entries of other processes only save time: even
if all are lost, the length of every open table is compared with its log every few seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

from hotdice.server.clocks import Timepiece
from hotdice.server.limits import Limits
from hotdice.server.live import Live
from hotdice.server.messages import Trouble
from hotdice.server.metrics import Metrics
from hotdice.storage import NoSuchTable, StorageError, Store, Stored
from hotdice.storage.listening import ANY_TABLE, Hear, end
from hotdice.table.entries import Kind
from hotdice.table.log import Refused

_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_COMPARED_EVERY = 2.0
"""Seconds between comparisons of all open tables with the database."""
_LONG = 300
"""Logs of at least this many entries are folded in a thread, not in the event loop."""
_UNREAD = (
    "This server cannot read the latest moves of this table; it may be older than the one that "
    "wrote them. Try again in a few minutes."
)
_BACK = "The database has gone back to an earlier state of this table; connect again."

_log = logging.getLogger(__name__)


class Dropped(Refused):
    """The database no longer has the log that this process knows; the table is opened anew."""


class Unread(Refused):
    """This process cannot read what the database has, which a newer version may have written."""


class Room:
    """The open tables, by id."""

    def __init__(
        self,
        store: Store,
        timepiece: Timepiece,
        metrics: Metrics,
        limits: Limits,
        moved: Callable[[Live], None],
    ) -> None:
        """Keep as many tables as the limits allow, and all that clients follow.

        ``moved`` is called when a table is opened or another process has changed it.
        """
        self._store, self._timepiece, self._metrics = store, timepiece, metrics
        self._most = limits.open_tables or sys.maxsize
        self._most_entries = limits.open_entries or sys.maxsize
        self._moved = moved
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._opening: dict[str, asyncio.Task[Live]] = {}
        self._hinted: dict[str, int] = {}
        self._compare = asyncio.Event()
        self._tasks: set[asyncio.Task[object]] = set()

    def __iter__(self) -> Iterator[Live]:
        return iter(list(self._live.values()))

    def __len__(self) -> int:
        return len(self._live)

    def __contains__(self, table_id: object) -> bool:
        return table_id in self._live

    @contextlib.asynccontextmanager
    async def running(self, hear: Hear) -> AsyncIterator[None]:
        """Keep in sync while the context is open; ``hear`` gets what other processes announce."""
        async with self._store.listening(self.hint, hear):
            self.spawn(self._keep_in_sync())
            try:
                yield
            finally:
                for live in self:
                    self._stop_playing(live)
                    live.disconnect_all()
                await end(*self._tasks)

    def spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Start a background task; its errors are logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a background task failed", exc_info=error)

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

    async def current(self, table_id: str) -> Live:
        """A table with everything that other processes have committed; raises ``NoSuchTable``."""
        live = await self.open(table_id)
        if self._store.is_postgres:
            try:
                await self.refresh(live)
            except Dropped:
                return await self.open(table_id)
            except Unread:
                return live  # as it was before, with the reason
        return live

    async def _load(self, table_id: str) -> Live:
        try:
            live = await self._unfold(await self._store.load(table_id))
            self.keep(live)
            live.hinted = self._hinted.pop(table_id, 0)  # notices that came meanwhile
        finally:
            del self._opening[table_id]
            self._hinted.pop(table_id, None)
        self._moved(live)
        self._catch_up_soon(live)
        return live

    async def _unfold(self, stored: Stored) -> Live:
        """An open table from its stored form; a long log is folded in a thread."""
        if len(stored.entries) < _LONG:
            return Live.of(stored, self._timepiece)
        return await asyncio.to_thread(Live.of, stored, self._timepiece)

    def keep(self, live: Live) -> None:
        """Add an open table, and close others if there are too many."""
        self._live[live.id] = live
        self._trim(live)

    def _trim(self, kept: Live | None = None) -> None:
        """Close the least recently used tables that no client follows: too many, or too long."""
        unused = [live for live in self._live.values() if not live.watchers and live is not kept]
        entries = sum(live.table.seq for live in unused)
        for live in unused:
            if len(self._live) <= self._most and entries <= self._most_entries:
                break
            if not live.lock.locked():
                entries -= live.table.seq
                self._stop_playing(live)
                del self._live[live.id]
        self._metrics.tables.set(len(self._live))

    def _stop_playing(self, live: Live) -> None:
        for alarm in (live.alarm, live.dice_alarm):
            if alarm is not None:
                alarm.cancel()
        if live.driver is not None:
            live.driver.cancel()

    def _drop(self, live: Live) -> None:
        """Close a table whose log in the database is another one; clients connect again."""
        if self._live.get(live.id) is live:
            _log.warning("the log of a table has changed in the database; reopening the table")
            del self._live[live.id]
        live.closed = _BACK
        self._stop_playing(live)
        live.disconnect_all()

    # Keeping in sync --------------------------------------------------------------------------

    def hint(self, table_id: str, length: int) -> None:
        """Take a notice that the log of a table has this length; it may be wrong."""
        if table_id == ANY_TABLE:
            self._compare.set()
        elif (live := self._live.get(table_id)) is not None:
            live.hinted = max(live.hinted, length)
            self._catch_up_soon(live)
        elif table_id in self._opening:
            self._hinted[table_id] = max(length, self._hinted.get(table_id, 0))

    def check_soon(self, live: Live) -> None:
        """Compare a table with the database soon: the outcome of a commit is unknown."""
        self.hint(live.id, live.table.seq + 1)

    def _catch_up_soon(self, live: Live) -> None:
        if live.hinted > live.table.seq and (live.catching_up is None or live.catching_up.done()):
            live.catching_up = self.spawn(self._follow_hints(live))

    async def _follow_hints(self, live: Live) -> None:
        while live.hinted > live.table.seq:
            said = live.hinted
            try:
                async with live.lock:
                    if said > live.table.seq:  # unless this process committed it
                        await self.catch_up(live)
            except (StorageError, Dropped, Unread):  # the next comparison tries again
                live.hinted = 0
            if live.hinted == said:  # it was wrong, or the table has caught up
                live.hinted = 0

    async def refresh(self, live: Live) -> None:
        """Add what other processes have committed; raises ``StorageError`` or ``Dropped``."""
        async with live.lock:
            await self.catch_up(live)

    async def catch_up(self, live: Live) -> None:
        """Add what other processes have committed; the caller holds the table's lock.

        The last known entry is read as well, as the database may have been restored.

        Raises ``StorageError``, ``Unread``, or ``Dropped`` if the stored log is no longer the known
        one.
        """
        try:
            await self._read_on(live)
        except (StorageError, Dropped):
            raise
        except Exception as error:
            self._stop_reading(live)
            raise Unread(_UNREAD) from error

    async def _read_on(self, live: Live) -> None:
        known = live.table.entries.last(min(1, live.table.seq))
        found = await self._store.since(live.id, live.table.seq - len(known))
        if [entry[:4] for entry in found[: len(known)]] != [entry[:4] for entry in known]:
            self._drop(live)
            raise Dropped(_BACK)
        entries = found[len(known) :]
        if not entries:
            return
        if any(entry.kind is Kind.JOIN for entry in entries):
            live.keys = await self._store.keys(live.id)
        self._metrics.caught_up.inc()
        for after in live.table.caught_up(entries):
            live.take(live.update(after))
        if live.closed == _UNREAD:
            live.closed = ""
            live.disconnect_all()
        live.clock.sync(entries[-1].at)
        self._moved(live)

    def _stop_reading(self, live: Live) -> None:
        """Keep the last state of a table that cannot be read on, and tell its clients."""
        if live.closed != _UNREAD:
            _log.exception("new entries of a table cannot be read; keeping its last state")
            self._stop_playing(live)
            live.closed = _UNREAD
            live.tell(Trouble(what=_UNREAD))

    async def _keep_in_sync(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_COMPARED_EVERY):
                    await self._compare.wait()
            self._compare.clear()
            self._trim()  # tables have grown
            self._metrics.entries.set(sum(live.table.seq for live in self))
            try:
                await self.compare()
            except StorageError as error:
                _log.warning("open tables could not be compared with the database: %s", error)
            except Exception:  # noqa: BLE001 - the next comparison has to come
                _log.exception("open tables could not be compared with the database")

    async def compare(self) -> None:
        """Compare the lengths of all open tables with the database; raises ``StorageError``."""
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
    """Retrieve the exception, since nobody may be waiting for the task."""
    if not task.cancelled():
        task.exception()
