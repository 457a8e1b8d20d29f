"""Commands in, committed entries out to all clients.

No process owns a table. A command is judged against the table as this process knows it; committing
its entries decides. If another process was first, the commit is refused and the table catches up.
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

from hotdice.core.due import ToChoose
from hotdice.server.clocks import TableClock, Timepiece
from hotdice.server.devices import Devices
from hotdice.server.driving import Driver, Work, first_client, stalled
from hotdice.server.limits import Addresses, Limits
from hotdice.server.live import Live, Update, Visitor, Watcher, hashed
from hotdice.server.messages import Trouble
from hotdice.server.metrics import Metrics
from hotdice.server.presence import Presence
from hotdice.server.room import Room
from hotdice.server.thinking import Thinker
from hotdice.server.tutoring import Tutor
from hotdice.solve.coach import Advice
from hotdice.storage import Conflict, Key, StorageError, Store, Stored
from hotdice.storage.challenges import Challenges
from hotdice.table.challenge import Challenge
from hotdice.table.commands import Command, Join, Relieve, SitIn, begin_table
from hotdice.table.dice_commands import Announce
from hotdice.table.entries import Entry
from hotdice.table.log import PATIENCE, Next, Refused, Stale, Table
from hotdice.table.rights import (
    Act,
    Forbidden,
    bot_act,
    check_holder,
    check_moment,
    may_act,
    open_seat,
)
from hotdice.table.setup import Setup

_BYTES = 16
_WATCHED_EVERY = 2.0
"""Seconds between health checks."""
_FORGET_EVERY = 3600.0
"""Seconds between searches for tables that are old enough to be deleted."""
_DAY = 86_400.0
_TRIES = 8
"""Attempts to commit a command while other processes commit others."""
_TRIED = "You have started this challenge already, and everybody has one try."
_LINES_A_REQUEST = 250
"""Lines of a log that cost as much as one request."""

_log = logging.getLogger(__name__)


class Opened(NamedTuple):
    """A new table: its id, the host's secret, and the secret of every seat that a person has."""

    id: str
    host: str
    seats: dict[int, str]


class AlreadyTried(Refused):
    """The player has started this challenge before."""


Seeds = Callable[[Setup], str]
"""Makes the seed of a new table's dice."""


def secret_seed(_setup: Setup) -> str:
    """A random seed."""
    return secrets.token_hex(_BYTES)


class Hub:
    """The tables of one server process, and their clients."""

    def __init__(
        self,
        store: Store,
        *,
        timepiece: Timepiece | None = None,
        limits: Limits | None = None,
        metrics: Metrics | None = None,
        seeds: Seeds = secret_seed,
    ) -> None:
        """Only tests give ``seeds``."""
        self.store = store
        self.timepiece = timepiece or Timepiece()
        self.limits = limits or Limits()
        self.metrics = metrics or Metrics()
        self.addresses = Addresses(self.limits, self.timepiece.steady, self.metrics.refuse)
        self.thinker = Thinker(self.limits, self.timepiece.steady)
        self.tutor = Tutor(self.thinker, self.metrics.refuse)
        self.presence = Presence(store, self.timepiece)
        self.trouble = ""
        self._seeds = seeds
        self._devices = Devices(self.presence, self.timepiece.steady)
        self._driver = Driver(
            self.thinker, self.metrics, self._commit, self._devices, self.addresses
        )
        self.room = self._driver.room = Room(
            store,
            self.timepiece,
            self.metrics,
            self.limits,
            partial(self._driver.resume, after=stalled),
        )

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Keep in sync with other processes while the context is open; then disconnect all."""
        try:
            async with self.room.running(self.presence.hear):
                self.room.spawn(self._watch_over())
                self.room.spawn(self.presence.run())
                if self.limits.days:
                    self.room.spawn(self._forget())
                yield
        finally:
            await self.tutor.close()
            await self.thinker.close()

    # Tables -----------------------------------------------------------------------------------

    async def create(self, setup: Setup, player: str = "", address: str = "") -> Opened:
        """Set up a table; an automatic first roll is made before it returns."""
        setup = setup.checked()
        if setup.dice in ("seeded", "verified") and not setup.seed:
            setup = replace(setup, seed=self.new_seed(setup))
        table = Table.of(setup)
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
        update = live.update(self._devices.completed(live, begin_table(table, now), now))
        entries = tuple(update.next.entries)
        stored = Stored(opened.id, setup, live.host, live.keys, now, entries)
        try:
            await self.store.create(stored, live.tries(table, live.keys, now))
        except Conflict as error:  # ids do not collide, so it is about a try
            raise AlreadyTried(_TRIED) from error
        live.take(update)
        self.room.keep(live)
        self._driver.resume(live, after=first_client)
        self.metrics.created.labels(setup.game).inc()
        _log.info("table set up", extra={"game": setup.game, "seats": len(setup.seats)})
        return opened

    def new_seed(self, setup: Setup) -> str:
        """A secret seed for the dice of a table or a challenge."""
        return self._seeds(setup)

    async def check_start(self, challenge: Challenge, owner: str) -> None:
        """Check that a player may start a challenge; raises ``Refused``."""
        if challenge.is_closed(self.timepiece.wall()):
            raise Refused("This challenge is closed; look how others did.")
        await self._check_try(challenge, owner)

    async def _check_try(self, challenge: Challenge, owner: str) -> None:
        """Check that a player has not tried a challenge before; raises ``Refused``."""
        if not owner:
            raise Refused("A challenge is played once by every player; send a player key.")
        found = await Challenges(self.store).progress([challenge.id], owner)
        if found[challenge.id].table_id:
            raise AlreadyTried(_TRIED)

    async def open(self, table_id: str) -> Live:
        """A table, opened if it is not open yet; raises ``NoSuchTable``."""
        return await self.room.open(table_id)

    async def current(self, table_id: str) -> Live:
        """A table with everything that other processes have committed; raises ``NoSuchTable``."""
        return await self.room.current(table_id)

    def charge(self, address: str, entries: int) -> None:
        """Charge an address for reading a long log; raises ``TooMany``."""
        self.addresses.of(address).take("requests", max(0, entries) / _LINES_A_REQUEST)

    @contextlib.asynccontextmanager
    async def watch(
        self, live: Live, seen: int, visitor: Visitor | None = None, address: str = ""
    ) -> AsyncIterator[Watcher]:
        """Queue what happens at a table from now on for one client; its seats are not away."""
        self.metrics.connections.inc()
        try:
            async with live.watch(seen, visitor or Visitor(), address) as watcher:
                self.presence.came(live)
                self._driver.expect_devices(live)
                try:
                    yield watcher
                finally:
                    if watcher.is_full:
                        self.metrics.refuse("queue")
        finally:
            self.presence.went(live)
            self._driver.expect_devices(live)
            self.metrics.connections.dec()

    # Commands ---------------------------------------------------------------------------------

    async def act(self, live: Live, visitor: Visitor, command: Command) -> list[Entry]:
        """Carry out a command: check it, commit its entries, change the table and tell clients.

        Raises:
            Forbidden: the visitor may not do this.
            Stale: the table has changed; the table has caught up by then.
            HotDiceError: the table refuses the command.
        """
        if not may_act(command.act, holds=live.holds(visitor, command.seat)):
            await self.check(live, visitor, command.act, command.seat)
        return await self._commit(live, command.on)

    async def check(self, live: Live, visitor: Visitor, act: Act, seat: int) -> None:
        """Check that a visitor may do something for a seat; raises ``Forbidden``."""
        try:
            check_holder(act, live.holder(visitor, seat))
        except Forbidden:
            if not self.store.is_postgres:
                raise
            await self.room.refresh(live)  # they may have joined at another process
            check_holder(act, live.holder(visitor, seat))

    async def let_bot_in(
        self, live: Live, visitor: Visitor, seat: int, other: int, level: str
    ) -> list[Entry]:
        """Let a bot sit in for ``other``, as the player of ``seat`` or as the host."""
        if bot_act(live.holder(visitor, seat), seat, other) is Act.SIT_IN:
            return await self.act(live, visitor, SitIn(other, level))
        relieve = Relieve(seat, other, level)
        await self.check(live, visitor, relieve.act, seat)

        def work(table: Table, _now: float) -> Next:
            return relieve.on(table, live.clock.judged(table.moved, PATIENCE))

        return await self._commit(live, work)

    async def join(self, live: Live, name: str, seat: int | None, player: str) -> tuple[int, str]:
        """Take an open seat, any if ``seat`` is ``None``; returns the seat and its secret."""
        if challenge_id := live.table.setup.challenge:
            challenge = await Challenges(self.store).find(challenge_id)
            await self._check_try(challenge, hashed(player))
        secret = secrets.token_urlsafe(_BYTES)
        key = Key(hashed(secret), hashed(player))
        while True:
            taken = open_seat(live.table, seat)
            try:
                await self._commit(live, Join(taken, name).on, (taken, key))
            except Refused:
                if seat is not None or taken in live.table.waiting:
                    raise
            else:
                return taken, secret

    async def take_part(
        self, live: Live, watcher: Watcher, seat: int, tip: str, ended: int | None = None
    ) -> list[Entry]:
        """Let a device take part in verified dice with its chain, a new one or a known one."""
        await self.check(live, watcher.visitor, Act.CHAIN, seat)
        check_moment(Act.CHAIN, live.table, seat)
        seats = live.seats_of(watcher.visitor) & live.table.people
        before, watcher.tip = watcher.tip, tip  # before a roll is asked for in the same commit
        known = live.table.drawing.chains.values() if live.table.drawing else ()
        if any(one.tip == tip and seats & set(one.seats) for one in known):
            self._driver.expect_devices(live)
            return []
        try:
            return await self._commit(live, Announce(tuple(sorted(seats)), tip, ended).on)
        except BaseException:
            watcher.tip = before
            raise

    async def advise(self, live: Live, seen: int, address: str = "") -> Advice:
        """The coach's advice; if it could be better, the game is solved in the background."""
        table = live.table
        check_moment(Act.ADVISE, table, 0)
        if seen != table.seq:
            raise Stale(f"The table has moved on to {table.seq}; you saw {seen}.")
        if not isinstance(table.due, ToChoose):
            raise Refused("There is nothing to choose now.")
        advice = await self.thinker.advise(address, table.game, table.state)
        if not advice.exact or advice.objective == "points":
            self._driver.solving.in_background(live)
        return advice

    async def _commit(
        self, live: Live, work: Work, claim: tuple[int, Key] | None = None
    ) -> list[Entry]:
        await live.lock.acquire()  # with `async with`, two more coroutines for every command
        try:
            if live.closed:
                raise Refused(live.closed)
            update = await self._added(live, work, claim)
            if claim is not None:
                live.keys[claim[0]] = claim[1]
            live.take(update)
            self._driver.resume(live)
            return update.next.entries
        finally:
            live.lock.release()

    async def _added(self, live: Live, work: Work, claim: tuple[int, Key] | None) -> Update:
        """Store what some work adds; if it does not fit, it is done on what is in the database.

        Most commands are ``Stale`` then, but chat, links and new players are as welcome as before.
        """
        tries = 0
        while True:
            try:
                update = self._worked(live, work)
            except Stale:
                if not self.store.is_postgres:
                    raise
                await self.room.catch_up(live)  # they may have seen more at another process
                update = self._worked(live, work)
            seq = live.table.seq
            try:
                await self.store.add(live.addition(update, claim))
            except Conflict:
                await self.room.catch_up(live)
                tries += 1
                if tries == _TRIES or live.table.seq == seq:
                    raise
            except (StorageError, asyncio.CancelledError):
                self.room.check_soon(live)
                raise
            else:
                return update

    def _worked(self, live: Live, work: Work) -> Update:
        """The result of some work, and of verified dice that then wait for nobody."""
        now = live.clock.now()
        return live.update(self._devices.completed(live, work(live.table, now), now))

    # Health -----------------------------------------------------------------------------------

    async def problems(self) -> list[str]:
        """The problems of this server, one sentence each; asks the database.

        Metrics and clients are told the same.
        """
        found = [*await self.store.problems(), *self.thinker.problems]
        self.metrics.healthy.set(not found)
        if (trouble := " ".join(found)) != self.trouble:
            self.trouble = trouble
            _log.warning("trouble: %s", trouble or "over")
            for live in self.room:
                live.tell(Trouble(what=live.trouble(trouble)))
        return found

    async def _watch_over(self) -> None:
        """Find out when there is a problem, and when it is over."""
        while True:
            await asyncio.sleep(_WATCHED_EVERY)
            try:
                is_ill = self.trouble or self.thinker.problems
                if is_ill or not await self.store.seems_well():
                    await self.problems()
            except Exception:  # noqa: BLE001 - the next check has to come
                _log.exception("the health check failed")

    async def _forget(self) -> None:
        """Delete tables that have not been used for longer than the limit."""
        while True:
            before = self.timepiece.wall() - self.limits.days * _DAY
            with contextlib.suppress(StorageError):  # try again later
                gone = await self.store.forget(before, [live.id for live in self.room])
                self.metrics.forgotten.inc(gone)
                if gone:
                    continue
            await asyncio.sleep(_FORGET_EVERY)
