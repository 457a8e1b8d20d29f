"""What happens at tables without a command: bots, clocks, the coach and solvers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.server.clocks import Timepiece
from hotdice.server.driving import _if_next
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits, TooMany
from hotdice.server.live import Visitor
from hotdice.storage import Addition, StorageError, Store
from hotdice.table.bots import Thought
from hotdice.table.commands import (
    Return,
    Say,
    SitIn,
    TimeOut,
    auto_roll,
)
from hotdice.table.log import Refused, Stale, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tests.server.hubs import SETUP, act, acting, counted, drained, person_due, two_hubs, until


@pytest.mark.parametrize("level", ["greedy", "sharp"])
async def test_bots_play_by_themselves(store: Store, level: str) -> None:
    hub = Hub(store)
    async with hub.running():
        opened = await hub.create(replace(SETUP, seats=(Seat("Ann"), Seat("Bo", level))))
        live = await hub.open(opened.id)
        while not live.table.sitting.is_over():
            await act(hub, live, opened)
            await until(lambda: live.table.sitting.is_over() or person_due(live))
        kinds = {(entry.kind, entry.seat) for entry in live.table.entries}
        assert {("roll", 1), ("choose", 1)} <= kinds


async def test_a_pending_bot_turn_is_played_after_a_restart(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._STALLED", 0.1)
    setup = replace(SETUP, seats=(Seat("Bo", "greedy"), Seat("Ann")))
    first = Hub(store)  # dies before its bots play
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
async def test_changing_the_wall_clock_does_not_change_players_time(
    store: Store, jump: float
) -> None:
    """It jumps an hour forward or back; the player to act still has all of their time."""
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


async def test_processes_with_different_clocks_agree_on_deadlines(database: str) -> None:
    """One is an hour ahead; it counts from when it got the entry, and log times never decrease."""
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


async def test_a_process_ends_nobodys_time_that_it_has_not_measured(database: str) -> None:
    """One is an hour ahead, so it believes that nobody has acted for long."""
    measured = 0.0
    async with two_hubs(database) as (here, ahead):
        here.timepiece = Timepiece(wall=lambda: 1000.0, steady=lambda: 0.0)
        here.room._timepiece = here.timepiece  # noqa: SLF001 - as if started with it
        ahead.room._timepiece = Timepiece(wall=lambda: 4600.0, steady=lambda: measured)  # noqa: SLF001 - as above
        opened = await here.create(replace(SETUP, clock=60))
        far, ben = await ahead.open(opened.id), Visitor([opened.seats[1]])
        for measured in (0.0, 59.0):
            await ahead._driver._time_out(far)  # noqa: SLF001 - as the alarm does
            assert not far.table.is_bot(0)
            with pytest.raises(Refused, match=f"Wait {60 - measured:.0f} more seconds"):
                await ahead.let_bot_in(far, ben, 1, 0, "sharp")
        measured = 60.0
        await ahead._driver._time_out(far)  # noqa: SLF001 - as above
        assert far.table.is_bot(0)
        times = [entry.at for entry in far.table.entries]
        assert times == sorted(times)


async def test_a_clock_that_ran_out_unwatched_starts_anew(store: Store) -> None:
    """Whoever opens the table has all the time to act, in case only the wall clock has jumped."""
    long_ago = Hub(store, timepiece=Timepiece(wall=lambda: 1000.0))
    opened = await long_ago.create(replace(SETUP, clock=1))
    hub = Hub(store, limits=Limits(days=0))  # else it would be deleted as too old
    async with hub.running():
        live, began = await hub.open(opened.id), time.monotonic()
        await until(lambda: live.table.is_bot(0))
        assert time.monotonic() - began >= 1


async def test_a_full_log_stops_clocks_and_bots(
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


async def test_bots_of_a_new_table_wait_for_somebody_to_watch(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._AUDIENCE", 60)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        opened = await hub.create(replace(SETUP, seats=seats))
        live = await hub.open(opened.id)
        await asyncio.sleep(0.3)
        assert not live.table.sitting.has_chosen()
        async with hub.watch(live, live.table.seq) as watcher:
            await until(lambda: person_due(live, 1))
            assert any(entry["kind"] == "choose" for entry in drained(watcher))


async def test_a_player_who_comes_back_misses_only_a_turn(store: Store) -> None:
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


async def test_a_table_of_bots_plays_only_while_watched(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Cy", "greedy"))
        opened = await hub.create(replace(SETUP, seats=seats))
        live = await hub.open(opened.id)
        await until(lambda: not live.driver_waits)  # no longer waits for an audience
        for _ in range(20):
            await asyncio.sleep(0)
        seen = live.table.seq
        assert not live.table.sitting.has_chosen()
        async with hub.watch(live, seen):
            await until(lambda: live.table.seq > seen)


async def test_bots_play_even_if_no_worker_process_can_be_started(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_given: Any) -> None:
        raise BlockingIOError("no more processes")

    monkeypatch.setattr("hotdice.server.thinking.Worker.start", refuse)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "perfect"), Seat("Ann"))
        live = await hub.open((await hub.create(replace(SETUP, seats=seats))).id)
        async with hub.watch(live, live.table.seq):
            await until(lambda: person_due(live, 1))


async def test_in_a_challenge_a_bot_waits_for_its_place_in_the_queue(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would play badly as soon as its player asks many questions."""
    waited: list[float] = []
    best = Choice("best")

    async def busy(_thinker: object, _address: str, _thought: Thought) -> Choice:
        if len(waited) < 3:
            raise TooMany("Too many questions.", "questions", after=7.0)
        return best

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    hub = Hub(store)
    live = await hub.open((await hub.create(SETUP)).id)
    tried = replace(SETUP, challenge="any")
    live.table = live.table._replace(setup=tried)
    monkeypatch.setattr("hotdice.server.thinking.Thinker.choose", busy)
    monkeypatch.setattr("hotdice.server.driving.asyncio.sleep", wait)
    thought = Thought("sharp", live.table.game, live.table.state, "seed")
    now = asyncio.get_running_loop().time()
    assert await hub._driver._thought(live, thought, now + 60) == best  # noqa: SLF001 - as in a turn
    assert waited == [7.0, 7.0, 7.0]


async def test_a_bot_that_thinks_too_long_plays_the_rest_of_its_turn_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise each of its choices would take as long."""
    asked = 0

    async def never(*_given: object) -> None:
        nonlocal asked
        asked += 1
        await asyncio.Event().wait()

    monkeypatch.setattr("hotdice.server.thinking.Thinker.choose", never)
    monkeypatch.setattr("hotdice.server.driving._THOUGHT", 0.0)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "sharp"), Seat("Ann"))
        setup = replace(SETUP, game="go500", options="course=streets", seats=seats)
        live = await hub.open((await hub.create(setup)).id)
        async with hub.watch(live, live.table.seq):
            await until(lambda: person_due(live, 1))
    chosen = [entry for entry in live.table.entries if entry.kind == "choose"]
    assert asked == 1 < len(chosen)


async def test_the_time_of_a_bot_is_for_its_whole_turn(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many choices it has, each of which may take little."""
    asked = 0

    async def slowly(_thinker: object, _address: str, thought: Thought) -> Choice:
        nonlocal asked
        asked += 1
        await asyncio.sleep(0.1)
        return thought.game.choices(thought.state)[-1]  # re-rolls all dice as long as it may

    monkeypatch.setattr("hotdice.server.thinking.Thinker.choose", slowly)
    monkeypatch.setattr("hotdice.server.driving._THOUGHT", 0.15)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "sharp"), Seat("Ann"))
        setup = replace(SETUP, game="cockroach", options="starts=seat", seats=seats)
        live = await hub.open((await hub.create(setup)).id)
        async with hub.watch(live, live.table.seq):
            await until(lambda: person_due(live, 1))
    assert asked <= 2


async def test_bots_entries_are_charged_and_over_the_limit_they_play_slowly(store: Store) -> None:
    """A table full of quick bots writes a thousand entries a second."""
    seconds, most = 0.0, 3_600_000  # a thousand a second, so that the bot tries again at once
    hub = Hub(store, limits=Limits(entries=most), timepiece=Timepiece(steady=lambda: seconds))
    async with hub.running():
        seats = (Seat("Ann"), Seat("Bo", "greedy"))
        opened = await hub.create(replace(SETUP, seats=seats), address="10.0.0.1")
        live, payer = await hub.open(opened.id), hub.addresses.of("10.0.0.1")
        payer.charge_entries(most)
        async with hub.watch(live, live.table.seq) as watcher:
            await hub.act(live, Visitor([opened.seats[0]]), SitIn(0, "greedy"))
            await until(lambda: counted(hub, "entries") >= 3)
            told = [json.loads(text or "{}") for text in watcher.texts]
            stopped = live.table.seq
            assert [one["type"] for one in told].count("problem") == 1
            with pytest.raises(TooMany):
                payer.check_entries()
            seconds = 1.0
            await until(lambda: live.table.seq > stopped)


async def test_bots_do_not_wait_for_an_audience_for_ever(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._AUDIENCE", 0.1)
    hub = Hub(store)
    async with hub.running():
        seats = (Seat("Bo", "greedy"), Seat("Ann"))
        live = await hub.open((await hub.create(replace(SETUP, seats=seats))).id)
        await until(lambda: person_due(live, 1))


async def test_a_command_here_takes_the_bots_over_from_another_process(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process was to play for the bots; a command makes it this one's job."""
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


async def test_a_turn_computed_elsewhere_is_dated_when_it_is_committed() -> None:
    table = auto_roll(Table.of(SETUP), 1.0).table
    seat = acting(table)
    after = Say(seat, "well").on(table, 1.0)
    [entry] = _if_next(after, table, 9.0).entries
    assert entry == after.entries[0]._replace(at=9.0)
    with pytest.raises(Stale):
        _if_next(after, after.table, 9.0)


async def test_bots_play_on_when_the_database_is_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.driving._RETRY", 0.05)
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


@pytest.fixture
async def thinking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    """A running hub with an empty solution cache, whatever its database."""
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path))
    store = await Store.open(f"sqlite:///{tmp_path / 'hotdice.db'}")
    hub = Hub(store)
    async with hub.running():
        yield hub
    await store.close()


def small(target: int) -> Setup:
    """Options that no other test uses, as this process remembers what it has solved."""
    options = f"target={target} starts=seat"
    return Setup("cockroach", options, (Seat("Ann"), Seat("Ben")), seed="s")


async def test_the_coach_answers_where_the_table_allows_it(thinking: Hub) -> None:
    quiet = await thinking.open((await thinking.create(replace(small(21), coach=False))).id)
    with pytest.raises(Refused, match="no coach"):
        await thinking.advise(quiet, quiet.table.seq)
    opened = await thinking.create(small(21))
    live = await thinking.open(opened.id)
    with pytest.raises(Stale):
        await thinking.advise(live, live.table.seq - 1)
    async with thinking.watch(live, 0, Visitor(opened.seats.values())) as watcher:
        first = await thinking.advise(live, live.table.seq)
        assert len(first.counsels) == len(live.table.game.choices(live.table.state))
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1].get("part") != 1.0:
            text = await watcher.get()
            heard.append(json.loads(text or "{}"))
        assert {one["type"] for one in heard} == {"working"}
    later = await thinking.advise(live, live.table.seq)
    assert (first.objective, later.objective) == ("points", "win")


async def test_games_are_solved_one_at_a_time_with_a_limit_per_address(
    thinking: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[int] = []
    may_end = asyncio.Event()

    async def solve(_work: Any, _slug: str, _options: str, players: int) -> None:
        order.append(players)
        await may_end.wait()

    monkeypatch.setattr("hotdice.server.thinking.Solver._solve", solve)
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


async def test_others_can_chat_while_a_perfect_bots_game_is_solved(thinking: Hub) -> None:
    seats = (Seat("Bo", "perfect"), Seat("Ann"))
    opened = await thinking.create(replace(small(23), seats=seats))
    live, ann = await thinking.open(opened.id), Visitor(opened.seats.values())
    async with thinking.watch(live, 0, ann) as watcher:
        await thinking.act(live, ann, Say(1, "well?"))
        await until(lambda: person_due(live, 1))
        heard = [json.loads(text or "{}")["type"] for text in watcher.texts]
    assert "working" in heard
    assert heard[-1] == "news"


async def test_replacing_a_perfect_bot_cancels_its_solver(thinking: Hub) -> None:
    seats = (Seat("Bo", "perfect"), Seat("Ann"))
    opened = await thinking.create(replace(SETUP, seats=seats))  # takes half a minute to solve
    live = await thinking.open(opened.id)
    async with thinking.watch(live, 0) as watcher:
        await watcher.get()
        await thinking.act(live, Visitor([opened.host]), SitIn(0, "greedy"))
        await until(lambda: person_due(live, 1))
    assert not thinking.thinker._solvers  # noqa: SLF001 - the work was stopped


async def test_a_game_that_cannot_be_solved_is_tried_once(
    thinking: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot plays for points from then on, and everybody is told why, once."""
    tried: list[str] = []

    async def solve(_work: Any, _slug: str, options: str, _players: int) -> None:
        tried.append(options)
        raise HotDiceError("These rules take too much to be solved here.")

    monkeypatch.setattr("hotdice.server.thinking.Solver._solve", solve)
    seats = (Seat("Bo", "perfect"), Seat("Ann"))
    opened = await thinking.create(replace(small(25), seats=seats))
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
        "These rules take too much to be solved here. The perfect bot plays for points meanwhile."
    ]


async def test_a_bot_that_stops_waiting_for_a_solver_stays_in_the_queue(
    thinking: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It plays for points meanwhile; its game is solved when its turn comes."""
    monkeypatch.setattr("hotdice.server.solving._QUEUE", 0.0)
    may_end, solved = asyncio.Event(), asyncio.Event()

    async def solve(_work: Any, slug: str, _options: str, _players: int) -> None:
        if slug == "farkle":
            await may_end.wait()
        else:
            solved.set()

    monkeypatch.setattr("hotdice.server.thinking.Solver._solve", solve)
    async with thinking.thinker.preparing("somebody", SETUP.rules(), 2, print) as busy:
        await busy.started.wait()
        seats = (Seat("Bo", "perfect"), Seat("Ann"))
        opened = await thinking.create(replace(small(27), seats=seats))
        live = await thinking.open(opened.id)
        async with thinking.watch(live, 0):
            await until(lambda: person_due(live, 1))
            assert not solved.is_set()
            may_end.set()
            await solved.wait()
