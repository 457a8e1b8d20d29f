"""Tables served by one process and by two at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from hotdice.core.errors import HotDiceError
from hotdice.core.game import ToChoose, ToRoll
from hotdice.server.clocks import Timepiece
from hotdice.server.driving import _if_next
from hotdice.server.hub import Hub, Opened
from hotdice.server.limits import Limits, TooMany
from hotdice.server.live import Live, Visitor, Watcher, hashed
from hotdice.server.tables import count_up, list_tables
from hotdice.storage import Addition, Conflict, NoSuchTable, Scored, StorageError, Store, schema
from hotdice.table.commands import (
    Choose,
    Command,
    Rematch,
    Return,
    RollDice,
    Say,
    SitIn,
    TimeOut,
    Undo,
    auto_roll,
)
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Refused, Stale, Table
from hotdice.table.rights import Forbidden
from hotdice.table.setup import Setup
from hotdice.table.sitting import CannotUndo, Seat
from hotdice.table.summary import Summary

SETUP = Setup("farkle", "starts=seat entry=0 target=200", (Seat("Ann"), Seat("Ben")), seed="s")


def next_command(table: Table) -> Command:
    """What whoever has to act does next: roll, or bank if that can be."""
    due, seen = table.due, table.seq
    if isinstance(due, ToRoll):
        return RollDice(due.seat, "", seen)
    assert isinstance(due, ToChoose)
    choices = table.game.choices(table.state)
    text = table.game.event_text(next((c for c in choices if c.then == "bank"), choices[0]))
    return Choose(due.seat, text, seen)


def acting(table: Table) -> int:
    due = table.due
    assert isinstance(due, ToRoll | ToChoose)
    return due.seat


async def act(hub: Hub, live: Live, opened: Opened) -> list[Entry]:
    seat = acting(live.table)
    return await hub.act(live, Visitor([opened.seats[seat]]), next_command(live.table))


async def test_a_game_is_played_to_its_end_and_lasts(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    assert live.table.seq == 1
    while not live.table.sitting.is_over():
        await act(hub, live, opened)
    again = await Hub(store).open(opened.id)
    assert again.table.state == live.table.state
    assert again.table.due == live.table.due


async def test_ids_and_secrets_cannot_be_guessed_and_are_not_kept(store: Store) -> None:
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


async def test_only_who_has_the_secret_acts(store: Store) -> None:
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


async def test_watchers_hear_everything_once(store: Store) -> None:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    live = await hub.open(opened.id)
    async with hub.watch(live, 1) as one, hub.watch(live, 1) as other:
        for _ in range(6):
            await act(hub, live, opened)
        heard = [[e["seq"] for e in _drained(watcher)] for watcher in (one, other)]
    assert heard == [list(range(2, live.table.seq + 1))] * 2
    assert len(live.told) == live.table.seq
    assert not live.watchers
    with pytest.raises(Stale):
        async with hub.watch(live, live.table.seq + 5):
            pass


def _drained(watcher: Watcher) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while watcher.texts:
        found += json.loads(watcher.texts.popleft() or "{}").get("entries", [])
    return found


async def test_who_does_not_listen_is_let_go(store: Store) -> None:
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


async def test_of_two_commands_at_once_one_wins(store: Store) -> None:
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


async def test_undo_through_the_hub(store: Store) -> None:
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


@asynccontextmanager
async def two_hubs(database: str) -> AsyncIterator[list[Hub]]:
    """Two servers on one database."""
    stores = [await Store.open(database) for _ in range(2)]
    try:
        yield [Hub(one) for one in stores]
    finally:
        for one in stores:
            await one.close()


async def test_two_servers_share_a_table(database: str) -> None:
    """Players split between two servers on one database; with PostgreSQL both hear at once."""
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        async with hubs[0].running(), hubs[1].running():
            lives = [await hub.open(opened.id) for hub in hubs]
            while not lives[0].table.sitting.is_over():
                seat = acting(lives[0].table)
                await act(hubs[seat], lives[seat], opened)
                await _agree(hubs, lives)
            assert list(lives[0].table.entries) == list(lives[1].table.entries)


async def _agree(hubs: list[Hub], lives: list[Live]) -> None:
    """Wait until both have heard; SQLite has no messages, so there one looks again."""
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
        with pytest.raises(Conflict):
            await hubs[1].act(lives[1], Visitor([opened.seats[0]]), command)
        assert list(lives[1].table.entries) == list(lives[0].table.entries)


async def test_who_has_seen_more_than_a_server_is_not_sent_away(database: str) -> None:
    """A player whose socket moves to another process goes on where they were."""
    async with two_hubs(database) as hubs:
        opened = await hubs[0].create(SETUP)
        lives = [await hub.open(opened.id) for hub in hubs]
        await act(hubs[0], lives[0], opened)
        seat, command = acting(lives[0].table), next_command(lives[0].table)
        here = hubs[1].act(lives[1], Visitor([opened.seats[seat]]), command)
        if hubs[0].store.is_postgres:
            assert await here
            assert lives[1].table.seq > lives[0].table.seq
        else:  # another process cannot be
            with pytest.raises(Stale):
                await here


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_one_table_that_cannot_be_read_stops_no_other(database: str) -> None:
    """For instance while processes are being replaced by newer ones, which write other things."""
    async with two_hubs(database) as (hub, other), hub.running():
        lives = [await hub.open((await hub.create(SETUP)).id) for _ in range(2)]
        await other.store.append(lives[0].id, [Entry(2, cast("Kind", "wave"), 0, "", 0.0)])
        await other.store.append(lives[1].id, [Entry(2, Kind.SAY, 0, "well", 0.0)])
        await until(lambda: lives[1].table.seq == 2)


# What happens of itself ---------------------------------------------------------------------------


async def until(happened: Callable[[], bool]) -> None:
    """Wait for something, however busy the machine is; if it never happens, pytest ends the run."""
    while not happened():  # noqa: ASYNC110 - what happens sets no event
        await asyncio.sleep(0.01)


def person_due(live: Live, seat: int = 0) -> bool:
    due = live.table.due
    return isinstance(due, ToRoll | ToChoose) and due.seat == seat


@pytest.mark.parametrize("level", ["greedy", "sharp"])
async def test_bots_play_of_themselves_and_nobody_waits_for_them(store: Store, level: str) -> None:
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(replace(SETUP, seats=(Seat("Ann"), Seat("Bo", level))))
        live = await hub.open(opened.id)
        while not live.table.sitting.is_over():
            await act(hub, live, opened)
            await until(lambda: live.table.sitting.is_over() or person_due(live))
        kinds = {(entry.kind, entry.seat) for entry in live.table.entries}
        assert {("roll", 1), ("choose", 1)} <= kinds


async def test_a_bot_that_was_about_to_play_plays_after_a_restart(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._STALLED", 0.1)
    setup = replace(SETUP, seats=(Seat("Bo", "greedy"), Seat("Ann")))
    first = Hub(store)  # never runs its bots: it dies before
    opened = await first.create(setup)
    for task in list(first.room._tasks):  # noqa: SLF001 - that is how it dies
        task.cancel()
    hub = Hub(store)
    async with hub.running():
        live = await hub.open(opened.id)
        await until(lambda: person_due(live, 1))


async def test_the_clock_runs_out_and_the_seat_is_reclaimed(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(replace(SETUP, clock=1))
        live = await hub.open(opened.id)
        await until(lambda: live.table.is_bot(0))
        assert "Time is up for Ann: a casual bot sits in." in live.told
        await until(lambda: person_due(live, 1))
        await hub.act(live, Visitor([opened.seats[0]]), Return(0))
        assert not live.table.is_bot(0)


@pytest.mark.parametrize("jump", [3600.0, -3600.0])
async def test_the_wall_clock_moves_no_players_time(store: Store, jump: float) -> None:
    """It is set an hour on or back; who has to act has had no time and has all of it left."""
    hour = 0.0
    hub = Hub(store, timepiece=Timepiece(wall=lambda: 1e9 + hour, steady=lambda: 5.0))
    async with hub.running():
        opened = await hub.create(replace(SETUP, clock=60))
        live = await hub.open(opened.id)
        hour = jump
        deadline = live.table.deadline()
        assert deadline == live.clock.now() + 60
        with pytest.raises(Refused, match="not run out"):
            TimeOut().on(live.table, live.clock.now())
        [entry, *_] = await act(hub, live, opened)
        assert entry.at == 1e9


async def test_processes_whose_clocks_differ_agree_on_how_long_somebody_has(database: str) -> None:
    """One is an hour ahead; it counts from when it heard, and the log never goes back in time."""
    async with two_hubs(database) as (here, ahead):
        here.timepiece = Timepiece(wall=lambda: 1000.0, steady=lambda: 0.0)
        here.room._timepiece = here.timepiece  # noqa: SLF001 - as if started with it
        ahead.room._timepiece = Timepiece(wall=lambda: 4600.0, steady=lambda: 0.0)  # noqa: SLF001 - as above
        opened = await here.create(replace(SETUP, clock=60))
        near, far = await here.open(opened.id), await ahead.open(opened.id)
        await act(here, near, opened)
        await ahead.room.refresh(far)
        assert far.table.deadline() == near.table.deadline()
        assert far.clock.now() == near.clock.now()
        await act(ahead, far, opened)
        times = [entry.at for entry in far.table.entries]
        assert times == sorted(times)


async def test_a_clock_that_ran_out_while_nobody_looked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who opens the table has a moment to act, for perhaps only the wall clock has jumped."""
    monkeypatch.setattr("hotdice.server.clocks._GRACE", 0.2)
    long_ago = Hub(store, timepiece=Timepiece(wall=lambda: 1000.0))
    opened = await long_ago.create(replace(SETUP, clock=60))
    hub = Hub(store, limits=Limits(days=0))  # else it would be forgotten
    async with hub.running():
        live = await hub.open(opened.id)
        assert 0.0 < live.clock.grace() <= 0.2
        await until(lambda: live.table.is_bot(0))


async def test_a_full_log_lets_no_clock_ring_and_no_bot_play(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.table.log._LAST_AUTOMATIC", 1)
    hub = Hub(store)
    async with hub.running():
        live = await hub.open((await hub.create(replace(SETUP, clock=1))).id)
        assert (live.alarm, live.table.deadline()) == (None, None)
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        live = await hub.open((await hub.create(replace(SETUP, seats=seats))).id)
        assert live.driver is None


async def test_seats_are_taken_by_link_each_once(store: Store) -> None:
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
    assert live.table.seq == 3  # the dice lie there as soon as all have sat down
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


async def test_scores_of_finished_games_are_kept(store: Store) -> None:
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


async def test_with_real_dice_a_result_can_be_taken_back(store: Store) -> None:
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


async def test_bots_of_a_new_table_wait_for_somebody_to_look(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        opened = await hub.create(replace(SETUP, seats=seats))
        live = await hub.open(opened.id)
        await asyncio.sleep(0.3)
        assert not live.table.sitting.has_chosen()
        async with hub.watch(live, live.table.seq) as watcher:
            await until(lambda: person_due(live, 1))
            assert any(entry["kind"] == "choose" for entry in _drained(watcher))


async def test_who_comes_back_in_time_has_missed_a_turn_not_the_game(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Ann"), Seat("Bo", "greedy"))
        opened = await hub.create(replace(SETUP, seats=seats))
        live, ann = await hub.open(opened.id), Visitor(opened.seats.values())
        async with hub.watch(live, 1):
            await hub.act(live, ann, SitIn(0, "greedy"))
            await until(lambda: live.table.due.seat == 1)  # type: ignore[union-attr] # not over
            await hub.act(live, ann, Return(0))
            await until(lambda: person_due(live, 0))
        assert live.table.seq < 40


async def test_where_only_bots_play_nothing_happens_unseen(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Cy", "greedy"))
        opened = await hub.create(replace(SETUP, seats=seats))
        live = await hub.open(opened.id)
        await until(lambda: not live.driver_waits)  # it does not wait for an audience any more
        for _ in range(20):
            await asyncio.sleep(0)
        seen = live.table.seq
        assert not live.table.sitting.has_chosen()
        async with hub.watch(live, seen):
            await until(lambda: live.table.seq > seen)


async def test_bots_play_on_where_no_process_can_be_started(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_given: Any) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("hotdice.server.thinking.Mind.start", refuse)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "perfect"), Seat("Ann"))
        live = await hub.open((await hub.create(replace(SETUP, seats=seats))).id)
        async with hub.watch(live, live.table.seq):
            await until(lambda: person_due(live, 1))


async def test_who_looks_at_long_logs_pays_for_it(store: Store) -> None:
    hub = Hub(store, timepiece=Timepiece(steady=lambda: 0.0))
    for _ in range(3):
        hub.charge("10.0.0.1", 15_000)
    hub.charge("10.0.0.1", -(10**9))  # who claims to have seen more than there is gains nothing
    with pytest.raises(TooMany):
        hub.charge("10.0.0.1", 15_000)
    hub.charge("10.0.0.2", 15_000)


async def test_bots_do_not_wait_for_ever(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.server.driving._AUDIENCE", 0.1)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        live = await hub.open((await hub.create(replace(SETUP, seats=seats))).id)
        await until(lambda: person_due(live, 1))


async def test_as_many_as_there_are_seats_sit_down_together(store: Store) -> None:
    hub = Hub(store)
    seats = tuple(Seat(f"Seat {number}") for number in range(1, 5))
    live = await hub.open((await hub.create(replace(SETUP, seats=seats, open=(1, 2, 3)))).id)
    found = await asyncio.gather(*(hub.join(live, f"Guest {n}", None, "") for n in range(3)))
    assert {seat for seat, _ in found} == {1, 2, 3}


async def test_the_longest_untouched_table_is_let_go(store: Store) -> None:
    hub = Hub(store, limits=Limits(open_tables=6))
    ids = [(await hub.create(SETUP)).id for _ in range(6)]
    assert [live.id for live in hub.room] == ids
    await hub.create(SETUP)
    assert [live.id for live in hub.room][:5] == ids[1:]


async def test_who_changes_a_table_here_does_not_wait_for_another_process(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process was to play for the bot; what happens here makes it ours."""
    for pause in ("_AUDIENCE", "_STALLED"):
        monkeypatch.setattr(f"hotdice.server.driving.{pause}", 60.0)
    elsewhere, here = Hub(store), Hub(store)
    async with elsewhere.running(), here.running():
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        opened = await elsewhere.create(replace(SETUP, seats=seats))
        live = await here.open(opened.id)
        await asyncio.sleep(0.1)
        assert not live.table.sitting.has_chosen()
        await here.act(live, Visitor([opened.host]), SitIn(0, "casual"))
        await until(lambda: person_due(live, 1))


async def test_what_was_worked_out_elsewhere_happens_when_it_is_committed() -> None:
    table = auto_roll(Table.of(SETUP), 1.0).table
    seat = acting(table)
    after = Say(seat, "well").on(table, 1.0)
    [entry] = _if_next(after, table, 9.0).entries
    assert entry == after.entries[0]._replace(at=9.0)
    with pytest.raises(Stale):
        _if_next(after, after.table, 9.0)


async def test_games_that_are_not_installed_any_more_are_left_out(store: Store) -> None:
    player = "a key of mine that is long"
    hub = Hub(store)
    known, gone = [await hub.create(SETUP, player) for _ in range(2)]
    game = SETUP.text().replace("farkle", "faro")
    async with store._engine.begin() as connection:  # noqa: SLF001 - as nobody else could
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


async def test_bots_play_on_when_the_database_is_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._AGAIN", 0.05)
    hub = Hub(store)
    add, tries = store.add, 0

    async def fail_at_first(addition: Addition) -> None:
        nonlocal tries
        tries += 1
        if tries <= 2:
            raise StorageError("The database cannot be written to: it is full.")
        await add(addition)

    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        live = await hub.open((await hub.create(replace(SETUP, seats=seats, clock=1))).id)
        monkeypatch.setattr(store, "add", fail_at_first)
        async with hub.watch(live, live.table.seq):
            await until(lambda: person_due(live, 1))
            tries = 0
            await until(lambda: live.table.is_bot(1))


async def test_everybody_hears_of_trouble_and_of_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file of the database is taken away for a while."""
    monkeypatch.setattr("hotdice.server.hub._WATCHED_EVERY", 0.05)
    file = tmp_path / "hotdice.db"
    store = await Store.open(f"sqlite:///{file}")
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(SETUP)
        live = await hub.open(opened.id)
        async with hub.watch(live, 1) as watcher:
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


# The coach and bots that plan ---------------------------------------------------------------------


@pytest.fixture
async def thinking(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Hub]:
    """A hub that runs, with nothing solved yet."""
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path))
    hub = Hub(store)
    async with hub.running():
        yield hub


def small(target: int, store: Store) -> Setup:
    """A game with tables of its own: what one test has solved, this process knows."""
    options = f"target={target + store.is_postgres} starts=seat"
    return Setup("cockroach", options, (Seat("Ann"), Seat("Ben")), seed="s")


async def test_the_coach_speaks_where_the_table_allows_it(thinking: Hub) -> None:
    quiet = await thinking.open(
        (await thinking.create(replace(small(21, thinking.store), coach=False))).id
    )
    with pytest.raises(Refused, match="no coach"):
        await thinking.advise(quiet, quiet.table.seq)
    live = await thinking.open((await thinking.create(small(21, thinking.store))).id)
    with pytest.raises(Stale):
        await thinking.advise(live, live.table.seq - 1)
    async with thinking.watch(live, 0) as watcher:
        first = await thinking.advise(live, live.table.seq)
        assert len(first.counsels) == len(live.table.game.choices(live.table.state))
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1].get("part") != 1.0:
            text = await watcher.get()
            heard.append(json.loads(text or "{}"))
        assert {one["type"] for one in heard} == {"working"}
    later = await thinking.advise(live, live.table.seq)
    assert (first.objective, later.objective) == ("points", "win")


async def test_games_are_solved_one_at_a_time_and_address_by_address(
    thinking: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[int] = []
    may_end = asyncio.Event()

    async def solve(_work: Any, _slug: str, _options: str, players: int) -> None:
        order.append(players)
        await may_end.wait()

    monkeypatch.setattr("hotdice.server.thinking._Work._solve", solve)
    game, thinker = SETUP.rules(), thinking.thinker
    async with AsyncExitStack() as stack:
        works = [
            await stack.enter_async_context(thinker.preparing(address, game, players, print))
            for players, address in ((2, "mallory"), (3, "mallory"), (4, "mallory"), (5, "ann"))
        ]
        await works[0].started.wait()
        await works[2].started.wait()
        with pytest.raises(TooMany):  # two for one address, and no more
            await works[2].task
        assert order == [2]
        may_end.set()
        await asyncio.gather(*(work.task for work in works[:2]), works[3].task)
    assert order == [2, 3, 5]


async def test_a_perfect_player_works_out_its_tables_while_others_play_on(thinking: Hub) -> None:
    seats = (Seat("Bo", "perfect"), Seat("Ann"))
    opened = await thinking.create(replace(small(23, thinking.store), seats=seats))
    live = await thinking.open(opened.id)
    async with thinking.watch(live, 0) as watcher:
        await thinking.act(live, Visitor(opened.seats.values()), Say(1, "well?"))
        await until(lambda: person_due(live, 1))
        heard = [json.loads(text or "{}")["type"] for text in watcher.texts]
    assert "working" in heard
    assert heard[-1] == "news"


async def test_who_does_not_want_to_wait_for_it_takes_another(thinking: Hub) -> None:
    seats = (Seat("Bo", "perfect"), Seat("Ann"))
    opened = await thinking.create(replace(SETUP, seats=seats))  # takes half a minute to solve
    live = await thinking.open(opened.id)
    async with thinking.watch(live, 0) as watcher:
        await watcher.get()
        await thinking.act(live, Visitor([opened.host]), SitIn(0, "greedy"))
        await until(lambda: person_due(live, 1))
    assert not thinking.thinker._works  # noqa: SLF001 - the work was stopped


async def test_a_game_that_cannot_be_solved_is_tried_once(
    thinking: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot plays for points from then on, and everybody is told why, once."""
    tried: list[str] = []

    async def solve(_work: Any, _slug: str, options: str, _players: int) -> None:
        tried.append(options)
        raise HotDiceError("These rules take too much to be solved here.")

    monkeypatch.setattr("hotdice.server.thinking._Work._solve", solve)
    seats = (Seat("Bo", "perfect"), Seat("Ann"))
    opened = await thinking.create(replace(small(25, thinking.store), seats=seats))
    live = await thinking.open(opened.id)
    told: list[dict[str, Any]] = []
    async with thinking.watch(live, 0) as watcher:
        for _ in range(3):
            await until(lambda: person_due(live, 1))
            await act(thinking, live, opened)
            told += [json.loads(text or "{}") for text in watcher.texts]
            watcher.texts.clear()
    assert len(tried) == 1
    assert [one["error"] for one in told if one["type"] == "problem"] == [
        "These rules take too much to be solved here. It plays for points."
    ]


async def test_a_bot_that_does_not_wait_for_a_solver_keeps_its_place(
    thinking: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It plays for points meanwhile; its game is solved as soon as it is its turn."""
    monkeypatch.setattr("hotdice.server.driving._QUEUE", 0.0)
    may_end, solved = asyncio.Event(), asyncio.Event()

    async def solve(_work: Any, slug: str, _options: str, _players: int) -> None:
        if slug == "farkle":
            await may_end.wait()
        else:
            solved.set()

    monkeypatch.setattr("hotdice.server.thinking._Work._solve", solve)
    async with thinking.thinker.preparing("somebody", SETUP.rules(), 2, print) as busy:
        await busy.started.wait()
        seats = (Seat("Bo", "perfect"), Seat("Ann"))
        opened = await thinking.create(replace(small(27, thinking.store), seats=seats))
        live = await thinking.open(opened.id)
        async with thinking.watch(live, 0):
            await until(lambda: person_due(live, 1))
            assert not solved.is_set()
            may_end.set()
            await solved.wait()
