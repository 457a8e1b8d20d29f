"""Database problems are reported, and nothing is acknowledged that is not stored."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from hotdice.storage import Conflict, StorageError, Store
from hotdice.table.entries import Entry, Kind
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


async def test_only_one_connection_writes_and_checkpoints(file: Path) -> None:
    """Before 3.51.3 SQLite can lose a commit while another connection checkpoints."""
    store = await Store.open(f"sqlite:///{file}")
    async with store._connected() as connection:  # noqa: SLF001 - looking inside
        [(pages,)] = await connection.exec_driver_sql("PRAGMA wal_autocheckpoint")
    assert pages == 0
    await store.create(stored())
    await store.close()


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
