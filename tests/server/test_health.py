"""Health, metrics and pages say the same within seconds, also while nobody plays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import psycopg
import pytest
import uvicorn
import websockets

from hotdice.server.app import create_app
from hotdice.server.hub import Hub
from hotdice.server.protocols import UVICORN
from hotdice.storage.file import DatabaseFile
from hotdice.storage.listening import Listener
from tests.asking import client_of
from tests.server.hubs import until
from tests.server.test_app import created

postgresql = pytest.mark.parametrize("database", ["postgresql"], indirect=True)
sqlite = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


class House(NamedTuple):
    """A server, and a page at one of its tables."""

    hub: Hub
    http: httpx.AsyncClient
    page: Any

    async def told(self) -> str:
        """The next sentence that the page is told; empty if the trouble is over."""
        while (said := json.loads(await self.page.recv()))["type"] != "trouble":
            pass
        return str(said["what"])

    async def agrees(self, *problems: str) -> None:
        """Health, metrics and new pages all say this."""
        answer = await self.http.get("/api/health")
        assert answer.status_code == (503 if problems else 200)
        status = "trouble" if problems else "ok"
        assert answer.json() == {"status": status, "problems": list(problems)}
        assert await self.metric() == float(not problems)
        assert (await self.http.get("/api/games")).json()["trouble"] == " ".join(problems)

    async def metric(self) -> float:
        lines = (await self.http.get("/api/metrics")).text.splitlines()
        [value] = [line.split()[1] for line in lines if line.startswith("hotdice_healthy ")]
        return float(value)


@pytest.fixture
async def house(database: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr("hotdice.server.hub._WATCHED_EVERY", 0.02)
    monkeypatch.setattr("hotdice.storage.writing._UNPROVEN", 0.0)
    app = create_app(database)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", **UVICORN))
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
        assert not task.done()
    address = f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    async with client_of(address) as http:
        table = await created(http)
        url = f"ws://{address}/api/tables/{table['id']}/socket"
        async with websockets.connect(url) as page:
            await page.send("{}")
            assert json.loads(await page.recv())["trouble"] == ""
            yield House(app.state.hub, http, page)
    server.should_exit = True
    await task


async def shown(house: House, problem: str, mend: Callable[[], None]) -> None:
    """A problem is told to the page, agreed on, mended and over, all without a command."""
    assert await house.told() == problem
    assert await house.metric() == 0.0
    await house.agrees(problem)
    mend()
    assert await house.told() == ""
    assert await house.metric() == 1.0
    await house.agrees()


@sqlite
async def test_a_disk_that_fills_up_is_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(DatabaseFile, "is_disk_full", lambda _file: True)
        await shown(house, "The disk is almost full; soon nothing can be saved.", patched.undo)


@sqlite
async def test_a_database_that_becomes_read_only_is_noticed(house: House) -> None:
    connection = house.hub.store._writer._connection  # type: ignore[attr-defined] # noqa: SLF001 - root writes to any file
    connection.exec_driver_sql("PRAGMA query_only = ON")
    await shown(
        house,
        "The database is read-only; nothing can be saved until it is writable.",
        lambda: connection.exec_driver_sql("PRAGMA query_only = OFF"),
    )


@sqlite
async def test_an_idle_server_writes_nothing(house: House, database: str) -> None:
    """The disk of a machine on which nobody plays can sleep."""
    wal = Path(database.removeprefix("sqlite:///") + "-wal")
    looks, plain = 0, house.hub.store.seems_well

    async def counted() -> bool:
        nonlocal looks
        looks += 1
        return await plain()

    house.hub.store.seems_well = counted  # type: ignore[method-assign]
    before = wal.stat()
    await until(lambda: looks >= 5)
    after = wal.stat()
    assert (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)


FULL = "The disk of the database is full; nothing can be saved until there is room on it."
READ_ONLY = "The database is read-only; nothing can be saved until it is writable."


@postgresql
@pytest.mark.parametrize(
    "error, sentence",
    [(psycopg.errors.DiskFull, FULL), (psycopg.errors.ReadOnlySqlTransaction, READ_ONLY)],
)
async def test_errors_of_postgresql_are_noticed(
    house: House, monkeypatch: pytest.MonkeyPatch, error: type[psycopg.Error], sentence: str
) -> None:
    """Forced where the driver sends what writes."""
    plain = psycopg.AsyncCursor.execute

    async def execute(cursor: Any, query: Any, *given: Any, **named: Any) -> Any:
        if str(query).startswith("INSERT"):
            raise error("no")
        return await plain(cursor, query, *given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(psycopg.AsyncCursor, "execute", execute)
        await shown(house, sentence, patched.undo)


@postgresql
async def test_a_deaf_listener_is_noticed(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """No heartbeat comes back."""
    with monkeypatch.context() as patched:
        patched.setattr(Listener, "is_disconnected", True)
        sentence = "Changes by other server processes show up a few seconds late."
        await shown(house, sentence, patched.undo)
