"""Tables served by one process and by two at once."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from hotdice.core.due import ToRoll
from hotdice.server.clocks import Timepiece
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits, TooMany
from hotdice.server.live import Live, Visitor, hashed
from hotdice.server.tables import count_up, list_tables
from hotdice.storage import Addition, NoSuchTable, Scored, StorageError, Store, schema
from hotdice.table.commands import (
    Rematch,
    RollDice,
    Say,
    SitIn,
    Undo,
)
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Refused, Stale
from hotdice.table.rights import Forbidden
from hotdice.table.sitting import CannotUndo, Seat
from hotdice.table.summary import Summary
from tests.server.hubs import SETUP, act, acting, drained, next_command, two_hubs, until


async def test_a_game_played_to_its_end_is_stored(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    assert live.table.seq == 1
    while not live.table.sitting.is_over():
        await act(hub, live, opened)
    again = await Hub(store).open(opened.id)
    assert again.table.state == live.table.state
    assert again.table.due == live.table.due


async def test_ids_and_secrets_are_unguessable_and_secrets_are_not_stored(store: Store) -> None:
    hub = Hub(store)
    opened = [await hub.create(SETUP) for _ in range(3)]
    words = [word for one in opened for word in (one.id, one.host, *one.seats.values())]
    assert len(set(words)) == len(words)
    assert all(len(word) >= 22 for word in words)
    kept = await store.load(opened[0].id)
    known = {key.secret for key in (kept.host, *kept.keys.values())}
    assert not {opened[0].host, *opened[0].seats.values()} & known
    with pytest.raises(NoSuchTable):
        await hub.open("guess")


async def test_only_the_holder_of_its_secret_can_act_for_a_seat(store: Store) -> None:
    hub = Hub(store)
    opened, other = await hub.create(SETUP), await hub.create(SETUP)
    live = await hub.open(opened.id)
    command = next_command(live.table)
    for given in ([], [opened.seats[1]], [opened.host], list(other.seats.values()), [opened.id]):
        with pytest.raises(Forbidden):
            await hub.act(live, Visitor(given), command)
    with pytest.raises(Forbidden):
        await hub.act(live, Visitor([opened.seats[0]]), SitIn(1, "greedy"))
    assert live.table.seq == 1
    both = list(opened.seats.values())
    assert live.seats_of(Visitor(both)) == {0, 1}
    await hub.act(live, Visitor(both), command)


async def test_watchers_get_every_entry_once(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1) as one, hub.watch(live, 1) as other:
        for _ in range(6):
            await act(hub, live, opened)
        heard = [[e["seq"] for e in drained(watcher)] for watcher in (one, other)]
    assert heard == [list(range(2, live.table.seq + 1))] * 2
    assert len(live.told) == live.table.seq
    assert not live.watchers
    with pytest.raises(Stale):
        async with hub.watch(live, live.table.seq + 5):
            pass


async def test_a_watcher_that_falls_behind_is_dropped(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1) as watcher:
        for _ in range(300):
            await hub.act(live, Visitor(opened.seats.values()), Say(0, "well"))
        assert not live.watchers
        assert len(watcher.texts) <= 300
        last: str | None = ""
        while watcher.texts:
            last = watcher.texts.popleft()
        assert last is None


async def test_only_one_of_several_simultaneous_commands_succeeds(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    command = next_command(live.table)
    results = await asyncio.gather(
        *(hub.act(live, Visitor([opened.seats[0]]), command) for _ in range(5)),
        return_exceptions=True,
    )
    assert sum(isinstance(result, list) for result in results) == 1
    assert sum(isinstance(result, Stale) for result in results) == 4


async def test_a_choice_can_be_undone_once(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    while acting(live.table) == 0:
        await act(hub, live, opened)
    await hub.act(live, Visitor(opened.seats.values()), Undo(0, live.table.seq))
    assert acting(live.table) == 0
    with pytest.raises(CannotUndo):
        await hub.act(live, Visitor(opened.seats.values()), Undo(0, live.table.seq))
    assert (await Hub(store).open(opened.id)).table.state == live.table.state


async def test_two_servers_share_a_table(database: str) -> None:
    """Players are split between two servers; with PostgreSQL both are notified at once."""
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        async with hubs[0].running(), hubs[1].running():
            lives = [await hub.open(opened.id) for hub in hubs]
            while not lives[0].table.sitting.is_over():
                seat = acting(lives[0].table)
                await act(hubs[seat], lives[seat], opened)
                await _sync(hubs, lives)
            assert list(lives[0].table.entries) == list(lives[1].table.entries)


async def _sync(hubs: list[Hub], lives: list[Live]) -> None:
    """Wait until both are up to date; SQLite has no notifications, so refresh."""
    if not hubs[0].store.is_postgres:
        for hub, live in zip(hubs, lives, strict=True):
            await hub.room.refresh(live)
        return
    await until(lambda: lives[0].table.seq == lives[1].table.seq)


async def test_a_server_that_was_behind_refuses_and_catches_up(database: str) -> None:
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        lives = [await hub.open(opened.id) for hub in hubs]
        command = next_command(lives[0].table)
        await hubs[0].act(lives[0], Visitor([opened.seats[0]]), command)
        with pytest.raises(Stale):
            await hubs[1].act(lives[1], Visitor([opened.seats[0]]), command)
        assert list(lives[1].table.entries) == list(lives[0].table.entries)


async def test_chat_is_said_although_another_process_was_quicker(database: str) -> None:
    """It fits any state of the table, so that nobody has to say it again."""
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        lives = [await hub.open(opened.id) for hub in hubs]
        await act(hubs[0], lives[0], opened)
        [said] = await hubs[1].act(lives[1], Visitor([opened.seats[1]]), Say(1, "Well rolled"))
        assert said.seq == lives[0].table.seq + 1
        assert list(lives[1].table.entries) == [*lives[0].table.entries, said]


async def test_chat_of_another_process_is_no_reason_to_refuse_a_roll(database: str) -> None:
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        lives = [await hub.open(opened.id) for hub in hubs]
        await hubs[0].act(lives[0], Visitor([opened.seats[1]]), Say(1, "Good luck"))
        entries = await act(hubs[1], lives[1], opened)
        assert entries[0].seq == lives[0].table.seq + 1


async def test_entries_that_never_fit_are_given_up(database: str) -> None:
    """A table that was deleted meanwhile: there is nothing to catch up with."""
    async with two_hubs(database) as (hub, other):
        opened = await hub.create(SETUP)
        live = await hub.open(opened.id)
        await other.store.add(Addition(opened.id, (), gone=True))
        with pytest.raises(Refused, match="connect again"):
            await hub.act(live, Visitor([opened.seats[1]]), Say(1, "Anybody here?"))


async def test_a_server_catches_up_with_a_client_that_has_seen_more(database: str) -> None:
    """A player whose socket moves to another process continues where they were."""
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        lives = [await hub.open(opened.id) for hub in hubs]
        await act(hubs[0], lives[0], opened)
        seat, command = acting(lives[0].table), next_command(lives[0].table)
        here = hubs[1].act(lives[1], Visitor([opened.seats[seat]]), command)
        if hubs[0].store.is_postgres:
            assert await here
            assert lives[1].table.seq > lives[0].table.seq
        else:  # SQLite is served by one process only
            with pytest.raises(Stale):
                await here


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_one_unreadable_table_does_not_block_others(database: str) -> None:
    """For instance during a rolling upgrade, when newer processes write new kinds of entries."""
    async with two_hubs(database) as (hub, other), hub.running():
        lives = [await hub.open((await hub.create(SETUP)).id) for _ in range(2)]
        await other.store.append(lives[0].id, [Entry(2, cast("Kind", "wave"), 0, "", 0.0)])
        await other.store.append(lives[1].id, [Entry(2, Kind.SAY, 0, "well", 0.0)])
        await until(lambda: lives[1].table.seq == 2)


async def test_each_open_seat_is_taken_only_once(store: Store) -> None:
    hub = Hub(store)
    setup = replace(SETUP, seats=(Seat("Ann"), Seat("Seat 2"), Seat("Seat 3")), open=(1, 2))
    opened = await hub.create(setup, "ann's key, made up by her device")
    assert set(opened.seats) == {0}
    live = await hub.open(opened.id)
    results = await asyncio.gather(
        *(hub.join(live, f"Guest {n}", 1, f"key {n}") for n in range(4)), return_exceptions=True
    )
    [(seat, secret)] = [result for result in results if isinstance(result, tuple)]
    assert seat == 1
    assert sum(isinstance(result, Refused) for result in results) == 3
    assert live.seats_of(Visitor([secret])) == {1}
    seat, _ = await hub.join(live, "Last", None, "last key")
    assert seat == 2
    assert live.seats_of(Visitor(player="last key")) == {2}
    assert live.table.seq == 3  # the last join is followed by the first roll
    with pytest.raises(Refused, match="watch"):
        await hub.join(live, "Late", None, "")
    again = await Hub(store).open(opened.id)
    assert again.seats_of(Visitor(player="last key")) == {2}
    assert again.table.names == live.table.names


async def test_a_seat_taken_at_another_server_is_known_here(database: str) -> None:
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(replace(SETUP, open=(1,)))
        lives = [await hub.open(opened.id) for hub in hubs]
        _, secret = await hubs[1].join(lives[1], "Eve", 1, "")
        with pytest.raises(Refused):
            await hubs[0].join(lives[0], "Bob", 1, "")
        assert lives[0].seats_of(Visitor([secret])) == {1}
        assert lives[0].table.names[1] == "Eve"


async def test_scores_of_finished_games_are_stored(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP, "somebody's player key")
    live = await hub.open(opened.id)
    owner = Visitor(player="somebody's player key").owner
    for played in (1, 2):
        while not live.table.sitting.is_over():
            await act(hub, live, opened)
        careers = {career.name: career for career in await store.career(owner)}
        assert [careers[name].games for name in ("Ann", "Ben")] == [played, played]
        assert sum(career.won for career in careers.values()) >= played
        await hub.act(
            live,
            Visitor(opened.seats.values()),
            Rematch(0, live.table.seq),
        )
    assert [listed.id for listed in await store.tables_of(owner, 1e12, 9)] == [opened.id]


async def test_undoing_a_result_removes_its_scores(store: Store) -> None:
    hub = Hub(store)
    setup = replace(SETUP, options="starts=seat entry=0 target=5", dice="typed")
    opened = await hub.create(setup, "a key")
    live = await hub.open(opened.id)
    owner = Visitor(player="a key").owner
    for rolled in ("111111", "222346"):
        dice = live.table.due
        assert isinstance(dice, ToRoll)
        await hub.act(
            live,
            Visitor(player="a key"),
            RollDice(dice.seat, rolled, live.table.seq),
        )
        if not live.table.sitting.is_over():
            await act(hub, live, opened)
    while not live.table.sitting.is_over():
        await act(hub, live, opened)
    assert len(await store.career(owner)) == 2
    undoer = live.table.sitting.undoer()
    assert undoer is not None
    await hub.act(live, Visitor(player="a key"), Undo(undoer, live.table.seq))
    assert await store.career(owner) == []


async def test_reading_long_logs_counts_towards_the_rate_limit(store: Store) -> None:
    hub = Hub(store, timepiece=Timepiece(steady=lambda: 0.0))
    for _ in range(3):
        hub.charge("10.0.0.1", 15_000)
    hub.charge("10.0.0.1", -(10**9))  # a false claim to have seen more gains nothing
    with pytest.raises(TooMany):
        hub.charge("10.0.0.1", 15_000)
    hub.charge("10.0.0.2", 15_000)


async def test_guests_who_join_together_get_different_seats(store: Store) -> None:
    hub = Hub(store)
    seats = tuple(Seat(f"Seat {number}") for number in range(1, 5))
    live = await hub.open((await hub.create(replace(SETUP, seats=seats, open=(1, 2, 3)))).id)
    found = await asyncio.gather(*(hub.join(live, f"Guest {n}", None, "") for n in range(3)))
    assert {seat for seat, _ in found} == {1, 2, 3}


async def test_the_least_recently_used_table_is_evicted(store: Store) -> None:
    hub = Hub(store, limits=Limits(open_tables=6))
    ids = [(await hub.create(SETUP)).id for _ in range(6)]
    assert [live.id for live in hub.room] == ids
    await hub.create(SETUP)
    assert [live.id for live in hub.room][:5] == ids[1:]


async def test_long_tables_without_clients_are_evicted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that became long only after they were opened."""
    monkeypatch.setattr("hotdice.server.room._COMPARED_EVERY", 0.01)
    hub = Hub(store, limits=Limits(open_entries=12))
    tables = [await hub.create(SETUP) for _ in range(4)]
    used, watched, long, last = [await hub.open(table.id) for table in tables]
    for table, live in zip(tables, (used, watched, long, last), strict=True):
        for _ in range(5 if live in (watched, long) else 0):
            await hub.act(live, Visitor([table.seats[0]]), Say(0, "well?"))
    async with hub.watch(watched, 1):
        await hub.create(SETUP)
        assert used.id in hub.room  # 6 + 3 entries without clients
        await hub.open(used.id)
        for _ in range(4):
            await hub.act(last, Visitor([tables[3].seats[0]]), Say(0, "well?"))
        async with hub.running():
            await until(lambda: len(hub.room) == 4)
            assert long.id not in hub.room
            await until(lambda: "hotdice_entries_open 13.0" in hub.metrics.text().decode())


async def test_games_that_are_no_longer_installed_are_left_out(store: Store) -> None:
    player = "a key of mine that is long"
    hub = Hub(store)
    known, gone = [await hub.create(SETUP, player) for _ in range(2)]
    game = SETUP.text().replace("farkle", "faro")
    async with store._engine.begin() as connection:  # noqa: SLF001 - there is no API for it
        ours = schema.tables.c.id == gone.id
        await connection.execute(schema.tables.update().where(ours).values(setup=game))
    owner = hashed(player)
    summary = Summary(100, won=True, turns=3, best=60, empty=1)
    scores = [
        Scored(1, seat, owner, slug, "Ann", "", 1.0, summary)
        for seat, slug in enumerate(("farkle", "faro"))
    ]
    said = Entry(2, Kind.SAY, 0, "over", 0.0)
    await store.add(Addition(known.id, [said], game=1, scores=scores))
    fresh, visitor = Hub(store), Visitor(player=player)
    assert [one.id for one in (await list_tables(fresh, visitor, 1e12)).tables] == [known.id]
    assert [one.game for one in (await count_up(fresh, visitor)).careers] == ["farkle"]


async def test_clients_are_told_of_database_trouble_and_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database file is moved away for a while."""
    monkeypatch.setattr("hotdice.server.hub._WATCHED_EVERY", 0.05)
    file = tmp_path / "hotdice.db"
    store = await Store.open(f"sqlite:///{file}")
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(SETUP)
        live = await hub.open(opened.id)
        async with hub.watch(live, 1, Visitor(opened.seats.values())) as watcher:
            file.rename(tmp_path / "elsewhere")
            with pytest.raises(StorageError):
                await act(hub, live, opened)
            said = json.loads(await watcher.get() or "")
            assert said["type"] == "trouble"
            assert "put it back" in said["what"]
            assert hub.trouble == said["what"]
            (tmp_path / "elsewhere").rename(file)
            said = json.loads(await watcher.get() or "")
            assert said == {"type": "trouble", "what": ""}
            assert await hub.problems() == []
    await store.close()
