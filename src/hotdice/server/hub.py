"""Open tables of one server process: commands in, committed entries out to whoever watches.

No process owns a table. A command is worked out on the table as this process knows it; committing
its entries is what decides. Whoever was too late hears so and looks again. Entries committed by
other processes arrive through the store and are told on here.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from hotdice.bots import LEVELS
from hotdice.core.errors import HotDiceError
from hotdice.core.game import ToChoose
from hotdice.server.live import Live, Visitor, Watcher, hashed
from hotdice.server.messages import Problem, Working
from hotdice.server.metrics import Metrics
from hotdice.server.thinking import Thinker
from hotdice.solve.coach import Advice
from hotdice.storage import Conflict, Key, NoSuchTable, StorageError, Store, Stored
from hotdice.table.log import Entry, Next, Refused, Stale, Table
from hotdice.table.setup import Setup

_TABLES_KEPT = 2000
_BYTES = 16
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_STALLED = 5.0
"""Seconds after which a process plays on for a bot that another process was to play for."""
_AUDIENCE = 2.0
"""Seconds that the bots of a new table wait for somebody to look at what they do."""
_AGAIN = 2.0
"""Seconds after which something is tried again that the database refused."""
_PACE = 3.0
"""Seconds between the turns of bots where no person plays: somebody may want to come back."""

Clock = Callable[[], float]
Work = Callable[[Table, float], Next]
"""What a command does: what it leads to on a table, at a time."""
Delay = Callable[[Live], Awaitable[None]]
"""What the bots of a table wait for."""

_log = logging.getLogger(__name__)


class Forbidden(Refused):
    """The secret does not open this seat."""


class Opened(NamedTuple):
    """A new table: its id, the host's secret and the secret of every seat a person has."""

    id: str
    host: str
    seats: dict[int, str]


class Hub:
    """The tables this process has open."""

    def __init__(
        self, store: Store, clock: Clock = time.time, metrics: Metrics | None = None
    ) -> None:
        self.store = store
        self.thinker = Thinker()
        self.metrics = metrics or Metrics()
        self.clock = clock
        self._live: OrderedDict[str, Live] = OrderedDict()
        self._opening = asyncio.Lock()
        self._tasks: set[asyncio.Task[Any]] = set()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Hear, for as long as it lasts, of what other processes add; then let everybody go."""
        async with self.store.changes() as changes:
            self._spawn(self._hear(changes))
            try:
                yield
            finally:
                for live in self._live.values():
                    self._quiet(live)
                    for watcher in live.watchers:
                        watcher.put(None)
                for task in list(self._tasks):
                    task.cancel()
                await asyncio.gather(*self._tasks, return_exceptions=True)
                await self.thinker.close()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("something in the background went wrong", exc_info=error)

    async def _hear(self, changes: asyncio.Queue[tuple[str, int]]) -> None:
        while True:
            table_id, seq = await changes.get()
            found = [self._live.get(table_id)] if table_id else list(self._live.values())
            for live in found:
                if live is not None and live.table.seq < seq:
                    try:
                        async with live.lock:
                            await self._catch_up(live)
                    except Exception:  # noqa: BLE001 - whatever it is, the other tables go on
                        _log.exception("a table was not caught up with")

    # Tables -----------------------------------------------------------------------------------

    async def create(self, setup: Setup, player: str = "") -> Opened:
        """Set a table up; the dice that fall of themselves lie there when it returns."""
        setup = setup.checked()
        if setup.dice == "seeded" and not setup.seed:
            setup = replace(setup, seed=secrets.token_hex(_BYTES))
        table = Table(setup)
        opened = Opened(
            secrets.token_urlsafe(_BYTES),
            secrets.token_urlsafe(_BYTES),
            {seat: secrets.token_urlsafe(_BYTES) for seat in sorted(table.people)},
        )
        owner, now = hashed(player), self.clock()
        live = Live(
            opened.id,
            table,
            Key(hashed(opened.host), owner),
            {seat: Key(hashed(secret), owner) for seat, secret in opened.seats.items()},
        )
        step = live.step(table.falling(now))
        entries = tuple(step.next.entries)
        await self.store.create(Stored(opened.id, setup, live.host, live.keys, now, entries))
        live.take(step)
        self._keep(live)
        self._go_on(live, after=_looked_at)
        self.metrics.created.labels(setup.game).inc()
        _log.info("table set up", extra={"game": setup.game, "seats": len(setup.seats)})
        return opened

    async def open(self, table_id: str) -> Live:
        """A table; raises ``NoSuchTable``."""
        if not _ID.fullmatch(table_id):
            raise NoSuchTable("There is no such table; ask for its link again.")
        live = self._live.get(table_id)
        if live is None:
            async with self._opening:
                live = self._live.get(table_id)
                if live is None:
                    live = Live.of(await self.store.load(table_id))
                    self._keep(live)
                    self._go_on(live, after=_stalled)
        self._live.move_to_end(table_id)
        return live

    def _keep(self, live: Live) -> None:
        """Have a table open; of the others the longest untouched are let go, if nobody watches."""
        self._live[live.id] = live
        for table_id, other in list(self._live.items())[: max(0, len(self._live) - _TABLES_KEPT)]:
            if other is not live and not other.watchers and not other.lock.locked():
                self._quiet(other)
                del self._live[table_id]
        self.metrics.tables.set(len(self._live))

    @staticmethod
    def _quiet(live: Live) -> None:
        if live.alarm is not None:
            live.alarm.cancel()
        if live.driver is not None:
            live.driver.cancel()

    @contextlib.asynccontextmanager
    async def watch(self, live: Live, seen: int) -> AsyncIterator[Watcher]:
        """Messages of what happens at a table from now on."""
        self.metrics.connections.inc()
        try:
            async with live.watch(seen) as watcher:
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
        if not live.is_of(visitor, seat):
            raise Forbidden("This seat is not yours.")
        return await self._commit(live, work)

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

    async def advise(self, live: Live, seen: int) -> Advice:
        """What the coach says of the choice that is due; tables to win are worked out meanwhile."""
        table = live.table
        if not table.setup.coach:
            raise Refused("There is no coach at this table.")
        if seen != table.seq:
            raise Stale(f"The table has moved on to {table.seq}; you saw {seen}.")
        if not isinstance(table.due(), ToChoose):
            raise Refused("There is nothing to choose now.")
        advice = await self.thinker.advise(table.game, table.state)
        if not advice.exact or advice.objective == "points":
            self._wish(live)
        return advice

    async def _commit(
        self, live: Live, work: Work, claim: tuple[int, Key] | None = None
    ) -> list[Entry]:
        async with live.lock:
            try:
                step = live.step(work(live.table, self.clock()))
            except Stale:
                if not self.store.is_postgres:
                    raise
                await self._catch_up(live)  # they may have seen more than this process has
                step = live.step(work(live.table, self.clock()))
            try:
                await self.store.add(live.addition(step, claim))
            except Conflict:
                await self._catch_up(live)
                raise
            if claim is not None:
                live.keys[claim[0]] = claim[1]
            live.take(step)
            self._go_on(live)
            return step.next.entries

    async def _catch_up(self, live: Live) -> None:
        """Add what others have committed."""
        entries = await self.store.since(live.id, live.table.seq)
        if any(entry.kind == "join" for entry in entries):
            live.keys = await self.store.keys(live.id)
        for after in live.table.caught_up(entries):
            live.take(live.step(after))
        self._go_on(live, after=_stalled)

    # What happens of itself -------------------------------------------------------------------

    def _go_on(self, live: Live, after: Delay | None = None) -> None:
        """See to it that bots play, at once or after something, and that clocks run out."""
        self._set_alarm(live)
        if live.driver is not None and live.driver_waits and after is None:
            live.driver.cancel()
            live.driver = None
        if live.table.bot_due() and (live.driver is None or live.driver.done()):
            live.driver_waits = after is not None
            live.driver = self._spawn(self._drive(live, after))

    def _set_alarm(self, live: Live, at_least: float = 0.0) -> None:
        """Ring when the clock of whoever has to act runs out, if there is one."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        if (deadline := live.table.deadline()) is not None:
            live.alarm = asyncio.get_running_loop().call_later(
                max(at_least, deadline - self.clock()) + 0.05,
                lambda: self._spawn(self._time_out(live)),
            )

    async def _time_out(self, live: Live) -> None:
        """A bot sits in for whoever has let the clock run out, if it has not been set again."""
        try:
            await self._commit(live, Table.time_out)
        except Refused:  # it rang too early
            self._set_alarm(live)
        except StorageError as error:
            _log.warning("nobody could sit in: %s", error)
            self._set_alarm(live, at_least=_AGAIN)

    async def _drive(self, live: Live, after: Delay | None) -> None:
        """Play for the bots until a person has to act."""
        if after is not None:
            await after(live)
            live.driver_waits = False
        while level := live.table.bot_due():
            table = live.table.apart()
            players = len(table.seats)
            if LEVELS[level].plans and not await self.thinker.is_ready(table.game, players):
                await self._prepared(live, table.seq)
                continue
            played = await self.thinker.think(table.play_bot, self.clock())
            try:
                await self._commit(live, partial(_if_next, played))
            except Stale:
                continue
            except StorageError as error:
                _log.warning("a bot could not play: %s", error)
                await asyncio.sleep(_AGAIN)
            if table.only_bots() and (table.people or live.watchers):
                changed = live.change()
                await asyncio.wait({changed}, timeout=_PACE)
                changed.cancel()

    async def _prepared(self, live: Live, seq: int) -> None:
        """Wait for the tables a bot needs, or for the table to change its mind."""
        told = partial(_tell_part, live, "The perfect player works out its tables")
        changed = live.change()
        told(0.0)
        players = len(live.table.seats)
        try:
            async with self.thinker.preparing(live.table.game, players, told) as task:
                if live.table.seq == seq:
                    await asyncio.wait({task, changed}, return_when=asyncio.FIRST_COMPLETED)
                if task.done() and (error := task.exception()):
                    live.tell(Problem(error=f"{error} Take another bot.", kind="Unsolved"))
                    raise error
        finally:
            changed.cancel()
        told(1.0)

    def _wish(self, live: Live) -> None:
        """Have the tables worked out that the coach would like, for as long as somebody is here."""
        if live.wish is None or (live.wish.done() and live.watchers):
            live.wish = self._spawn(self._wished(live))

    async def _wished(self, live: Live) -> None:
        game, players = live.table.game, len(live.table.seats)
        if await self.thinker.is_ready(game, players):
            return
        told = partial(_tell_part, live, "The coach works out the chances to win")
        told(0.0)
        with contextlib.suppress(HotDiceError):
            async with self.thinker.preparing(game, players, told) as task:
                while not task.done() and live.watchers:
                    await asyncio.wait({task}, timeout=10)
        told(1.0)


async def _looked_at(live: Live) -> None:
    """Wait until somebody looks at a table, but not for ever."""
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(live.looked_at.wait(), _AUDIENCE)


async def _stalled(live: Live) -> None:
    """Wait until whoever was to play for the bots of a table does so no more."""
    seq = -1
    while live.table.seq != seq:
        seq = live.table.seq
        await asyncio.sleep(_STALLED)


def _join(seat: int, name: str, table: Table, now: float) -> Next:
    return table.join(seat, name, now)


def _if_next(after: Next, table: Table, now: float) -> Next:
    """What was worked out elsewhere, if the table still stands where it begins; it happens now."""
    if after.entries and after.entries[0].seq != table.seq + 1:
        raise Stale("The table has moved on meanwhile.")
    entries = [entry._replace(at=now) for entry in after.entries]
    return Next(entries, table.fork(entries))


def _tell_part(live: Live, what: str, part: float) -> None:
    live.tell(Working(what=what, part=part))
