"""Open tables of one server process: commands in, committed entries out to whoever watches.

No process owns a table. A command is worked out on the table as this process knows it; committing
its entries is what decides. Whoever was too late hears so and looks again. Entries committed by
other processes arrive through the store and are told on here.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from hotdice.storage import Conflict, Store, Stored
from hotdice.table.log import Entry, Refused, Setup, Stale, Table

_TABLES_KEPT = 2000
_WAITING = 256
_BYTES = 16

Clock = Callable[[], float]
Work = Callable[[Table, float], list[Entry]]
"""What a command does: the entries it leads to on a table, at a time."""


class Forbidden(Refused):
    """The secret does not open this seat."""


class Opened(NamedTuple):
    """A new table: its id, the host's secret and the secret of every seat a person has."""

    id: str
    host: str
    seats: dict[int, str]


def hashed(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


@dataclass
class Live:
    """A table that somebody has open."""

    id: str
    table: Table
    host: str
    secrets: dict[int, str]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[asyncio.Queue[tuple[Entry, ...] | None]] = field(default_factory=set)

    def seats_of(self, given: Iterable[str]) -> frozenset[int]:
        """The seats that these secrets open."""
        found = {hashed(secret) for secret in given}
        return frozenset(seat for seat, secret in self.secrets.items() if secret in found)


class Hub:
    """The tables this process has open."""

    def __init__(self, store: Store, clock: Clock = time.time) -> None:
        self.store = store
        self._clock = clock
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._opening = asyncio.Lock()

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Hear, for as long as it lasts, of what other processes add."""
        async with self.store.changes() as changes:
            task = asyncio.create_task(self._hear(changes))
            try:
                yield
            finally:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
                for live in self._live.values():
                    for watcher in live.watchers:
                        watcher.put_nowait(None)

    async def _hear(self, changes: asyncio.Queue[tuple[str, int]]) -> None:
        while True:
            table_id, seq = await changes.get()
            live = self._live.get(table_id)
            if live is not None and live.table.seq < seq:
                async with live.lock:
                    await self._catch_up(live)

    # Tables -----------------------------------------------------------------------------------

    async def create(self, setup: Setup) -> Opened:
        """Set a table up; what happens of itself has happened when it returns."""
        setup = setup.checked()
        if setup.dice == "seeded" and not setup.seed:
            setup = Setup(**{**vars(setup), "seed": secrets.token_hex(_BYTES)})
        people = [seat for seat, who in enumerate(setup.seats) if not who.bot]
        opened = Opened(
            secrets.token_urlsafe(_BYTES),
            secrets.token_urlsafe(_BYTES),
            {seat: secrets.token_urlsafe(_BYTES) for seat in people},
        )
        table = Table(setup)
        entries = tuple(table.advance(self._clock()))
        kept = {seat: hashed(secret) for seat, secret in opened.seats.items()}
        await self.store.create(
            Stored(opened.id, setup, hashed(opened.host), kept, self._clock(), entries)
        )
        return opened

    async def open(self, table_id: str) -> Live:
        """A table; raises ``NoSuchTable``."""
        live = self._live.get(table_id)
        if live is None:
            async with self._opening:
                live = self._live.get(table_id)
                if live is None:
                    stored = await self.store.load(table_id)
                    table = Table(stored.setup, stored.entries)
                    live = Live(table_id, table, stored.host, dict(stored.secrets))
                    self._live[table_id] = live
                    self._forget()
        self._live.move_to_end(table_id)
        return live

    def _forget(self) -> None:
        """Let go of tables that nobody watches, the longest untouched first."""
        for table_id in list(self._live):
            if len(self._live) <= _TABLES_KEPT:
                return
            if not self._live[table_id].watchers:
                del self._live[table_id]

    # Commands ---------------------------------------------------------------------------------

    async def act(
        self,
        live: Live,
        given: Iterable[str],
        seat: int,
        work: Callable[[Table, float], list[Entry]],
    ) -> tuple[Entry, ...]:
        """Carry a seat's command out: worked out, committed, then added and told.

        Raises:
            Forbidden: the secrets do not open the seat.
            Stale: the table has moved on; what was missed has been told by then.
            HotDiceError: whatever the table has against it.
        """
        if seat not in live.seats_of(given):
            raise Forbidden("This seat is not yours.")
        return await self._commit(live, work)

    async def host(self, live: Live, secret: str, work: Work) -> tuple[Entry, ...]:
        """Carry a command of the host out."""
        if hashed(secret) != live.host:
            raise Forbidden("Only the host of the table may do that.")
        return await self._commit(live, work)

    async def _commit(self, live: Live, work: Work) -> tuple[Entry, ...]:
        async with live.lock:
            entries = tuple(work(live.table, self._clock()))
            try:
                await self.store.append(live.id, entries)
            except Conflict:
                await self._catch_up(live)
                raise
            self._tell(live, entries)
            return entries

    async def _catch_up(self, live: Live) -> None:
        """Add what others have committed."""
        self._tell(live, await self.store.since(live.id, live.table.seq))

    def _tell(self, live: Live, entries: tuple[Entry, ...]) -> None:
        for entry in entries:
            live.table.add(entry)
        if not entries:
            return
        for watcher in list(live.watchers):
            if watcher.qsize() >= _WAITING:
                live.watchers.discard(watcher)
                watcher.put_nowait(None)
            else:
                watcher.put_nowait(entries)

    @contextlib.asynccontextmanager
    async def watch(
        self, live: Live, seen: int
    ) -> AsyncIterator[asyncio.Queue[tuple[Entry, ...] | None]]:
        """A queue of what happens from a sequence number on; ``None`` ends it."""
        if not 0 <= seen <= live.table.seq:
            raise Stale(f"The table stands at {live.table.seq}; you cannot have seen {seen}.")
        queue: asyncio.Queue[tuple[Entry, ...] | None] = asyncio.Queue()
        if missed := tuple(live.table.entries[seen:]):
            queue.put_nowait(missed)
        live.watchers.add(queue)
        try:
            yield queue
        finally:
            live.watchers.discard(queue)
