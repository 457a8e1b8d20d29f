"""The store on real SQLite and PostgreSQL databases."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from hotdice.storage import (
    Addition,
    Conflict,
    Key,
    NoSuchTable,
    Scored,
    Store,
    Stored,
    writing,
)
from hotdice.storage.listening import ANY_TABLE, read_notice
from hotdice.storage.stored import StorageError
from hotdice.table.bots import play_bots
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.summary import Summary

SETUP = Setup("farkle", "starts=seat", (Seat("Ann 🎲"), Seat("Ben'; DROP TABLE tables")), seed="s")


def stored(name: str = "t1") -> Stored:
    table = Table.of(SETUP)
    keys = {0: Key("a" * 64, "A" * 64), 1: Key("b" * 64)}
    return Stored(name, SETUP, Key("h" * 64, "H"), keys, 12.5, tuple(play_bots(table, 1.0).entries))


async def test_a_stored_table_loads_unchanged(store: Store) -> None:
    await store.create(stored())
    assert await store.load("t1") == stored()
    more = (Entry(2, Kind.SAY, 0, "hello\u0301 <script>", 2.0), Entry(3, Kind.SAY, 1, "hi", 3.5))
    await store.append("t1", more)
    assert (await store.load("t1")).entries == (*stored().entries, *more)
    assert await store.since("t1", 2) == more[1:]
    assert await store.since("t1", 3) == ()
    await store.append("t1", ())
    assert await store.problems() == []


async def test_an_unknown_table_is_refused(store: Store) -> None:
    with pytest.raises(NoSuchTable):
        await store.load("nowhere")
    with pytest.raises(Conflict):
        await store.append("nowhere", [Entry(1, Kind.SAY, 0, "x", 0.0)])


async def test_exactly_one_of_several_competing_appends_succeeds(store: Store) -> None:
    await store.create(stored())
    rivals = [
        [Entry(2, Kind.SAY, seat, f"from {seat}", 0.0), Entry(3, Kind.SAY, seat, "more", 0.0)]
        for seat in range(8)
    ]
    results = await asyncio.gather(
        *(store.append("t1", entries) for entries in rivals), return_exceptions=True
    )
    assert sum(result is None for result in results) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 7
    winner = rivals[results.index(None)]
    assert list((await store.load("t1")).entries[1:]) == winner


async def test_a_partial_overlap_adds_nothing(store: Store) -> None:
    await store.create(stored())
    await store.append("t1", [Entry(2, Kind.SAY, 0, "quick", 0.0)])
    with pytest.raises(Conflict):
        await store.append("t1", [Entry(2, Kind.SAY, 0, "x", 0.0), Entry(3, Kind.SAY, 0, "y", 0.0)])
    assert [entry.text for entry in await store.since("t1", 1)] == ["quick"]


async def test_a_conflict_fails_only_the_late_append_of_a_batch(store: Store) -> None:
    for name in ("t1", "t2", "t3"):
        await store.create(stored(name))
    late = Entry(1, Kind.SAY, 0, "late", 0.0)
    fresh = Entry(2, Kind.SAY, 0, "fresh", 0.0)
    results = await asyncio.gather(
        store.append("t1", [fresh]),
        store.append("t2", [late]),
        store.append("t3", [fresh]),
        store.append("gone", [fresh]),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [type(None), Conflict, type(None), Conflict]
    assert [len(await store.since(name, 1)) for name in ("t1", "t2", "t3")] == [1, 0, 1]


async def test_cancelling_one_append_does_not_cancel_others(store: Store) -> None:
    await store.create(stored("t1"))
    await store.create(stored("t2"))
    impatient = asyncio.create_task(store.append("t1", [Entry(2, Kind.SAY, 0, "a", 0.0)]))
    patient = asyncio.create_task(store.append("t2", [Entry(2, Kind.SAY, 0, "b", 0.0)]))
    await asyncio.sleep(0)
    impatient.cancel()
    await patient
    assert [len(await store.since(name, 1)) for name in ("t1", "t2")] == [1, 1]


async def test_a_seat_is_taken_once(store: Store) -> None:
    await store.create(stored()._replace(keys={0: Key("a" * 64)}))
    joined = Entry(2, Kind.JOIN, 1, "Ben", 0.0)
    await store.add(Addition("t1", [joined], claim=(1, Key("s", "me"))))
    with pytest.raises(Conflict):
        await store.add(Addition("t1", [joined._replace(seq=3)], claim=(1, Key("t", "you"))))
    assert await store.keys("t1") == {0: Key("a" * 64), 1: Key("s", "me")}
    assert len(await store.since("t1", 0)) == 2


async def test_tables_are_found_by_player_key(store: Store) -> None:
    await store.create(stored("t1"))
    await store.create(stored("t2")._replace(created=99.0, keys={0: Key("c", "A" * 64)}))
    await store.create(stored("t3")._replace(created=98.0, keys={}, host=Key("h", "other")))
    mine = [("t2", 99.0, 1, 1.0), ("t1", 12.5, 1, 1.0)]
    assert await store.tables_of("A" * 64, 1e9, 10) == mine
    assert await store.tables_of("A" * 64, 1e9, 1) == mine[:1]
    assert await store.tables_of("A" * 64, 99.0, 10) == mine[1:]
    assert [one.id for one in await store.tables_of("other", 1e9, 10)] == ["t3"]
    assert await store.tables_of("nobody", 1e9, 10) == []


async def test_scores_add_up_and_can_be_removed(store: Store) -> None:
    await store.create(stored())

    async def score(seq: int, game: int, *rows: Scored) -> None:
        entry = Entry(seq, Kind.SAY, 0, "over", 0.0)
        await store.add(Addition("t1", [entry], game=game, scores=rows))

    def row(game: int, points: int, *, won: bool, bot: str = "") -> Scored:
        summary = Summary(points, won, 10, points // 2, 3)
        return Scored(game, 0, "me", "farkle", "Ann", bot, 1.0, summary)

    await score(2, 1, row(1, 1000, won=True), row(1, 7, won=False)._replace(seat=1, owner=""))
    await score(3, 2, row(2, 500, won=False))
    await score(4, 3, row(3, 9999, won=True, bot="sharp"))
    against, alone = await store.career("me")
    assert against == ("farkle", False, "Ann", "", 1, 1, 1000.0, 1000, 500, 10, 3)
    assert alone == ("farkle", True, "Ann", SETUP.options, 1, 0, 500.0, 500, 250, 10, 3)
    await score(5, 1)
    assert [career.alone for career in await store.career("me")] == [True]
    assert await store.career("you") == []


async def test_tables_are_still_there_after_closing(database: str) -> None:
    first = await Store.open(database)
    await first.create(stored())
    await first.close()
    again = await Store.open(database)
    assert (await again.load("t1")).setup == SETUP
    await again.close()


Hints = asyncio.Queue[tuple[str, int]]


@asynccontextmanager
async def listening(database: str) -> AsyncIterator[tuple[Store, Hints]]:
    """A store and its notices; on exit, checks that notices still arrive."""
    store = await Store.open(database)
    queue: Hints = asyncio.Queue()
    try:
        async with store.listening(lambda *hint: queue.put_nowait(hint)):
            assert await queue.get() == (ANY_TABLE, 0)
            yield store, queue
            await store.create(stored())
            while await queue.get() != ("t1", 1):
                pass
            await store.append("t1", [Entry(2, Kind.SAY, 0, "hear this", 0.0)])
            assert await queue.get() == ("t1", 2)
    finally:
        await store.close()


async def test_sqlite_sends_no_notices(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'alone.db'}")
    heard: list[tuple[str, int]] = []
    async with store.listening(lambda *hint: heard.append(hint)):
        await store.create(stored())
        assert store.is_well
    assert heard == []
    await store.close()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_changes_reach_other_processes(database: str) -> None:
    """With PostgreSQL every server is notified of entries that any of them adds."""
    async with listening(database) as (_, queue):
        one = await Store.open(database)
        await one.create(stored("t2"))
        assert await queue.get() == ("t2", 1)
        await one.close()


async def test_two_processes_that_write_to_the_same_tables_do_not_deadlock(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each entry is added by one of them and conflicts for the other, in whatever order.

    The rows of a batch are sorted, or two processes would deadlock now and then.
    """
    write = writing.PostgresWriter._write  # noqa: SLF001 - looking inside
    batches: list[list[str]] = []

    async def noted(
        writer: writing.PostgresWriter, additions: Sequence[Addition]
    ) -> list[writing.Outcome]:
        batches.append([one.table_id for one in additions])
        return await write(writer, additions)

    monkeypatch.setattr(writing.PostgresWriter, "_write", noted)
    one, other = await Store.open(database), await Store.open(database)
    names = [f"t{number:03}" for number in range(120)]
    entry = Entry(2, Kind.SAY, 0, "well", 0.0)
    try:
        for name in names:
            await one.create(stored(name))
        found = await asyncio.gather(
            *(one.append(name, [entry]) for name in names),
            *(other.append(name, [entry]) for name in reversed(names)),
            return_exceptions=True,
        )
        assert found.count(None) == len(names)
        assert all(isinstance(each, Conflict) for each in found if each is not None)
        assert all(batch == sorted(batch) for batch in batches)
    finally:
        await one.close()
        await other.close()


STRANGE = (
    "",
    "t1",
    "t1 many",
    "t1  2",
    "t1 -2",
    "t1 \u0663",
    "t1 " + "9" * 5000,
    "! beat",
    "a b c",
)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_foreign_messages_on_the_channel_are_ignored(database: str) -> None:
    async with (
        listening(database) as (store, _),
        store._engine.begin() as connection,  # noqa: SLF001 - as anybody could
    ):
        for said in STRANGE:
            await connection.execute(text("SELECT pg_notify('hotdice', :said)"), {"said": said})


def test_notices_are_parsed() -> None:
    assert read_notice("aZ_-9 12") == ("aZ_-9", 12)
    assert [read_notice(said) for said in STRANGE] == [None] * len(STRANGE)


async def test_errors_do_not_contain_the_password() -> None:
    for url in ("postgresql://me:secret@nowhere:x/y", "nonsense secret"):
        with pytest.raises(StorageError) as told:
            await Store.open(url)
        assert "secret" not in str(told.value)
    with pytest.raises(StorageError) as told:
        await Store.open("postgresql://me@127.0.0.1:1/y?password=secret")
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_after_a_reconnection_any_table_may_have_changed(database: str) -> None:
    async with listening(database) as (store, queue):
        async with store._engine.begin() as connection:  # noqa: SLF001 - cutting the connection
            await connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid() "
                    "AND (query LIKE 'LISTEN%' OR query LIKE 'SELECT pg_notify($1%')"
                )
            )
        assert await queue.get() == (ANY_TABLE, 0)
        assert await store.problems() == []


async def test_database_errors_do_not_contain_the_parameters(tmp_path: Path) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'gone.db'}")
    async with store._engine.begin() as connection:  # noqa: SLF001 - breaking it
        await connection.execute(text("DROP TABLE seats"))
    with pytest.raises(StorageError, match="cannot be written to") as told:
        await store.create(stored())
    assert "aaaa" not in f"{told.value} {told.value.__cause__}"
    with pytest.raises(StorageError, match="cannot be read"):
        await store.keys("t1")
    await store.close()


async def test_a_whole_game_round_trips_through_the_database(store: Store) -> None:
    setup = replace(SETUP, seats=(Seat("A", "greedy"), Seat("B", "random")), options="target=200")
    table = Table.of(setup)
    await store.create(Stored("g", setup, Key(""), {}, 0.0, ()))
    entries = play_bots(table, 0.0).entries
    await store.append("g", entries)
    kept = await store.load("g")
    again = Table.of(kept.setup, kept.entries)
    for entry in entries:
        table = table.add(entry)
    assert again == table


@pytest.mark.parametrize(
    "url, sentence",
    [
        ("nonsense", "is not a database"),
        ("mysql://me@here/db", "SQLite or PostgreSQL"),
        ("postgresql://nobody@127.0.0.1:1/nothing", "cannot be used"),
    ],
)
async def test_bad_urls_get_one_sentence(url: str, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence) as error:
        await Store.open(url)
    assert "\n" not in str(error.value)


async def test_a_file_that_is_not_a_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database " * 500)
    with pytest.raises(StorageError, match="cannot be used"):
        await Store.open(f"sqlite:///{tmp_path / 'notes.txt'}")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be used"):
        await Store.open(f"sqlite:///{tmp_path / 'file' / 'x.db'}")


async def test_the_wal_stays_small_under_constant_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Constant writes do not keep checkpoints from resetting it."""
    monkeypatch.setattr(writing, "_CHECKPOINT_BUSY", 50)
    store = await Store.open(f"sqlite:///{tmp_path / 'busy.db'}")
    names = [f"t{number}" for number in range(8)]

    async def play(name: str) -> None:
        await store.create(stored(name))
        for seq in range(2, 202):
            await store.append(name, [Entry(seq, Kind.SAY, 0, "x" * 100, 0.0)])

    await asyncio.gather(*(play(name) for name in names))
    assert [len(await store.since(name, 0)) for name in names] == [201] * len(names)
    assert (tmp_path / "busy.db-wal").stat().st_size < 2_000_000  # else three times that
    await store.close()


async def test_simultaneous_appends_are_written_in_one_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a large batch the writer pauses, so that the next batch is large too."""
    batches: list[int] = []
    pauses: list[float] = []
    write = writing.SqliteWriter._write  # noqa: SLF001 - looking inside
    writes, may_write, may_go_on = threading.Event(), threading.Event(), threading.Event()

    def noted(writer: writing.SqliteWriter, additions: Sequence[Addition]) -> list[writing.Outcome]:
        writes.set()
        may_write.wait()
        batches.append(len(additions))
        return write(writer, additions)

    def paused(seconds: float) -> None:
        pauses.append(seconds)
        may_go_on.wait()

    monkeypatch.setattr(writing.SqliteWriter, "_write", noted)
    monkeypatch.setattr(writing, "sleep", paused)
    may_write.set()
    store = await Store.open(f"sqlite:///{tmp_path / 'many.db'}")
    await store.create(stored())
    assert (batches, pauses) == ([1], [])  # no pause while few act

    async def say(seq: int) -> None:
        await store.append("t1", [Entry(seq, Kind.SAY, 0, "well", 0.0)])

    async def queued(seqs: range) -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(say(seq)) for seq in seqs]
        await asyncio.sleep(0)
        return tasks

    may_write.clear()
    writes.clear()
    tasks = await queued(range(2, 3))
    await asyncio.to_thread(writes.wait)
    tasks += await queued(range(3, 22))
    may_write.set()
    await asyncio.gather(*tasks)
    tasks = await queued(range(22, 26))
    may_go_on.set()
    await asyncio.gather(*tasks)
    assert (batches, len(pauses)) == ([1, 1, 19, 4], 1)
    await store.close()
