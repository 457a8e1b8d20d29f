"""Every process catches up with the database, whatever happens to notices.

Two hubs on one PostgreSQL; each test forces one order of events that used to leave one behind.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from sqlalchemy import text

from hotdice.core.errors import HotDiceError
from hotdice.server.hub import Hub, Opened
from hotdice.server.live import Live, Visitor
from hotdice.server.sockets import Wire, follow
from hotdice.storage import NoSuchTable, StorageError, Store, Stored
from hotdice.storage.listening import Listener
from hotdice.table.commands import Say
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Refused
from tests.server.hubs import SETUP, act, until

pytestmark = pytest.mark.parametrize("database", ["postgresql"], indirect=True)

NEVER = 3600.0


@pytest.fixture
async def hubs(database: str) -> AsyncIterator[list[Hub]]:
    """Two hubs that get no notices but those a test sends."""
    stores = [await Store.open(database) for _ in range(2)]
    yield [Hub(store) for store in stores]
    for store in stores:
        await store.close()


def held(hub: Hub, monkeypatch: pytest.MonkeyPatch, name: str) -> tuple[asyncio.Event, Any]:
    """Hold back what the store has read; returns events to release it and to wait for it."""
    plain, go_on, has_read = getattr(hub.store, name), asyncio.Event(), asyncio.Event()

    async def slow(*given: Any) -> Any:
        found = await plain(*given)
        has_read.set()
        await go_on.wait()
        return found

    monkeypatch.setattr(hub.store, name, slow)
    return go_on, has_read


async def lives_of(hubs: list[Hub], opened: Opened) -> list[Live]:
    return [await hub.open(opened.id) for hub in hubs]


async def test_a_notice_during_opening_is_not_lost(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    opened = await there.create(SETUP)
    go_on, has_read = held(here, monkeypatch, "load")
    opening = asyncio.create_task(here.open(opened.id))
    await has_read.wait()
    await act(there, await there.open(opened.id), opened)
    here.room.hint(opened.id, 3)  # not open yet, and what was read is out of date
    go_on.set()
    live = await opening
    await until(lambda: live.table.seq == seq_at(there, opened))


def seq_at(hub: Hub, opened: Opened) -> int:
    [live] = [live for live in hub.room if live.id == opened.id]
    return live.table.seq


async def test_a_seat_taken_during_a_load_is_known(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys are read after entries, so whoever has joined can act."""
    here, there = hubs
    opened = await there.create(replace(SETUP, open=(1,)))
    plain = here.store._since  # noqa: SLF001 - between two reads of one load
    joined: list[str] = []

    async def since(*given: Any) -> Any:
        live = await there.open(opened.id)
        _, secret = await there.join(live, "Ben", 1, "")
        joined.append(secret)
        return await plain(*given)

    monkeypatch.setattr(here.store, "_since", since)
    live = await here.open(opened.id)
    monkeypatch.undo()
    assert live.seats_of(Visitor(joined)) == {1}
    assert live.table.names[1] == "Ben"


async def test_a_seat_taken_elsewhere_is_known_when_its_owner_acts(hubs: list[Hub]) -> None:
    here, there = hubs
    opened = await there.create(replace(SETUP, open=(1,)))
    live, other = await lives_of(hubs, opened)
    _, secret = await there.join(other, "Ben", 1, "")
    await here.act(live, Visitor([secret]), Say(1, "here"))
    assert live.told[-1] == "Ben: here"


async def test_a_hello_with_more_than_this_process_has_seen_catches_up_first(
    hubs: list[Hub],
) -> None:
    """A client goes on at another process, which has had no notice of what it has seen."""
    here, there = hubs
    opened = await there.create(SETUP)
    live, other = await lives_of(hubs, opened)
    await act(there, other, opened)
    seen = other.table.seq
    assert live.table.seq < seen
    heard = [
        {"type": "websocket.connect"},
        {"type": "websocket.receive", "text": json.dumps({"seen": seen})},
        {"type": "websocket.disconnect"},
    ]
    sent: list[Any] = []

    async def receive() -> Any:
        return heard.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "websocket", "headers": [], "client": ("127.0.0.1", 1)}
    await follow(Wire(scope, receive, send), here, opened.id)
    accepted, table = sent
    assert accepted == {"type": "websocket.accept"}
    shown = json.loads(table["text"])
    assert (shown["status"]["seq"], shown["log"]) == (seen, [])
    assert live.table.seq == seen


async def test_a_failed_catch_up_is_retried(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    opened = await there.create(SETUP)
    live, other = await lives_of(hubs, opened)
    await act(there, other, opened)
    plain = here.store.since

    async def fail(*_given: Any) -> Any:
        raise StorageError("The database cannot be read: it is away.")

    monkeypatch.setattr(here.store, "since", fail)
    here.room.hint(opened.id, other.table.seq)
    await until(lambda: live.catching_up is not None and live.catching_up.done())
    assert live.table.seq == 1
    monkeypatch.setattr(here.store, "since", plain)
    await here.room.compare()
    await until(lambda: live.table.seq == other.table.seq)


async def test_a_notice_during_a_catch_up_is_not_lost(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    opened = await there.create(SETUP)
    live, other = await lives_of(hubs, opened)
    await act(there, other, opened)
    go_on, has_read = held(here, monkeypatch, "since")
    here.room.hint(opened.id, other.table.seq)
    await has_read.wait()
    await act(there, other, opened)
    here.room.hint(opened.id, other.table.seq)
    go_on.set()
    await until(lambda: live.table.seq == other.table.seq)


async def test_a_wrong_notice_causes_a_single_read(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = hubs
    opened = await here.create(SETUP)
    live = await here.open(opened.id)
    asked = 0
    plain = here.store.since

    async def count(*given: Any) -> Any:
        nonlocal asked
        asked += 1
        return await plain(*given)

    monkeypatch.setattr(here.store, "since", count)
    here.room.hint(opened.id, 999_999_999)
    await until(lambda: live.catching_up is not None and live.catching_up.done())
    assert (asked, live.hinted, live.table.seq) == (1, 0, 1)
    here.room.hint("never-heard-of", 5)


async def test_a_lost_notice_is_made_up_for_within_seconds(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Listener, "_hear", lambda *_given: None)
    here, there = hubs
    opened = await there.create(SETUP)
    async with here.running():
        live, other = await lives_of(hubs, opened)
        async with here.watch(live, 1) as watcher:
            await act(there, other, opened)
            await until(lambda: live.table.seq == other.table.seq)
            assert watcher.texts


async def test_a_commit_that_seemed_to_fail_is_found(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was committed, but the database's answer was lost."""
    here, _ = hubs
    opened = await here.create(SETUP)
    live = await here.open(opened.id)
    plain = here.store.add

    async def lose(addition: Any) -> None:
        await plain(addition)
        raise StorageError("The database cannot be written to: the connection was lost.")

    monkeypatch.setattr(here.store, "add", lose)
    with pytest.raises(StorageError):
        await act(here, live, opened)
    await until(lambda: live.table.seq > 1)
    assert list(live.table.entries) == list((await here.store.load(opened.id)).entries)


async def test_a_command_cancelled_during_its_commit_takes_effect(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, _ = hubs
    opened = await here.create(SETUP)
    live = await here.open(opened.id)
    plain, began = here.store.add, asyncio.Event()

    def add(addition: Any) -> Any:
        began.set()
        return plain(addition)

    monkeypatch.setattr(here.store, "add", add)
    task = asyncio.create_task(act(here, live, opened))
    await began.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await here.store.problems() == []  # by now it has been written
    await here.room.compare()
    await until(lambda: live.table.seq > 1)
    assert list(live.table.entries) == list((await here.store.load(opened.id)).entries)


async def test_a_table_that_is_shorter_in_the_database_is_reopened(hubs: list[Hub]) -> None:
    """The database was restored from a backup, and it is authoritative."""
    here, _ = hubs
    opened = await here.create(SETUP)
    live = await here.open(opened.id)
    await act(here, live, opened)
    async with here.watch(live, 1) as watcher:
        await run_sql(here, "DELETE FROM entries WHERE seq > 1")
        await here.room.compare()
        assert watcher.texts[-1] is None
    assert (await here.open(opened.id)).table.seq == 1
    await run_sql(here, "DELETE FROM tables")
    await here.room.compare()
    with pytest.raises(NoSuchTable):
        await here.open(opened.id)


async def run_sql(hub: Hub, statement: str) -> None:
    async with hub.store._engine.begin() as connection:  # noqa: SLF001 - there is no API for it
        await connection.execute(text(statement))


async def test_a_table_that_is_slow_to_open_does_not_block_others(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    slow, quick = await there.create(SETUP), await there.create(SETUP)
    plain, go_on = here.store.load, asyncio.Event()

    async def load(table_id: str) -> Stored:
        if table_id == slow.id:
            await go_on.wait()
        return await plain(table_id)

    monkeypatch.setattr(here.store, "load", load)
    opening = [asyncio.create_task(here.open(slow.id)) for _ in range(3)]
    assert (await here.open(quick.id)).table.seq == 1
    opening.pop().cancel()  # cancelling one does not cancel the others
    go_on.set()
    assert len({id(live) for live in await asyncio.gather(*opening)}) == 1


async def test_an_unreadable_log_is_reported_once(
    hubs: list[Hub], caplog: pytest.LogCaptureFixture
) -> None:
    """For instance during a rolling upgrade, when newer processes write new kinds of entries."""
    here, there = hubs
    opened = await there.create(SETUP)
    live = await here.open(opened.id)
    await there.store.append(opened.id, [Entry(2, cast("Kind", "wave"), 0, "", 0.0)])
    async with here.watch(live, 1) as watcher:
        for _ in range(3):
            await here.room.compare()
            await until(lambda: live.catching_up is not None and live.catching_up.done())
        told = [json.loads(text or "{}") for text in watcher.texts]
    assert live.table.seq == 1
    assert [record.message for record in caplog.records].count(
        "new entries of a table cannot be read; keeping its last state"
    ) == 1
    [sentence] = [one["what"] for one in told if one["type"] == "trouble"]
    assert sentence.startswith("This server cannot read the latest moves")
    with pytest.raises(Refused, match="cannot read the latest moves"):
        await act(here, live, opened)
    assert await here.current(opened.id) is live
    assert live.trouble("") == sentence


async def test_a_table_that_can_be_read_again_goes_on(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = hubs
    opened = await there.create(SETUP)
    live = await here.open(opened.id)
    await act(there, await there.open(opened.id), opened)
    with monkeypatch.context() as context:
        context.setattr("hotdice.table.log.Table.caught_up", lambda *_given: 1 / 0)
        with pytest.raises(Refused):
            await here.room.refresh(live)
    async with here.watch(live, 1) as watcher:
        await here.room.refresh(live)
        assert list(watcher.texts)[-1] is None  # it connects again
    assert not live.closed
    await act(here, live, opened)


async def test_a_table_that_this_server_cannot_read_is_refused_with_a_sentence(
    hubs: list[Hub],
) -> None:
    here, there = hubs
    opened = await there.create(SETUP)
    await there.store.append(opened.id, [Entry(2, cast("Kind", "wave"), 0, "", 0.0)])
    with pytest.raises(HotDiceError, match="no entries of kind 'wave'"):
        await here.current(opened.id)


@pytest.mark.parametrize("part", ["connect", "execute"])
async def test_a_listener_that_hangs_is_noticed_and_replaced(
    database: str, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """Its connection hangs without an error; only missing heartbeats show it."""
    import psycopg  # noqa: PLC0415 - only here

    monkeypatch.setattr("hotdice.storage.listening._HEARTBEAT", 0.05)
    hangs = asyncio.Event()
    plain: Callable[..., Any] = getattr(psycopg.AsyncConnection, part)
    bound = psycopg.AsyncConnection if part == "connect" else None

    async def hang(*given: Any, **named: Any) -> Any:
        if hangs.is_set():
            await asyncio.sleep(NEVER)
        return await (plain(**named) if bound else plain(*given, **named))

    store = await Store.open(database)
    heard: list[tuple[str, int]] = []
    async with store.listening(lambda *hint: heard.append(hint)):
        assert await store.problems() == []
        listener = store._listener  # noqa: SLF001 - looking inside
        assert listener is not None
        if part == "connect":
            async with store._engine.begin() as connection:  # noqa: SLF001 - cutting the connection
                await connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
                        "datname = current_database() AND pid <> pg_backend_pid() "
                        "AND (query LIKE 'LISTEN%' OR query LIKE 'SELECT pg_notify($1%')"
                    )
                )
            monkeypatch.setattr(
                psycopg.AsyncConnection, "connect", classmethod(lambda _c, *g, **n: hang(*g, **n))
            )
        else:
            monkeypatch.setattr(psycopg.AsyncConnection, "execute", hang)
        hangs.set()
        monkeypatch.setattr("hotdice.storage.listening._TIMEOUT", 0.3)
        monkeypatch.setattr("hotdice.storage.listening._RETRY", 0.05)
        await until(lambda: listener._heard is None)  # noqa: SLF001 - given up, not only late
        assert listener.is_disconnected
        assert not store.is_well
        hangs.clear()
        monkeypatch.undo()
        await until(lambda: heard.count(("", 0)) >= 2)
    await store.close()


async def test_a_table_opened_several_times_at_once_is_read_once(
    hubs: list[Hub], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first caller may be cancelled; the others still get the table."""
    here, there = hubs
    opened = await there.create(SETUP)
    go_on, has_read = held(here, monkeypatch, "load")
    first, second, third = (asyncio.create_task(here.open(opened.id)) for _ in range(3))
    await has_read.wait()
    first.cancel()
    go_on.set()
    assert await second is await third is await here.open(opened.id)
    with pytest.raises(asyncio.CancelledError):
        await first
