"""Tables served by one process and by two at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from hotdice.core.game import ToChoose, ToRoll
from hotdice.server.hub import Forbidden, Hub, Live, Opened
from hotdice.storage import Conflict, NoSuchTable, Store
from hotdice.table.log import Entry, Setup, Stale, Table
from hotdice.table.sitting import CannotUndo, Seat

SETUP = Setup("farkle", "starts=seat entry=0 target=200", (Seat("Ann"), Seat("Ben")), seed="s")


def next_command(table: Table) -> Callable[[Table, float], list[Entry]]:
    """What whoever has to act does next: roll, or bank if that can be."""
    due, seen = table.due(), table.seq
    if isinstance(due, ToRoll):
        return lambda t, now: t.roll(due.seat, "", seen, now)
    assert isinstance(due, ToChoose)
    choices = table.game.choices(table.state)
    text = table.game.event_text(next((c for c in choices if c.then == "bank"), choices[0]))
    return lambda t, now: t.choose(due.seat, text, seen, now)


def acting(table: Table) -> int:
    due = table.due()
    assert isinstance(due, ToRoll | ToChoose)
    return due.seat


async def act(hub: Hub, live: Live, opened: Opened) -> tuple[Entry, ...]:
    seat = acting(live.table)
    return await hub.act(live, [opened.seats[seat]], seat, next_command(live.table))


async def test_a_game_is_played_to_its_end_and_lasts(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    assert live.table.seq == 1
    while not live.table.sitting.is_over():
        await act(hub, live, opened)
    again = await Hub(store).open(opened.id)
    assert again.table.state == live.table.state
    assert again.table.due() == live.table.due()


async def test_ids_and_secrets_cannot_be_guessed_and_are_not_kept(store: Store) -> None:
    hub = Hub(store)
    opened = [await hub.create(SETUP) for _ in range(3)]
    words = [word for one in opened for word in (one.id, one.host, *one.seats.values())]
    assert len(set(words)) == len(words)
    assert all(len(word) >= 22 for word in words)
    kept = await store.load(opened[0].id)
    assert not {opened[0].host, *opened[0].seats.values()} & {kept.host, *kept.secrets.values()}
    with pytest.raises(NoSuchTable):
        await hub.open("guess")


async def test_only_who_has_the_secret_acts(store: Store) -> None:
    hub = Hub(store)
    opened, other = await hub.create(SETUP), await hub.create(SETUP)
    live = await hub.open(opened.id)
    command = next_command(live.table)
    for given in ([], [opened.seats[1]], [opened.host], list(other.seats.values()), [opened.id]):
        with pytest.raises(Forbidden):
            await hub.act(live, given, 0, command)
    with pytest.raises(Forbidden):
        await hub.host(live, opened.seats[0], command)
    assert live.table.seq == 1
    both = list(opened.seats.values())
    assert live.seats_of(both) == {0, 1}
    await hub.act(live, both, 0, command)


async def test_watchers_get_everything_once_from_where_they_were(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 0) as early, hub.watch(live, 1) as late:
        for _ in range(6):
            await act(hub, live, opened)
        heard = [[e.seq for e in _drained(queue)] for queue in (early, late)]
    count = live.table.seq
    assert heard == [list(range(1, count + 1)), list(range(2, count + 1))]
    assert not live.watchers
    with pytest.raises(Stale):
        async with hub.watch(live, count + 5):
            pass


def _drained(queue: asyncio.Queue[tuple[Entry, ...] | None]) -> list[Entry]:
    found: list[Entry] = []
    while not queue.empty():
        found += queue.get_nowait() or ()
    return found


async def test_who_does_not_listen_is_let_go(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1) as queue:
        for _ in range(300):
            await hub.act(live, opened.seats.values(), 0, lambda t, now: t.say(0, "well", now))
        assert not live.watchers
        assert queue.qsize() <= 300
        last = None
        while not queue.empty():
            last = queue.get_nowait()
        assert last is None


async def test_of_two_commands_at_once_one_wins(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    command = next_command(live.table)
    results = await asyncio.gather(
        *(hub.act(live, [opened.seats[0]], 0, command) for _ in range(5)), return_exceptions=True
    )
    assert sum(isinstance(result, tuple) for result in results) == 1
    assert sum(isinstance(result, Stale) for result in results) == 4


async def test_undo_through_the_hub(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    while acting(live.table) == 0:
        await act(hub, live, opened)
    await hub.act(live, opened.seats.values(), 0, lambda t, now: t.undo(0, t.seq, now))
    assert acting(live.table) == 0
    with pytest.raises(CannotUndo):
        await hub.act(live, opened.seats.values(), 0, lambda t, now: t.undo(0, t.seq, now))
    assert (await Hub(store).open(opened.id)).table.state == live.table.state


async def test_two_servers_share_a_table(database: str) -> None:
    """Players split between two servers on one database; with PostgreSQL both hear at once."""
    stores = [await Store.open(database) for _ in range(2)]
    hubs = [Hub(one) for one in stores]
    try:
        opened = await hubs[0].create(SETUP)
        async with hubs[0].listening(), hubs[1].listening():
            lives = [await hub.open(opened.id) for hub in hubs]
            while not lives[0].table.sitting.is_over():
                seat = acting(lives[0].table)
                await act(hubs[seat], lives[seat], opened)
                await _agree(hubs, lives)
            assert lives[0].table.entries == lives[1].table.entries
    finally:
        for one in stores:
            await one.close()


async def _agree(hubs: list[Hub], lives: list[Live]) -> None:
    """Wait until both have heard; SQLite has no messages, so there one looks again."""
    if not hubs[0].store.is_postgres:
        for hub, live in zip(hubs, lives, strict=True):
            async with live.lock:
                await hub._catch_up(live)  # noqa: SLF001 - what a failed command does
        return
    for _ in range(500):
        if lives[0].table.seq == lives[1].table.seq:
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the other server did not hear of it")


async def test_a_server_that_was_behind_refuses_and_catches_up(database: str) -> None:
    stores = [await Store.open(database) for _ in range(2)]
    hubs = [Hub(one) for one in stores]
    try:
        opened = await hubs[0].create(SETUP)
        lives = [await hub.open(opened.id) for hub in hubs]
        command = next_command(lives[0].table)
        await hubs[0].act(lives[0], [opened.seats[0]], 0, command)
        with pytest.raises(Conflict):
            await hubs[1].act(lives[1], [opened.seats[0]], 0, command)
        assert lives[1].table.entries == lives[0].table.entries
    finally:
        for one in stores:
            await one.close()
