"""No log gets a gap: an addition is committed only if it is the next one of the stored log."""

from __future__ import annotations

import asyncio
import json

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from hotdice.storage import Addition, Conflict, Key, Store
from hotdice.storage.adding import rows_of
from hotdice.table.entries import Entry, Kind
from tests.storage.test_store import stored


def said(*seqs: int) -> list[Entry]:
    return [Entry(seq, Kind.SAY, 0, f"number {seq}", 0.0) for seq in seqs]


async def seqs_of(store: Store, table_id: str = "t1") -> list[int]:
    """The numbers of all stored entries."""
    query = text("SELECT seq FROM entries WHERE table_id = :id ORDER BY seq")
    async with store.reading() as connection:
        return list((await connection.execute(query, {"id": table_id})).scalars())


@pytest.mark.parametrize("first", [1, 3, 4])
async def test_an_addition_that_is_not_the_next_one_conflicts(store: Store, first: int) -> None:
    await store.create(stored())
    with pytest.raises(Conflict):
        await store.append("t1", said(first, first + 1))
    with pytest.raises(Conflict):  # the same beside other changes
        await store.add(Addition("t1", said(first), claim=(2, Key("s"))))
    assert await seqs_of(store) == [1]
    assert 2 not in await store.keys("t1")
    await store.append("t1", said(2, 3))
    assert await seqs_of(store) == [1, 2, 3]


async def test_a_new_log_starts_with_its_first_entry(store: Store) -> None:
    late, empty = stored("late")._replace(entries=tuple(said(2))), stored("t1")._replace(entries=())
    with pytest.raises(Conflict):
        await store.create(late)
    assert await store.lengths(["late"]) == {}
    await store.create(empty)
    with pytest.raises(Conflict):
        await store.append("t1", said(2))
    await store.append("t1", said(1))
    assert await seqs_of(store) == [1]


async def test_only_the_additions_of_a_commit_that_fit_are_added(store: Store) -> None:
    """Those of one table count on each other, as they are committed in order."""
    for name in ("t1", "t2", "t3"):
        await store.create(stored(name))
    additions = [
        ("t1", said(2)),
        ("t2", said(3)),
        ("t1", said(3, 4)),
        ("t2", said(2)),
        ("t3", said(2)),
        ("t1", said(6)),
        ("t1", said(5)),
        ("t3", said(4)),
    ]
    found = await asyncio.gather(
        *(store.append(*addition) for addition in additions), return_exceptions=True
    )
    assert [type(one) for one in found if one is not None] == [Conflict] * 3
    assert [found.index(one) for one in found if one is not None] == [1, 5, 7]
    assert await seqs_of(store, "t1") == [1, 2, 3, 4, 5]
    assert await seqs_of(store, "t2") == [1, 2]
    assert await seqs_of(store, "t3") == [1, 2]


def test_every_entry_counts_on_the_stored_log_or_on_the_one_before_it_in_the_commit() -> None:
    additions = [("t1", said(2, 3)), ("t2", said(3)), ("t1", said(4)), ("t1", said(6)), ("t2", ())]
    rows = json.loads(rows_of([Addition(*one) for one in additions]))
    found = [(table_id, seq, before) for table_id, seq, *_, before in rows]
    assert found == [
        ("t1", 2, 1),
        ("t1", 3, None),
        ("t2", 3, 2),
        ("t1", 4, None),
        ("t1", 6, 5),
    ]


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
@pytest.mark.parametrize("rival", [2, 3])
async def test_two_processes_that_race_leave_no_gap(store: Store, rival: int) -> None:
    """The other one has added its entry, but not committed it yet."""
    await store.create(stored())
    async with store._engine.connect() as other:  # noqa: SLF001 - between two statements
        await other.execute(text("INSERT INTO entries VALUES ('t1', 2, 'say', 0, 'quick', 0)"))
        late = asyncio.create_task(store.append("t1", said(rival)))
        if rival == 2:  # it waits for the other one
            while not await is_waiting(other):
                pass
            await other.commit()
        with pytest.raises(Conflict):
            await late
        await other.commit()
    await store.append("t1", said(3))
    assert await seqs_of(store) == [1, 2, 3]


async def is_waiting(connection: AsyncConnection) -> bool:
    """Whether a statement of another connection waits for a lock."""
    query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    return bool((await connection.execute(text(query))).scalar_one())


async def test_a_log_with_a_gap_is_read_up_to_it_and_takes_no_more(store: Store) -> None:
    """Earlier versions could leave one behind when a database was restored."""
    await store.create(stored())
    await store.append("t1", said(2, 3, 4, 5))
    async with store._engine.begin() as connection:  # noqa: SLF001 - there is no API for it
        await connection.execute(text("DELETE FROM entries WHERE seq = 3"))
    found = await store.load("t1")
    assert ([entry.seq for entry in found.entries], found.is_whole) == ([1, 2], False)
    assert [entry.seq for entry in await store.since("t1", 1)] == [2]
    assert await store.since("t1", 2) == ()
    for fits_nowhere in (said(3), said(3, 4), said(4)):
        with pytest.raises(Conflict):
            await store.append("t1", fits_nowhere)
    assert await seqs_of(store) == [1, 2, 4, 5]
