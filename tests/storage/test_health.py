"""Database problems are reported, and nothing is acknowledged that is not stored."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hotdice.storage import (
    Addition,
    Analysis,
    Answered,
    Conflict,
    Key,
    Scored,
    StorageError,
    Store,
)
from hotdice.storage.writing import _CHECKPOINT
from hotdice.table.challenge import Challenge
from hotdice.table.entries import Entry, Kind
from hotdice.table.summary import Summary
from tests.storage.test_store import stored

SAID = [Entry(2, Kind.SAY, 0, "x" * 200, 0.0)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "hotdice.db"


@pytest.mark.parametrize("suffix", ["", "-wal"])
async def test_writes_to_a_deleted_file_are_not_acknowledged(file: Path, suffix: str) -> None:
    store = await Store.open(f"sqlite:///{file}")
    await store.create(stored())
    lost, kept = Path(f"{file}{suffix}"), Path(f"{file}{suffix}.elsewhere")
    lost.rename(kept)
    for what in (store.append("t1", SAID), store.load("t1"), store.lengths(["t1"])):
        with pytest.raises(StorageError, match="deleted or replaced") as told:
            await what
        assert "put it back" in told.value.public
    [problem] = await store.problems()
    assert "put it back" in problem
    was_well = store.is_well
    kept.rename(lost)  # it recovers by itself
    await store.append("t1", SAID)
    assert await store.problems() == []
    assert (was_well, store.is_well) == (False, True)
    await store.close()


async def test_a_replaced_file_is_detected(file: Path) -> None:
    store = await Store.open(f"sqlite:///{file}")
    await store.create(stored())
    file.rename(file.with_name("old.db"))
    file.write_bytes(b"")
    with pytest.raises(StorageError, match="deleted or replaced"):
        await store.append("t1", SAID)
    await store.close()


FULL = """
import asyncio, resource, signal, sys
from hotdice.storage import Store, StorageError
from hotdice.table.entries import Entry, Kind
from tests.storage.test_store import stored

async def main(path):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = await Store.open(f"sqlite:///{path}")
    await store.create(stored())
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    kept = 1
    try:
        while True:
            await store.append("t1", [Entry(kept + 1, Kind.SAY, 0, "x" * 5000, 0.0)])
            kept += 1
    except StorageError as error:
        print(error.public)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))  # not a page is free
    print((await store.problems())[0])
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    print(await store.problems(), len(await store.since("t1", 0)) == kept)
    await store.append("t1", [Entry(kept + 1, Kind.SAY, 0, "again", 0.0)])
    await store.close()

asyncio.run(main(sys.argv[1]))
"""


def test_a_full_disk_is_reported_and_recovered_from(file: Path) -> None:
    """Simulated by a limit on file size; every acknowledged entry is stored."""
    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-c", FULL, str(file)], capture_output=True, text=True, check=True
    )
    first, second, last = done.stdout.splitlines()
    assert first == second
    assert "The d" in first
    assert last == "[] True"


async def test_a_read_only_database_is_reported(file: Path) -> None:
    store = await Store.open(f"sqlite:///{file}")
    await store.create(stored())
    store._writer._connection.exec_driver_sql("PRAGMA query_only = ON")  # type: ignore[attr-defined] # noqa: SLF001 - root writes to any file
    with pytest.raises(StorageError) as told:
        await store.append("t1", SAID)
    assert "read-only" in told.value.public
    store._writer._connection.exec_driver_sql("PRAGMA query_only = OFF")  # type: ignore[attr-defined] # noqa: SLF001 - as above
    await store.append("t1", SAID)
    await store.close()


async def test_a_conflict_does_not_count_as_trouble(store: Store) -> None:
    await store.create(stored())
    with pytest.raises(Conflict):
        await store.append("t1", [Entry(1, Kind.SAY, 0, "late", 0.0)])
    assert store.is_well


async def test_only_one_connection_writes_and_checkpoints(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 3.51.3 SQLite can lose a commit while another connection checkpoints."""
    monkeypatch.setattr("hotdice.storage.writing._CHECKPOINT_IDLE", 1)
    said: list[list[str]] = []
    plain = sqlite3.connect

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = plain(*given, **named)
        said.append([])
        connection.set_trace_callback(said[-1].append)
        return connection

    monkeypatch.setattr("sqlite3.connect", connect)
    monkeypatch.setattr("sqlite3.dbapi2.connect", connect)
    store = await Store.open(f"sqlite:///{file}")
    migrated = [len(one) for one in said]
    await everything(store)
    while not any(_CHECKPOINT in one for one in said):
        assert await store.seems_well()  # the thread that writes has not come to it yet
    await store.close()
    later = [one[begin:] for one, begin in zip(said, migrated + [0] * len(said), strict=False)]
    assert len(later) > 1
    assert sum(any(map(_WRITES.match, one)) for one in later) == 1
    assert all("PRAGMA wal_autocheckpoint=0" in one for one in said)


_WRITES = re.compile(r"(?!SELECT|PRAGMA (?!wal_checkpoint)|BEGIN(?! IMMEDIATE)|ROLLBACK|COMMIT|--)")
"""Matches a statement that may write to the database."""


async def everything(store: Store) -> None:
    """Write and read everything there is."""
    scored = [Scored(1, 0, "me", "farkle", "Ann", "", 1.0, Summary(9, True, 3, 5, 1))]
    challenge = Challenge("c", "farkle", "", 1, ("sharp",), "secret", "A" * 64, 5.0, 99.5)
    answered = Answered("me", "farkle", "trainer", "one", "bank", True, True, 1, 0, None, 1.0)
    await store.create(stored())
    await asyncio.gather(
        store.add(Addition("t1", SAID)),
        store.add(Addition("", (), challenge=challenge)),
        store.add(Addition("t1", [SAID[0]._replace(seq=3)], (2, Key("s")), 1, scored)),
        store.answer(answered),
        store.load("t1"),
        store.career("me"),
    )
    await store.keep("t1", Analysis(1, 1.0, 1, "digest", "report"))
    assert await store.analysis("t1", 1, 1) == "report"
    assert await store.finished("me", 1)
    assert await store.problems() == []
    await store.create(stored("t2")._replace(created=1e9))
    assert await store.forget(1e6) == 1


async def test_tables_that_nobody_touches_are_deleted(store: Store) -> None:
    for name, at in (("old", 10.0), ("touched", 10.0), ("open", 10.0), ("young", 990.0)):
        await store.create(stored(name)._replace(created=at, entries=()))
    await store.append("touched", [Entry(1, Kind.SAY, 0, "still here", 995.0)])
    assert await store.forget(900.0, ["open"]) == 1
    assert sorted(await store.lengths(["old", "touched", "open", "young"])) == [
        "open",
        "touched",
        "young",
    ]
    with pytest.raises(Conflict):
        await store.append("old", SAID)
    assert await store.forget(1e9) == 0  # never all of them: more likely the clock is wrong


async def test_lengths_of_many_tables(store: Store) -> None:
    names = [f"t{number}" for number in range(12)]
    for name in names:
        await store.create(stored(name))
    await store.append("t3", SAID)
    found = await store.lengths([*names, "nowhere"])
    assert found == {**dict.fromkeys(names, 1), "t3": 2}


async def test_a_database_that_does_not_answer_is_reported(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.storage.store._CHECK_TIMEOUT", 0.2)
    store = await Store.open(f"sqlite:///{file}")
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    monkeypatch.setattr(store._writer, "check", lambda: never)  # noqa: SLF001 - a disk that hangs
    assert await store.problems() == ["The database does not answer."]
    await store.close()
