"""Opening a database: its URL, its engine, its schema."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from hotdice.storage.stored import StorageError

READ_TIMEOUT = 5.0
"""Seconds for a read, so that a slow one cannot block others."""
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}


def read_url(text_: str) -> URL:
    """Parse the URL of a database and set its driver; raises ``StorageError``."""
    try:
        url = make_url(text_)
    except (ArgumentError, ValueError):  # not quoted: it may hold a password
        raise StorageError(
            "That is not a database URL; write sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from None
    kind = url.get_backend_name()
    if kind not in _DRIVERS:
        raise StorageError(f"Tables are stored in SQLite or PostgreSQL, not in {kind}.")
    return url.set(drivername=_DRIVERS[kind])


def make_engine(url: URL) -> AsyncEngine:
    """An engine for reading or writing a database."""
    if url.get_backend_name() == "sqlite":
        return create_async_engine(
            url,
            poolclass=AsyncAdaptedQueuePool,  # the default from SQLAlchemy 2.0.38 on
            pool_timeout=READ_TIMEOUT,
            hide_parameters=True,
        )
    from hotdice.storage.postgres import connect  # noqa: PLC0415 - only with PostgreSQL

    return create_async_engine(
        url,
        async_creator=partial(connect, url, READ_TIMEOUT),
        pool_pre_ping=True,
        pool_timeout=READ_TIMEOUT,
        hide_parameters=True,
    )


def make_folder(url: URL) -> None:
    """Create the folder of a database file; raises ``StorageError``."""
    if not url.database or url.database == ":memory:":
        raise StorageError("The database has to be a file; write sqlite:///FILE.")
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{url.database} cannot be used: {error.strerror}.") from error


def upgrade(connection: Connection) -> None:
    """Bring the schema up to date; on PostgreSQL one process at a time."""
    from alembic import command  # noqa: PLC0415 - slow to load, used once
    from alembic.config import Config  # noqa: PLC0415 - as above

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(5001812)"))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
