"""State machine of two hubs on one database: subscribers of both get every entry exactly once."""

from __future__ import annotations

import asyncio
import json
import tempfile
import threading
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from typing import Any, ClassVar, TypeVar
from unittest.mock import patch

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from hotdice.core.due import Over, ToRoll
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_names, game_type
from hotdice.server.hub import Hub
from hotdice.server.live import Live, Visitor, Watcher
from hotdice.storage import Store
from hotdice.table.commands import Choose, Command, Rematch, RollDice, Say, Undo
from hotdice.table.dice_commands import GiveLink
from hotdice.table.dice_sources import SeededDice
from hotdice.table.entries import Entry
from hotdice.table.log import Next
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.verification import verify
from hotdice.table.verified import Links
from tools.fuzz.table_machine import NAMES, behind, lost_links, seats, short_options

T = TypeVar("T")
which = st.integers(0, 1)
_CYCLES = 100
"""The most event loop cycles until all subscribers have read their updates."""
_SETTLING = 3
_ENDING = 5.0
_TRIES = 3
"""How often a command may be refused as outdated without concurrent commands."""


class Ear:
    """A subscriber that starts after entry ``seen``, and what it has received.

    One with a seat is also a device for verified dice, with a chain.
    """

    def __init__(self, hub: int, seen: int, watcher: Watcher, seat: int | None = None) -> None:
        self.hub, self.seen, self.watcher, self.seat = hub, seen, watcher, seat
        self.links = Links(f"device {seat}", 400)
        self.heard: list[dict[str, Any]] = []
        self._task = asyncio.get_running_loop().create_task(self._listen(watcher))

    async def _listen(self, watcher: Any) -> None:
        while (text := await watcher.get()) is not None:
            self.heard += json.loads(text).get("entries", [])

    async def stop(self) -> None:
        """Unsubscribe."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task


class HubMachine(RuleBasedStateMachine):
    """Commands of the same players at either hub."""

    done: ClassVar[int] = 0
    refused: ClassVar[int] = 0

    database: ClassVar[str] = ""
    """The URL of a PostgreSQL database; without one, every table has an SQLite file."""

    def __init__(self) -> None:
        super().__init__()
        self._patience = patch("hotdice.server.driving.PATIENCE", 1e6)  # only ``give_up`` ends it
        self._patience.start()
        self._threads = set(threading.enumerate())
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._folder = tempfile.TemporaryDirectory(prefix="hotdice-fuzz-")
        self.ears: list[Ear] = []

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run_until_complete(work)

    @initialize(
        name=st.sampled_from(game_names()),
        dice=st.sampled_from(("seeded", "typed", "verified", "verified")),
        free=st.booleans(),
        first=st.integers(0, 1),
    )
    def set_up(self, name: str, dice: str, free: bool, first: int) -> None:  # noqa: FBT001 - drawn
        """Set up a table for two, or one for a solitaire, perhaps with an open seat."""
        count = min(2, game_type(name).max_players)
        self.setup_ = Setup(
            name,
            short_options(name),
            tuple(Seat(who) for who in NAMES[:count]),
            dice,
            first=first % count,
            open=(count - 1,) if free else (),
        )
        self._run(self._open())

    async def _open(self) -> None:
        url = self.database or f"sqlite:///{self._folder.name}/tables.db"
        stores = [await Store.open(url) for _ in range(2 if self.database else 1)]
        for store in stores:
            self._stack.push_async_callback(store.close)
        self.store = stores[0]
        self.hubs = [Hub(stores[0]), Hub(stores[-1])]
        for hub in self.hubs:
            await self._stack.enter_async_context(hub.running())
        opened = await self.hubs[0].create(self.setup_)
        self.id, self.secrets = opened.id, dict(opened.seats)
        self.lives = [await hub.open(self.id) for hub in self.hubs]
        for at in (0, 1):
            await self._listen(at, 0, at if self.setup_.dice == "verified" else None)
            if self.setup_.dice == "verified":
                await self._announced(self.ears[at], at)

    def teardown(self) -> None:
        """Check that both hubs catch up, then clean up."""
        try:
            if hasattr(self, "lives"):
                self._run(self._catch_up())
        finally:
            self._run(self._close())
            self._run(self._loop.shutdown_default_executor())
            for thread in set(threading.enumerate()) - self._threads:
                thread.join(_ENDING)  # SQLite's threads still tell the loop that they have ended
            self._loop.close()
            self._folder.cleanup()
            self._patience.stop()

    async def _close(self) -> None:
        for live in getattr(self, "lives", ()):
            for _ in range(_SETTLING):  # closing would cut off a roll that a timer has begun
                if live.dice_alarm is not None:
                    live.dice_alarm.cancel()
                await asyncio.sleep(0)
                async with live.lock:
                    pass
        for ear in self.ears:
            await ear.stop()
        await self._stack.aclose()

    # Rules ------------------------------------------------------------------------------------

    @rule(hub=which, numbers=st.lists(st.integers(0, 99), min_size=1, max_size=6))
    def go_on(self, hub: int, numbers: list[int]) -> None:
        """Take several actions that are due, as far as this hub knows."""
        for number in numbers:
            if self.lives[hub].table.is_asked:
                for at in range(len(self.ears)):
                    self.give(at, right=True)
            if self.lives[hub].table.is_asked:
                self.give_up(hub)
            self.act(hub, "due", 0, number)

    @rule(hub=which, seat=seats, missed=behind, number=st.integers(0, 99))
    def act(self, hub: int, seat: Any, missed: int, number: int) -> None:
        """A seat takes the action that is due, perhaps with an outdated view."""
        table = self.lives[hub].table
        due, seen = table.due, table.seq - missed
        actor = seat if seat != "due" else 0 if isinstance(due, Over) else due.seat
        choices = table.game.choices(table.state)
        fell = SeededDice(str(number)).throw(due.dice, 0) if isinstance(due, ToRoll) else None

        command: Command
        if isinstance(due, Over):
            command = Rematch(actor, seen)
        elif fell is not None:
            typed = table.game.event_text(fell) if table.setup.dice == "typed" else ""
            command = RollDice(actor, typed, seen)
        else:
            text = table.game.event_text(choices[number % len(choices)])
            command = Choose(actor, text, seen)
        self._act(hub, command)

    @rule(hub=which, seat=st.integers(0, 1), missed=behind)
    def undo(self, hub: int, seat: int, missed: int) -> None:
        """A seat undoes something."""
        seen = self.lives[hub].table.seq - missed
        self._act(hub, Undo(seat, seen))

    @rule(hub=which, seat=st.integers(0, 1))
    def say(self, hub: int, seat: int) -> None:
        """A seat sends a chat message."""
        self._act(hub, Say(seat, "well"))

    @rule(hub=which, seat=st.sampled_from((None, 0, 1)))
    def join(self, hub: int, seat: int | None) -> None:
        """A player takes an open seat."""
        try:
            taken, secret = self._run(self.hubs[hub].join(self.lives[hub], "Eve", seat, ""))
        except HotDiceError:
            type(self).refused += 1
        else:
            type(self).done += 1
            self.secrets[taken] = secret

    @rule(hub=which, missed=st.sampled_from((0, 1, 3)), seat=st.sampled_from((None, 0, 1)))
    def listen(self, hub: int, missed: int, seat: int | None) -> None:
        """Another subscriber joins, perhaps a device, and perhaps having missed entries."""
        if len(self.ears) < 6:
            seen = max(0, self.lives[hub].table.seq - missed)
            self._run(self._listen(hub, seen, seat))

    async def _listen(self, hub: int, seen: int, seat: int | None = None) -> None:
        """Subscribe as a socket does, which first shows the log so far."""
        live, secret = self.lives[hub], self.secrets.get(-1 if seat is None else seat, "")
        watching = self.hubs[hub].watch(live, seen, Visitor([secret]))
        watcher = await self._stack.enter_async_context(watching)
        self.ears.append(Ear(hub, live.table.seq, watcher, seat))

    @rule(at=st.integers(0, 5))
    def announce(self, at: int) -> None:
        """A device takes part in verified dice with its chain."""
        if at < len(self.ears) and self.ears[at].seat is not None:
            self._run(self._announced(self.ears[at], self.ears[at].seat or 0))

    async def _announced(self, ear: Ear, seat: int) -> None:
        hub, live = self.hubs[ear.hub], self.lives[ear.hub]
        try:
            await hub.take_part(live, ear.watcher, seat, ear.links.link(0))
        except HotDiceError:
            type(self).refused += 1
        else:
            type(self).done += 1

    @rule(at=st.integers(0, 5), right=st.booleans())
    def give(self, at: int, right: bool) -> None:  # noqa: FBT001 - drawn
        """A device gives the link for the roll that is asked for, or a wrong one."""
        if at >= len(self.ears):
            return
        ear = self.ears[at]
        drawing = self.lives[ear.hub].table.drawing
        for chain in drawing.asked_of() if drawing else ():
            if chain.tip == ear.links.link(0) and drawing and drawing.ask:
                number = drawing.ask.number
                link = ear.links.link(number - chain.base + (not right))
                self._act(ear.hub, GiveLink(chain.seats[0], chain.number, number, link))

    @rule(hub=which)
    def give_up(self, hub: int) -> None:
        """A hub waits no longer for devices: the time for a roll is up."""
        self._run(self._given_up(self.hubs[hub], self.lives[hub]))

    async def _given_up(self, hub: Hub, live: Live) -> None:
        if live.table.is_asked:
            hub._devices.give_up(live)  # noqa: SLF001 - as the timer does
        with suppress(HotDiceError):
            await hub._commit(live, lambda table, _: Next([], table))  # noqa: SLF001 - see above

    def _act(self, hub: int, command: Command) -> None:
        self._run(self._acted(hub, command))

    async def _acted(self, hub: int, command: Command) -> list[Entry]:
        live, visitor = self.lives[hub], Visitor(self.secrets.values())
        try:
            entries = await self.hubs[hub].act(live, visitor, command)
        except HotDiceError:
            type(self).refused += 1
            return []
        type(self).done += 1
        return entries

    # Invariants -------------------------------------------------------------------------------

    @invariant()
    def everybody_is_told_the_log_once(self) -> None:
        """Subscribers receive the stored entries without gaps or duplicates."""
        if hasattr(self, "lives"):
            self._run(self._check())

    async def _check(self) -> None:
        kept = await self.store.since(self.id, 0)
        for _ in range(_CYCLES):  # let the subscribers drain their queues
            if not any(self._is_behind(ear) for ear in self.ears):
                break
            await asyncio.sleep(0)
        assert [entry.seq for entry in kept] == list(range(1, len(kept) + 1))
        assert not lost_links(kept)
        for live in self.lives:
            assert tuple(live.table.entries) == kept[: live.table.seq]
            assert len(live.told) == live.table.seq
        for ear in self.ears:
            until = self.lives[ear.hub].table.seq
            told = [
                Entry.read(e["seq"], e["kind"], e["seat"], e["text"], e["at"]) for e in ear.heard
            ]
            assert told == list(kept[ear.seen : until])

    def _is_behind(self, ear: Ear) -> bool:
        return ear.seen + len(ear.heard) < self.lives[ear.hub].table.seq

    async def _catch_up(self) -> None:
        """Check that a hub which commits something catches up with the other."""
        seat = min(self.secrets, default=None)
        if seat is None:
            return
        for hub in (0, 1, 0):
            for _ in range(_TRIES):
                if await self._acted(hub, Say(seat, "end")):
                    break
                # A seat taken at the other hub is known here after the next refresh.
                await self.hubs[hub].room.refresh(self.lives[hub])
                await self._check()
            else:
                raise AssertionError("a hub does not catch up")
        kept = await self.store.since(self.id, 0)
        await self._check()
        assert self.lives[0].table.seq == len(kept)
        fresh = await Hub(self.store).open(self.id)
        assert tuple(fresh.table.entries) == kept
        assert fresh.table == self.lives[0].table
        if self.setup_.dice == "verified" and not fresh.table.waiting:
            verify(fresh.table.record().text())


class PostgresHubMachine(HubMachine):
    """The same with two hubs that have a connection each to PostgreSQL, and hear of each other."""
