"""The servers of one database, and the database itself."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import psycopg

from hotdice.storage import Store, Stored
from tools.soak.postgres import Postgres
from tools.soak.proxy import Proxy
from tools.soak.servers import Server

_LENGTHS = "SELECT table_id, count(*), max(seq) FROM entries GROUP BY table_id"


class House:
    """One database and the server processes on it.

    Attributes:
        servers: the server processes.
        proxies: the proxies between each of them and PostgreSQL; none for SQLite.
    """

    def __init__(self, servers: list[Server], proxies: list[Proxy], address: str) -> None:
        self.servers = servers
        self.proxies = proxies
        self.address = address
        self._file = address.removeprefix("sqlite:///") if address.startswith("sqlite") else ""
        self.name = address.partition("?")[0].rpartition("/")[2]

    async def start(self) -> None:
        """Start the servers."""
        for server in self.servers:  # one by one: the first migrates the schema
            await server.start()

    async def end(self) -> None:
        """Stop servers and proxies."""
        await asyncio.gather(*(server.end() for server in self.servers))
        for proxy in self.proxies:
            await proxy.stop()

    def cut_off(self) -> None:
        """Note that the database is unavailable."""
        for server in self.servers:
            server.fair_since = None

    def connected(self) -> None:
        """Note that the database is available again."""
        for server in self.servers:
            server.fair_since = time.monotonic() if server.alive else None

    async def lengths(self) -> dict[str, int] | None:
        """The log length of each table; ``None`` while the database is unavailable."""
        try:
            if self._file:
                rows = await asyncio.to_thread(self._read_file)
            else:
                async with await psycopg.AsyncConnection.connect(
                    self.address, connect_timeout=2
                ) as connection:
                    rows = await (await connection.execute(_LENGTHS)).fetchall()
        except (psycopg.Error, sqlite3.Error, OSError):
            return None
        return {str(table_id): int(last) for table_id, _, last in rows}

    def _read_file(self) -> list[tuple[str, int, int]]:
        connection = sqlite3.connect(f"file:{self._file}?mode=ro", uri=True, timeout=5)
        try:
            return connection.execute(_LENGTHS).fetchall()
        finally:
            connection.close()

    async def load(self, ids: list[str]) -> dict[str, Stored]:
        """Load tables from the database."""
        store = await Store.open(self.address)
        try:
            return {table_id: await store.load(table_id) for table_id in ids}
        finally:
            await store.close()


async def postgres_house(postgres: Postgres, proxies: list[Proxy], folder: Path) -> House:
    """Two server processes on PostgreSQL, each behind a proxy."""
    name = postgres.create()
    servers = []
    for letter, proxy in zip("ab", proxies, strict=True):
        await proxy.start()
        address = f"postgresql://postgres@127.0.0.1:{proxy.port}/{name}"
        servers.append(Server(f"{name}{letter}", address, folder))
    return House(servers, proxies, postgres.address(name))


def sqlite_house(file: Path, folder: Path) -> House:
    """One server process on SQLite."""
    address = f"sqlite:///{file}"
    return House([Server(f"sqlite-{file.parent.name}", address, folder)], [], address)
