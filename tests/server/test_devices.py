"""Verified dice at a server: devices that answer, come late, are silent, absent or elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import pytest

from hotdice.core.due import Over
from hotdice.server.hub import Hub, Opened, secret_seed
from hotdice.server.live import Live, Visitor, Watcher
from hotdice.server.showing import due_word
from hotdice.server.sockets import read_chain, read_link
from hotdice.storage import Store
from hotdice.table.commands import RollDice
from hotdice.table.dice_commands import TooLate
from hotdice.table.log import Refused, Table
from hotdice.table.rights import Forbidden
from hotdice.table.sitting import Seat
from hotdice.table.verification import verify
from hotdice.table.verified import Links
from tests.server.hubs import act, next_command, two_hubs, until
from tests.table.devices import VERIFIED

SETUP = replace(VERIFIED, seed="")


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rolls wait until all devices have answered, however long that takes."""
    monkeypatch.setattr("hotdice.server.driving.PATIENCE", 1e6)


class Phone:
    """A connected device with a seat and a chain."""

    def __init__(self, hub: Hub, live: Live, secret: str, seat: int, watcher: Watcher) -> None:
        self.hub, self.live, self.seat, self.watcher = hub, live, seat, watcher
        self.visitor = Visitor([secret])
        self.links = Links(f"seat {seat}", 500)

    async def announce(self) -> None:
        await self.hub.take_part(self.live, self.watcher, self.seat, self.links.link(0))

    async def give(self) -> None:
        drawing = self.live.table.drawing
        assert drawing
        assert drawing.ask
        number = drawing.ask.number
        chain = next(one for one in drawing.chains.values() if one.tip == self.links.link(0))
        link = self.links.link(number - chain.base)
        command = read_link(self.seat, f"{number} {chain.number} {link}")
        await self.hub.act(self.live, self.visitor, command)


@asynccontextmanager
async def phone(hub: Hub, opened: Opened, seat: int) -> AsyncIterator[Phone]:
    live = await hub.open(opened.id)
    visitor = Visitor([opened.seats[seat]])
    async with hub.watch(live, live.table.seq, visitor) as watcher:
        yield Phone(hub, live, opened.seats[seat], seat, watcher)


@asynccontextmanager
async def two_phones(hub: Hub) -> AsyncIterator[tuple[Opened, Live, Phone, Phone]]:
    """A table at which both devices take part; the first roll is asked for."""
    opened = await hub.create(SETUP)
    async with phone(hub, opened, 0) as ann, phone(hub, opened, 1) as ben:
        await ann.announce()
        await ben.announce()
        assert ann.live.table.is_asked
        yield opened, ann.live, ann, ben


def last_draw(table: Table) -> str:
    return next(entry.text for entry in reversed(table.entries) if entry.kind == "draw")


async def test_a_game_with_two_devices_is_played_and_verified(store: Store) -> None:
    hub = Hub(store)
    async with hub.running(), two_phones(hub) as (opened, live, ann, ben):
        while not isinstance(live.table.due, Over):
            if live.table.is_asked:
                await ann.give()
                assert live.table.is_asked
                await ben.give()
                assert not live.table.is_asked, "the last link rolls the dice"
            else:
                await act(hub, live, opened)
        assert verify(live.table.record().text()).skipped == {}
        again = await Hub(store).open(opened.id)
        assert again.table == live.table


async def test_nobody_is_asked_to_roll_what_is_rolled_automatically(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    assert due_word(live.table) == "draw"  # the devices have yet to take part
    async with hub.running(), phone(hub, opened, 0) as ann, phone(hub, opened, 1) as ben:
        await ann.announce()
        assert due_word(live.table) == "draw"
        await ben.announce()
        assert due_word(live.table) == "draw"


async def test_without_devices_dice_are_rolled_at_once(store: Store) -> None:
    """Nobody is connected: solo games through the API are not slowed down."""
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(SETUP)
        live = await hub.open(opened.id)
        entries = await hub.act(live, Visitor([opened.seats[0]]), RollDice(0, "", live.table.seq))
        assert [entry.kind for entry in entries] == ["ask", "draw", "roll"]


async def test_seeds_of_verified_tables_are_secret_and_random(store: Store) -> None:
    hub = Hub(store, seeds=secret_seed)
    tables = [(await hub.open((await hub.create(SETUP)).id)).table for _ in range(2)]
    assert len({table.setup.seed for table in tables}) == 2
    assert len({table.entries[0].text for table in tables}) == 2
    assert all(table.setup.seed not in table.record().text() for table in tables)


async def test_a_device_that_is_gone_is_skipped_at_once(store: Store) -> None:
    hub = Hub(store)
    async with hub.running(), AsyncExitStack() as stack:
        opened = await hub.create(SETUP)
        ann = await stack.enter_async_context(phone(hub, opened, 0))
        async with phone(hub, opened, 1) as ben:
            await ann.announce()
            await ben.announce()
            await ann.give()
            assert is_asked(ann.live)
        await until(lambda: not is_asked(ann.live))  # no timer: it has disconnected
        assert last_draw(ann.live.table).endswith(" 2=absent")
        await act(hub, ann.live, opened)
        while not ann.live.table.is_asked:
            await act(hub, ann.live, opened)
        await ann.give()
        assert not ann.live.table.is_asked


async def test_a_silent_device_is_skipped_and_not_waited_for_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(store)
    async with hub.running(), two_phones(hub) as (opened, live, ann, ben):
        await ann.give()
        monkeypatch.setattr("hotdice.server.driving.PATIENCE", 0.0)
        hub._driver.expect_devices(live)  # noqa: SLF001 - time is up
        await until(lambda: not live.table.is_asked)
        assert last_draw(live.table).endswith(" 2=silent")
        monkeypatch.setattr("hotdice.server.driving.PATIENCE", 1e6)
        await _asked_again(hub, live, opened)
        await ann.give()
        assert not live.table.is_asked, "a sleeping phone must not stop a game"
        ben.watcher.quiet = False  # it is heard from
        await _asked_again(hub, live, opened)
        await ann.give()
        assert is_asked(live)
        await ben.give()
        assert not is_asked(live)


def is_asked(live: Live) -> bool:
    """Whether dice have been asked for; a function, as the answer changes."""
    return live.table.is_asked


async def _asked_again(hub: Hub, live: Live, opened: Opened) -> None:
    while not live.table.is_asked:
        await act(hub, live, opened)


async def test_a_late_link_is_refused(store: Store) -> None:
    hub = Hub(store)
    async with hub.running(), two_phones(hub) as (_, live, ann, ben):
        late = read_link(1, f"1 2 {ben.links.link(1)}")
        await ann.give()
        await ben.give()
        with pytest.raises(TooLate):
            await hub.act(live, ben.visitor, late)


async def test_only_whoever_holds_a_seat_can_take_part(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.running(), hub.watch(live, 0, Visitor([opened.host])) as watcher:
        with pytest.raises(Forbidden):
            await hub.take_part(live, watcher, 0, "0" * 64)
        with pytest.raises(Forbidden):
            await hub.act(live, Visitor(), read_link(0, f"1 1 {'0' * 64}"))
        assert live.table.seq == 1
        assert not watcher.tip


async def test_a_device_that_connects_again_keeps_its_chain(store: Store) -> None:
    hub = Hub(store)
    async with hub.running(), two_phones(hub) as (opened, live, ann, ben):
        await ann.give()
        async with phone(hub, opened, 1) as again:
            live.watchers.discard(ben.watcher)
            seq = live.table.seq
            await again.announce()
            assert live.table.seq == seq, "its chain is known"
            await again.give()
        assert not live.table.is_asked


async def test_a_restart_between_asking_and_drawing_gives_the_same_dice(store: Store) -> None:
    first = Hub(store)
    opened = await first.create(SETUP)
    live = await first.open(opened.id)
    links = [Links(f"seat {seat}", 500) for seat in (0, 1)]
    async with phone(first, opened, 0) as ann, phone(first, opened, 1) as ben:
        await ann.announce()
        await ben.announce()
        await ann.give()
        assert live.table.is_asked
        live.watchers.clear()  # the process is killed: nobody draws
        stored = await store.load(opened.id)
        expected = Table.of(stored.setup, stored.entries)
    hub = Hub(store)
    async with hub.running():
        again = await hub.open(opened.id)
        assert again.table == expected
        await hub.act(again, Visitor([opened.seats[1]]), read_link(1, f"1 2 {links[1].link(1)}"))
        rolled = [entry.text for entry in again.table.entries if entry.kind == "roll"]
        assert len(rolled) == 1
    verify(again.table.record().text())


async def test_the_first_roll_does_not_wait_for_ever(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving.PATIENCE", 0.0)
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(SETUP)
        async with phone(hub, opened, 0) as ann:
            await until(lambda: ann.live.table.sitting.rolls == 1)


async def test_bots_play_with_verified_dice(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(replace(SETUP, seats=(Seat("Ann"), Seat("Bo", "greedy"))))
        async with phone(hub, opened, 0) as ann:
            live = ann.live
            await ann.announce()
            while not isinstance(live.table.due, Over):
                if live.table.is_asked:
                    await ann.give()
                elif live.table.is_bot(live.table.seat_due):
                    await asyncio.sleep(0)
                else:
                    await hub.act(live, ann.visitor, next_command(live.table))
            assert verify(live.table.record().text()).skipped == {}


async def test_devices_at_two_servers_roll_together(postgres: str) -> None:
    async with two_hubs(postgres) as (one, other), one.running(), other.running():
        opened = await one.create(SETUP)
        async with phone(one, opened, 0) as ann, phone(other, opened, 1) as ben:
            await ann.announce()
            await other.room.refresh(ben.live)
            await until(
                lambda: (
                    one.presence.elsewhere(ann.live) == {1}
                    and other.presence.elsewhere(ben.live) == {0}
                )
            )
            await ben.announce()
            for _ in range(4):
                await until(lambda: ann.live.table.seq == ben.live.table.seq)
                if not ann.live.table.is_asked:
                    await act(one, ann.live, opened)
                    continue
                await asyncio.gather(ann.give(), ben.give())
                await until(lambda: not ann.live.table.is_asked)
            await until(lambda: ann.live.table.seq == ben.live.table.seq)
            assert ann.live.table == ben.live.table
            verdict = verify(ann.live.table.record().text())
            assert verdict.rolls
            assert verdict.skipped == {}


@pytest.mark.parametrize("text", ["", "1", "1 2", "1 2 3 4", "x 2 ab", "-1 2 ab", "1  ab"])
def test_unreadable_links_are_refused(text: str) -> None:
    with pytest.raises(Refused, match="A link is"):
        read_link(0, text)


def test_announcements_are_read() -> None:
    assert read_chain("ab") == ("ab", None)
    assert read_chain("ab 3") == ("ab", 3)
    with pytest.raises(Refused, match="A chain is"):
        read_chain("ab c")


async def test_visitors_who_come_and_go_do_not_delay_the_first_roll(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spectator needs only the link of the table."""
    monkeypatch.setattr("hotdice.server.driving.PATIENCE", 0.1)
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(SETUP)
        async with phone(hub, opened, 0) as ann:
            while not ann.live.table.sitting.rolls:  # with each visitor the wait began anew
                async with hub.watch(ann.live, 0):
                    await asyncio.sleep(0.02)


async def test_differing_clocks_do_not_delay_a_roll(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the process that asked is an hour behind, and that process is gone."""
    hub = Hub(store)
    async with hub.running(), two_phones(hub) as (_, live, _ann, _ben):
        live.clock.sync(live.clock.now() - 3600)
        monkeypatch.setattr("hotdice.server.driving.PATIENCE", 0.05)
        hub._driver.expect_devices(live)  # noqa: SLF001 - as after any change
        async with asyncio.timeout(20):
            await until(lambda: not live.table.is_asked)
