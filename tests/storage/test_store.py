"""Tables in real databases of both kinds."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from hotdice.storage import Conflict, NoSuchTable, Store, Stored
from hotdice.storage.schema import metadata
from hotdice.storage.store import StorageError
from hotdice.table.log import Entry, Setup, Table
from hotdice.table.sitting import Seat

SETUP = Setup("farkle", "starts=seat", (Seat("Ann 🎲"), Seat("Ben'; DROP TABLE tables")), seed="s")


def stored(name: str = "t1") -> Stored:
    table = Table(SETUP)
    return Stored(
        name, SETUP, "h" * 64, {0: "a" * 64, 1: "b" * 64}, 12.5, tuple(table.advance(1.0))
    )


async def test_what_is_kept_comes_back(store: Store) -> None:
    await store.create(stored())
    assert await store.load("t1") == stored()
    more = (Entry(2, "say", 0, "hello\u0301 <script>", 2.0), Entry(3, "say", 1, "hi", 3.5))
    await store.append("t1", more)
    assert (await store.load("t1")).entries == (*stored().entries, *more)
    assert await store.since("t1", 2) == more[1:]
    assert await store.since("t1", 3) == ()
    await store.append("t1", ())
    assert await store.healthy()


async def test_an_unknown_table_is_refused(store: Store) -> None:
    with pytest.raises(NoSuchTable):
        await store.load("nowhere")
    with pytest.raises(Conflict):
        await store.append("nowhere", [Entry(1, "say", 0, "x", 0.0)])


async def test_of_two_that_race_one_wins_whole(store: Store) -> None:
    await store.create(stored())
    rivals = [
        [Entry(2, "say", seat, f"from {seat}", 0.0), Entry(3, "say", seat, "more", 0.0)]
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
    await store.append("t1", [Entry(3, "say", 0, "early", 0.0)])
    with pytest.raises(Conflict):
        await store.append("t1", [Entry(2, "say", 0, "x", 0.0), Entry(3, "say", 0, "y", 0.0)])
    assert [entry.seq for entry in await store.since("t1", 0)] == [1, 3]


async def test_ones_own_tables_are_found_by_secret(store: Store) -> None:
    await store.create(stored("t1"))
    await store.create(stored("t2")._replace(created=99.0, secrets={0: "c" * 64}))
    found = await store.tables_of(["a" * 64, "c" * 64])
    assert [(row[0], row[1], row[4]) for row in found] == [("t2", 0, 1), ("t1", 0, 1)]
    assert await store.tables_of(["z" * 64]) == []


async def test_it_is_there_after_closing(database: str) -> None:
    first = await Store.open(database)
    await first.create(stored())
    await first.close()
    again = await Store.open(database)
    assert (await again.load("t1")).setup == SETUP
    await again.close()


async def test_migrations_end_at_the_schema(store: Store) -> None:
    async with store._engine.connect() as connection:  # noqa: SLF001 - looking inside

        def compare(sync: object) -> object:
            context = MigrationContext.configure(sync)  # type: ignore[arg-type]
            return compare_metadata(context, metadata)

        assert await connection.run_sync(compare) == []


async def test_changes_reach_other_processes(database: str) -> None:
    """With PostgreSQL every server hears of entries that any of them adds."""
    one, other = await Store.open(database), await Store.open(database)
    try:
        await one.create(stored())
        async with other.changes() as queue:
            await one.append("t1", [Entry(2, "say", 0, "hear this", 0.0)])
            if one.is_postgres:
                assert await asyncio.wait_for(queue.get(), 5) == ("t1", 2)
            else:
                assert queue.empty()
            assert [entry.text for entry in await other.since("t1", 1)] == ["hear this"]
    finally:
        await one.close()
        await other.close()


async def test_a_game_is_played_through_the_database(store: Store) -> None:
    setup = replace(SETUP, seats=(Seat("A", "greedy"), Seat("B", "random")), options="target=200")
    table = Table(setup)
    await store.create(Stored("g", setup, "", {}, 0.0, ()))
    entries = table.advance(0.0)
    await store.append("g", entries)
    kept = await store.load("g")
    again = Table(kept.setup, kept.entries)
    for entry in entries:
        table.add(entry)
    assert again.state == table.state
    assert again.due() == table.due()


@pytest.mark.parametrize(
    "url, sentence",
    [
        ("nonsense", "is no database"),
        ("mysql://me@here/db", "SQLite or PostgreSQL"),
        ("postgresql://nobody@127.0.0.1:1/nothing", "cannot be used"),
    ],
)
async def test_bad_addresses_get_one_sentence(url: str, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence) as error:
        await Store.open(url)
    assert "\n" not in str(error.value)


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database " * 500)
    with pytest.raises(StorageError, match="cannot be used"):
        await Store.open(f"sqlite:///{tmp_path / 'notes.txt'}")
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be used"):
        await Store.open(f"sqlite:///{tmp_path / 'file' / 'x.db'}")
