"""Everybody at a table sees which people are not connected, at whichever process they are."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

import pytest

from hotdice.server.clocks import Timepiece
from hotdice.server.hub import Hub, Opened
from hotdice.server.live import Live, Visitor, Watcher
from hotdice.server.presence import Presence
from hotdice.server.tables import show_table
from hotdice.storage import StorageError, Store
from hotdice.table.commands import Return, SitIn
from hotdice.table.sitting import Seat
from tests.asking import client_of
from tests.server.hubs import SETUP, until
from tests.server.test_app import created, serving, sitting

on_sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
on_postgres = pytest.mark.parametrize("database", ["postgresql"], indirect=True)


class Clock:
    """A clock that only advances when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.timepiece = Timepiece(steady=lambda: self.now)

    async def pass_by(self, seconds: int, *hubs: Hub) -> None:
        """Let some seconds pass, with a look at all tables in each of them."""
        for _ in range(seconds):
            self.now += 1
            for hub in hubs:
                await looked(hub)


async def looked(hub: Hub) -> None:
    """Let a process look at all tables, and hear what it has announced itself."""
    await hub.presence.beat()
    if hub.store.is_postgres and hub.presence._is_known:  # noqa: SLF001 - there is nothing to hear otherwise
        now = hub.timepiece.steady()
        await until(lambda: hub.presence._echo == now)  # noqa: SLF001 - no event to wait for


def said(watcher: Watcher) -> list[list[int]]:
    """What a client has been told since the last call about who is away."""
    heard = [json.loads(text or "{}") for text in watcher.texts]
    watcher.texts.clear()
    return [one["away"] for one in heard if one["type"] == "presence"]


def visitor(opened: Opened, *seats: int) -> Visitor:
    return Visitor(opened.seats[seat] for seat in seats)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def hub(store: Store, clock: Clock) -> Hub:
    return Hub(store, timepiece=clock.timepiece)


@on_sqlite
async def test_a_seat_is_away_some_seconds_after_its_last_client_has_gone(
    hub: Hub, clock: Clock
) -> None:
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1, visitor(opened, 0)) as ann:
        async with hub.watch(live, 1, visitor(opened, 1)):
            async with hub.watch(live, 1, visitor(opened, 1)):
                await clock.pass_by(60, hub)
            await clock.pass_by(60, hub)
            assert said(ann) == []
        await clock.pass_by(4, hub)
        assert said(ann) == []
        await clock.pass_by(1, hub)
        assert said(ann) == [[1]]
        assert show_table(live, Visitor(), 0).away == [1]
        await clock.pass_by(60, hub)
        assert said(ann) == []
        async with hub.watch(live, 1, visitor(opened, 1)):
            assert said(ann) == [[]]
            assert show_table(live, Visitor(), 0).away == []


@on_sqlite
async def test_a_line_that_is_back_within_seconds_is_no_absence(hub: Hub, clock: Clock) -> None:
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1, visitor(opened, 0)) as ann:
        for _ in range(5):
            async with hub.watch(live, 1, visitor(opened, 1)):
                await clock.pass_by(1, hub)
            await clock.pass_by(4, hub)
        assert said(ann) == []


@on_sqlite
async def test_spectators_are_at_no_seat_and_learn_who_is_away(hub: Hub, clock: Clock) -> None:
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1) as spectator, hub.watch(live, 1, Visitor([opened.host])):
        await clock.pass_by(5, hub)
        assert said(spectator) == [[0, 1]]


@on_sqlite
async def test_people_on_one_device_are_all_there(hub: Hub, clock: Clock) -> None:
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1, visitor(opened, 0, 1)) as both:
        await clock.pass_by(60, hub)
        assert said(both) == []


@on_sqlite
async def test_bots_are_never_away(hub: Hub, clock: Clock) -> None:
    """Nor is somebody whose seat a bot plays."""
    seats = (Seat("Ann"), Seat("Ben"), Seat("Bo", "greedy"))
    opened = await hub.create(replace(SETUP, seats=seats))
    live = await hub.open(opened.id)
    async with hub.watch(live, 1, visitor(opened, 0)) as ann:
        await clock.pass_by(5, hub)
        assert said(ann) == [[1]]
        await hub.act(live, Visitor([opened.host]), SitIn(1, "greedy"))
        await clock.pass_by(1, hub)
        assert said(ann) == [[]]
        await hub.act(live, visitor(opened, 1), Return(1))
        await clock.pass_by(5, hub)
        assert said(ann) == []
        await clock.pass_by(1, hub)
        assert said(ann) == [[1]]


@on_sqlite
async def test_an_open_seat_is_not_away_and_whoever_takes_it_is_there(
    hub: Hub, clock: Clock
) -> None:
    opened = await hub.create(replace(SETUP, open=(1,)))
    live, player = await hub.open(opened.id), "b" * 32
    async with hub.watch(live, 0, visitor(opened, 0)) as ann:
        await clock.pass_by(60, hub)
        assert said(ann) == []
        async with hub.watch(live, 0, Visitor(player=player)):
            await hub.join(live, "Ben", 1, player)  # the client has watched the table until now
            await clock.pass_by(60, hub)
            assert said(ann) == []
        await clock.pass_by(5, hub)
        assert said(ann) == [[1]]


@on_sqlite
async def test_a_table_that_nobody_follows_is_not_looked_at(
    hub: Hub, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1, visitor(opened, 0)):
        await clock.pass_by(5, hub)
        assert live.away == {1}
    assert live.away == set()
    monkeypatch.setattr(Live, "seats_of", None)  # would fail
    await clock.pass_by(60, hub)
    assert live.away == set()


@on_sqlite
async def test_clients_of_a_running_server_are_told(
    database: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.presence._BEAT", 0.01)
    async with (
        serving(database, timepiece=clock.timepiece) as address,
        client_of(address) as http,
    ):
        table = await created(http)
        async with sitting(address, table, 0) as ann:
            assert ann.table["away"] == []
            clock.now += 60
            assert await ann.hear_any() == {"type": "presence", "away": [1]}
            async with sitting(address, table, 1) as ben:
                assert ben.table["away"] == []
                assert await ann.hear_any() == {"type": "presence", "away": []}


@on_sqlite
async def test_looking_goes_on_after_an_error(
    database: str, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("hotdice.server.presence._BEAT", 0.01)
    beat, errors = Presence.beat, [StorageError("It hangs."), ValueError("odd")]

    async def fail(presence: Presence) -> None:
        if errors:
            raise errors.pop(0)
        await beat(presence)

    monkeypatch.setattr(Presence, "beat", fail)
    store = await Store.open(database)
    hub = Hub(store, timepiece=clock.timepiece)
    async with hub.running():
        opened = await hub.create(SETUP)
        live = await hub.open(opened.id)
        async with hub.watch(live, 1, visitor(opened, 0)) as ann:
            clock.now += 60
            assert json.loads(await ann.get() or "") == {"type": "presence", "away": [1]}
    await store.close()
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "could not find out who is away"
    ]


# Two processes ------------------------------------------------------------------------------------


@pytest.fixture
async def hubs(database: str, clock: Clock) -> AsyncIterator[list[Hub]]:
    """Two processes on one database that hear each other, but look only when a test says so."""
    async with AsyncExitStack() as stack:
        found = []
        for _ in range(2):
            store = await Store.open(database)
            stack.push_async_callback(store.close)
            hub = Hub(store, timepiece=clock.timepiece)
            await stack.enter_async_context(store.listening(hub.room.hint, hub.presence.hear))
            found.append(hub)
        yield found


@on_postgres
async def test_a_player_at_another_process_is_not_away(hubs: list[Hub], clock: Clock) -> None:
    here, there = hubs
    opened = await here.create(SETUP)
    live, other = await here.open(opened.id), await there.open(opened.id)
    async with here.watch(live, 1, visitor(opened, 0)) as ann:
        async with there.watch(other, 1, visitor(opened, 1)) as ben:
            await clock.pass_by(60, there, here)
            assert said(ann) == said(ben) == []
        await clock.pass_by(8, there, here)
        assert said(ann) == [[1]]
        async with there.watch(other, 1, visitor(opened, 1)):
            await there.presence.announce([opened.id])
            await until(lambda: not live.away)
            assert said(ann) == [[]]


@on_postgres
async def test_a_process_tells_the_others_at_once_who_has_come(
    hubs: list[Hub], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    opened = await here.create(SETUP)
    live, other = await here.open(opened.id), await there.open(opened.id)
    async with here.watch(live, 1, visitor(opened, 0)) as ann:
        await clock.pass_by(8, here)
        assert said(ann) == [[1]]
        monkeypatch.setattr("hotdice.server.presence._BEAT", 3600.0)
        running = asyncio.create_task(there.presence.run())
        async with there.watch(other, 1, visitor(opened, 1)):
            await until(lambda: not live.away)
        running.cancel()


@on_postgres
async def test_nobody_is_away_while_another_process_is_silent(
    hubs: list[Hub], clock: Clock
) -> None:
    """It may hang, with clients that nobody else knows of; after a while it has ended."""
    here, there = hubs
    opened, elsewhere = await here.create(SETUP), await there.create(SETUP)
    live, other = await here.open(opened.id), await there.open(elsewhere.id)
    async with (
        there.watch(other, 1, visitor(elsewhere, 0)),
        here.watch(live, 1, visitor(opened, 0)) as ann,
    ):
        await clock.pass_by(8, there, here)
        assert said(ann) == [[1]]
        await clock.pass_by(7, here)
        assert said(ann) == []
        await clock.pass_by(2, here)
        assert said(ann) == [[]]
        await clock.pass_by(20, here)
        assert said(ann) == []
        await clock.pass_by(2, here)
        assert said(ann) == [[1]]


@on_postgres
async def test_nobody_is_away_while_notices_are_lost(
    hubs: list[Hub], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = hubs
    opened = await here.create(SETUP)
    live = await here.open(opened.id)
    async with here.watch(live, 1, visitor(opened, 0)) as ann:
        await clock.pass_by(8, here)
        assert said(ann) == [[1]]

        async def lose(_texts: list[str]) -> None:
            """The notice gets lost."""

        monkeypatch.setattr(here.store, "announce", lose)
        for _ in range(60):
            clock.now += 1
            await here.presence.beat()
        assert said(ann) == [[]]


@on_postgres
async def test_a_process_without_clients_is_not_waited_for(hubs: list[Hub], clock: Clock) -> None:
    here, there = hubs
    opened, elsewhere = await here.create(SETUP), await there.create(SETUP)
    live, other = await here.open(opened.id), await there.open(elsewhere.id)
    async with here.watch(live, 1, visitor(opened, 0)) as ann:
        async with there.watch(other, 1, visitor(elsewhere, 0)):
            await clock.pass_by(1, there, here)
        await clock.pass_by(2, there, here)  # it says that its last client has gone
        await clock.pass_by(6, here)
        assert said(ann) == [[1]]


@on_postgres
async def test_what_another_process_has_said_is_forgotten_in_time(
    hubs: list[Hub], clock: Clock
) -> None:
    """Its notice that a client has gone was lost, and it has other clients."""
    here, there = hubs
    opened, elsewhere = await here.create(SETUP), await there.create(SETUP)
    live, other = await here.open(opened.id), await there.open(elsewhere.id)
    async with (
        here.watch(live, 1, visitor(opened, 0)) as ann,
        there.watch(other, 1, visitor(elsewhere, 0)),
    ):
        async with there.watch(await there.open(opened.id), 1, visitor(opened, 1)):
            await clock.pass_by(1, there, here)
        there.presence._changed.clear()  # noqa: SLF001 - as if the notice was lost
        await clock.pass_by(35, there, here)
        assert said(ann) == []
        await clock.pass_by(3, there, here)
        assert said(ann) == [[1]]


@on_postgres
async def test_notices_about_many_tables_are_split(
    hubs: list[Hub], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    monkeypatch.setattr("hotdice.server.presence._LONGEST_NOTICE", 100)
    async with AsyncExitStack() as stack:
        anns = []
        for _ in range(5):
            opened = await here.create(SETUP)
            live, other = await here.open(opened.id), await there.open(opened.id)
            watching = here.watch(live, 1, visitor(opened, 0))
            anns.append(await stack.enter_async_context(watching))
            await stack.enter_async_context(there.watch(other, 1, visitor(opened, 1)))
        await clock.pass_by(20, there, here)
        assert [said(ann) for ann in anns] == [[]] * 5


@on_sqlite
@pytest.mark.parametrize(
    "notice", ["", "nonsense", "0123456789abcdef 1.0 t:x", "0123456789abcdef soon t:1"]
)
async def test_malformed_notices_are_ignored(hub: Hub, notice: str) -> None:
    hub.presence.hear(notice)
    assert hub.presence._others == {}  # noqa: SLF001 - looking inside
