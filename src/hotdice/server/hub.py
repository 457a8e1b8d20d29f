"""Commands in, committed entries out to whoever watches.

No process owns a table. A command is worked out on the table as this process knows it; committing
its entries is what decides. Whoever was too late hears so and looks again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from hotdice.core.game import ToChoose
from hotdice.server.clocks import TableClock, Timepiece
from hotdice.server.driving import Driver, Work, looked_at, stalled
from hotdice.server.limits import Addresses, Limits
from hotdice.server.live import Live, Visitor, Watcher, hashed
from hotdice.server.messages import Trouble
from hotdice.server.metrics import Metrics
from hotdice.server.room import Room
from hotdice.server.thinking import Thinker
from hotdice.solve.coach import Advice
from hotdice.storage import Conflict, Key, StorageError, Store, Stored
from hotdice.table.log import Entry, Next, Refused, Stale, Table
from hotdice.table.setup import Setup

_BYTES = 16
_WATCHED_EVERY = 2.0
"""Seconds between two looks at whether anything is wrong."""
_FORGET_EVERY = 3600.0
"""Seconds between two looks for tables that nobody has touched for long."""
_DAY = 86_400.0
_LINES_A_REQUEST = 250
"""Lines of a log that cost as much as a request."""

_log = logging.getLogger(__name__)


class Forbidden(Refused):
    """The secret does not open this seat."""


class Opened(NamedTuple):
    """A new table: its id, the host's secret and the secret of every seat a person has."""

    id: str
    host: str
    seats: dict[int, str]


Seeds = Callable[[Setup], str]
"""Where the seed of a new table's dice comes from."""


def secret_seed(_setup: Setup) -> str:
    """A seed that nobody can guess, whatever the table."""
    return secrets.token_hex(_BYTES)


class Hub:
    """The tables of one server process, and everybody at them."""

    def __init__(
        self,
        store: Store,
        *,
        timepiece: Timepiece | None = None,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
        seeds: Seeds = secret_seed,
    ) -> None:
        """Seeds are where the dice of new tables come from; only tests say others."""
        self.store = store
        self.timepiece = timepiece or Timepiece()
        self.limits = limits or Limits()
        self.metrics = metrics or Metrics()
        self.addresses = Addresses(self.limits, self.timepiece.steady)
        self.thinker = Thinker(self.limits)
        self.trouble = ""
        self._seeds = seeds
        self._driver = Driver(self.thinker, self.metrics, self._commit)
        self.room = self._driver.room = Room(
            store,
            self.timepiece,
            self.metrics,
            self.limits.open_tables,
            partial(self._driver.go_on, after=stalled),
        )

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep in step with other processes for as long as it lasts; then let everybody go."""
        try:
            async with self.room.running():
                self.room.spawn(self._watch_over())
                if self.limits.days:
                    self.room.spawn(self._forget())
                yield
        finally:
            await self.thinker.close()

    # Tables -----------------------------------------------------------------------------------

    async def create(self, setup: Setup, player: str = "", address: str = "") -> Opened:
        """Set a table up; the dice that fall of themselves lie there when it returns."""
        setup = setup.checked()
        if setup.dice == "seeded" and not setup.seed:
            setup = replace(setup, seed=self._seeds(setup))
        table = Table(setup)
        opened = Opened(
            secrets.token_urlsafe(_BYTES),
            secrets.token_urlsafe(_BYTES),
            {seat: secrets.token_urlsafe(_BYTES) for seat in sorted(table.people)},
        )
        owner, now = hashed(player), self.timepiece.wall()
        live = Live(
            opened.id,
            table,
            Key(hashed(opened.host), owner),
            {seat: Key(hashed(secret), owner) for seat, secret in opened.seats.items()},
            TableClock(self.timepiece, now),
            address,
        )
        step = live.step(table.falling(now))
        entries = tuple(step.next.entries)
        await self.store.create(Stored(opened.id, setup, live.host, live.keys, now, entries))
        live.take(step)
        self.room.keep(live)
        self._driver.go_on(live, after=looked_at)
        self.metrics.created.labels(setup.game).inc()
        _log.info("table set up", extra={"game": setup.game, "seats": len(setup.seats)})
        return opened

    async def open(self, table_id: str) -> Live:
        """A table; raises ``NoSuchTable``."""
        return await self.room.open(table_id)

    async def current(self, table_id: str) -> Live:
        """A table with all that any process has added to it; raises ``NoSuchTable``."""
        live = await self.room.open(table_id)
        if self.store.is_postgres:
            await self.room.refresh(live)
        return live

    def charge(self, address: str, entries: int) -> None:
        """Have somebody pay for a long log that they want to see; raises ``TooMany``."""
        self.addresses.of(address).take("requests", max(0, entries) / _LINES_A_REQUEST)

    @contextlib.asynccontextmanager
    async def watch(self, live: Live, seen: int, address: str = "") -> AsyncIterator[Watcher]:
        """Messages of what happens at a table from now on."""
        self.metrics.connections.inc()
        try:
            async with live.watch(seen, address) as watcher:
                yield watcher
        finally:
            self.metrics.connections.dec()

    # Commands ---------------------------------------------------------------------------------

    async def act(self, live: Live, visitor: Visitor, seat: int, work: Work) -> list[Entry]:
        """Carry a seat's command out: worked out, committed, then added and told.

        Raises:
            Forbidden: the seat is not theirs.
            Stale: the table has moved on; what was missed has been told by then.
            HotDiceError: whatever the table has against it.
        """
        await self.check_seat(live, visitor, seat)
        return await self._commit(live, work)

    async def check_seat(self, live: Live, visitor: Visitor, seat: int) -> None:
        """Raise ``Forbidden`` if a seat is not theirs; they may have taken it elsewhere."""
        if not live.is_of(visitor, seat) and self.store.is_postgres:
            await self.room.refresh(live)
        if not live.is_of(visitor, seat):
            raise Forbidden("This seat is not yours.")

    async def host(self, live: Live, visitor: Visitor, work: Work) -> list[Entry]:
        """Carry a command of the host out."""
        if not visitor.has(live.host):
            raise Forbidden("Only the host of the table may do that.")
        return await self._commit(live, work)

    async def join(self, live: Live, name: str, seat: int | None, player: str) -> tuple[int, str]:
        """Take an open seat; the seat and the secret that opens it."""
        secret = secrets.token_urlsafe(_BYTES)
        key = Key(hashed(secret), hashed(player))
        while True:
            if seat is None and not live.table.waiting:
                raise Refused("Every seat is taken; you can watch.")
            taken = min(live.table.waiting) if seat is None else seat
            try:
                await self._commit(live, partial(_join, taken, name), (taken, key))
            except Refused:
                if seat is not None or taken in live.table.waiting:
                    raise
            else:
                return taken, secret

    async def advise(self, live: Live, seen: int, address: str = "") -> Advice:
        """What the coach says of the choice that is due; chances to win are solved meanwhile."""
        table = live.table
        if not table.setup.coach:
            raise Refused("There is no coach at this table.")
        if seen != table.seq:
            raise Stale(f"The table has moved on to {table.seq}; you saw {seen}.")
        if not isinstance(table.due(), ToChoose):
            raise Refused("There is nothing to choose now.")
        advice = await self.thinker.advise(address, table.game, table.state)
        if not advice.exact or advice.objective == "points":
            self._driver.wish(live)
        return advice

    async def _commit(
        self, live: Live, work: Work, claim: tuple[int, Key] | None = None
    ) -> list[Entry]:
        async with live.lock:
            try:
                step = live.step(work(live.table, live.clock.now()))
            except Stale:
                if not self.store.is_postgres:
                    raise
                await self.room.catch_up(live)  # they may have seen more than this process has
                step = live.step(work(live.table, live.clock.now()))
            try:
                await self.store.add(live.addition(step, claim))
            except Conflict:
                await self.room.catch_up(live)
                raise
            except (StorageError, asyncio.CancelledError):
                self.room.doubt(live)
                raise
            if claim is not None:
                live.keys[claim[0]] = claim[1]
            live.take(step)
            self._driver.go_on(live)
            return step.next.entries

    # Health -----------------------------------------------------------------------------------

    async def problems(self) -> list[str]:
        """What is wrong with this server, a sentence each; the database is asked."""
        return [*await self.store.problems(), *self.thinker.problems]

    async def _watch_over(self) -> None:
        """Tell everybody when something is wrong, and when it is well again."""
        while True:
            await asyncio.sleep(_WATCHED_EVERY)
            is_well = self.store.is_well and not self.trouble
            try:
                found = self.thinker.problems if is_well else await self.problems()
            except Exception:  # noqa: BLE001 - whatever it is, somebody has to watch on
                _log.exception("nobody knows whether all is well")
                continue
            self.metrics.healthy.set(not found)
            if (trouble := " ".join(found)) != self.trouble:
                self.trouble = trouble
                _log.warning("trouble: %s", trouble or "over")
                for live in self.room:
                    live.tell(Trouble(what=trouble))

    async def _forget(self) -> None:
        """Remove tables that nobody has touched for as long as the limit says."""
        while True:
            before = self.timepiece.wall() - self.limits.days * _DAY
            with contextlib.suppress(StorageError):  # later, then
                gone = await self.store.forget(before, [live.id for live in self.room])
                self.metrics.forgotten.inc(gone)
                if gone:
                    continue
            await asyncio.sleep(_FORGET_EVERY)


def _join(seat: int, name: str, table: Table, now: float) -> Next:
    return table.join(seat, name, now)
