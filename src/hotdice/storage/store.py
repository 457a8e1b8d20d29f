"""Tables in a database: created, read, and added to, each entry committed before anyone sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import event, func, insert, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from hotdice.core.errors import HotDiceError
from hotdice.storage import schema
from hotdice.table.files import data_folder
from hotdice.table.log import Entry, Setup, Stale

CHANNEL = "hotdice"
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}


class StorageError(HotDiceError):
    """The database cannot be used."""


class NoSuchTable(HotDiceError):
    """No table has this id."""


class Conflict(Stale):
    """Somebody else's entries came first."""


class Stored(NamedTuple):
    """A table as it is kept.

    Attributes:
        id: its id, which is all a spectator needs.
        setup: how it was set up.
        host: the hash of the host's secret.
        secrets: the hashes of the seats' secrets, by seat.
        created: when.
        entries: its log.
    """

    id: str
    setup: Setup
    host: str
    secrets: Mapping[int, str]
    created: float
    entries: tuple[Entry, ...]


def default_url() -> str:
    """The database on this machine."""
    return f"sqlite:///{data_folder() / 'hotdice.db'}"


def read_url(text_: str) -> URL:
    """The address of a database with the driver that is used for it; raises ``StorageError``."""
    try:
        url = make_url(text_)
    except ArgumentError:
        raise StorageError(
            f"'{text_}' is no database; write sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from None
    kind = url.get_backend_name()
    if kind not in _DRIVERS:
        raise StorageError(f"Tables are kept in SQLite or PostgreSQL, not in {kind}.")
    return url.set(drivername=_DRIVERS[kind])


class Store:
    """An open database."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self.is_postgres = engine.dialect.name == "postgresql"

    @classmethod
    async def open(cls, text_: str) -> Store:
        """Open a database and bring its schema up to date; raises ``StorageError``."""
        url = read_url(text_)
        if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
            try:
                Path(url.database).parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise StorageError(f"{url.database} cannot be used: {error.strerror}.") from error
        engine = create_async_engine(url, pool_pre_ping=url.get_backend_name() == "postgresql")
        if url.get_backend_name() == "sqlite":
            event.listen(engine.sync_engine, "connect", _durable)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(_upgrade)
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            why = str(getattr(error, "orig", error)).splitlines()[0]
            shown = url.render_as_string(hide_password=True)
            raise StorageError(f"The database {shown} cannot be used: {why}.") from error
        return cls(engine)

    async def close(self) -> None:
        """Close all connections."""
        await self._engine.dispose()

    async def healthy(self) -> bool:
        """Whether the database answers."""
        try:
            async with self._engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
        except (DBAPIError, OSError):
            return False
        return True

    async def create(self, stored: Stored) -> None:
        """Keep a new table with whatever its log holds already."""
        async with self._engine.begin() as connection:
            await connection.execute(
                insert(schema.tables),
                {
                    "id": stored.id,
                    "setup": stored.setup.text(),
                    "host": stored.host,
                    "created": stored.created,
                },
            )
            if stored.secrets:
                rows = [
                    {"table_id": stored.id, "seat": seat, "secret": secret}
                    for seat, secret in stored.secrets.items()
                ]
                await connection.execute(insert(schema.seats), rows)
            if stored.entries:
                await connection.execute(insert(schema.entries), _rows(stored.id, stored.entries))

    async def load(self, table_id: str) -> Stored:
        """A table with its whole log; raises ``NoSuchTable``."""
        async with self._engine.connect() as connection:
            found = await connection.execute(
                select(schema.tables).where(schema.tables.c.id == table_id)
            )
            row = found.one_or_none()
            if row is None:
                raise NoSuchTable("There is no such table; ask for its link again.")
            secrets = await connection.execute(
                select(schema.seats.c.seat, schema.seats.c.secret).where(
                    schema.seats.c.table_id == table_id
                )
            )
            entries = await self._since(connection, table_id, 0)
        owners = {int(seat): str(secret) for seat, secret in secrets}
        return Stored(row.id, Setup.read(row.setup), row.host, owners, row.created, entries)

    async def since(self, table_id: str, seq: int) -> tuple[Entry, ...]:
        """The entries after a number."""
        async with self._engine.connect() as connection:
            return await self._since(connection, table_id, seq)

    async def _since(self, connection: Any, table_id: str, seq: int) -> tuple[Entry, ...]:
        columns = schema.entries.c
        found = await connection.execute(
            select(columns.seq, columns.kind, columns.seat, columns.text, columns.at)
            .where(columns.table_id == table_id, columns.seq > seq)
            .order_by(columns.seq)
        )
        return tuple(Entry(*row) for row in found)

    async def append(self, table_id: str, entries: Sequence[Entry]) -> None:
        """Add entries to a log, all or none; raises ``Conflict`` if others came first."""
        if not entries:
            return
        try:
            async with self._engine.begin() as connection:
                await connection.execute(insert(schema.entries), _rows(table_id, entries))
                if self.is_postgres:
                    await connection.execute(
                        text("SELECT pg_notify(:channel, :table)"),
                        {"channel": CHANNEL, "table": f"{table_id} {entries[-1].seq}"},
                    )
        except IntegrityError as error:
            raise Conflict("Somebody else was quicker; look at the table again.") from error

    async def tables_of(self, secrets: Sequence[str]) -> list[tuple[str, int, str, float, int]]:
        """The tables with seats of these hashed secrets: id, seat, set-up, created, length."""
        length = (
            select(func.coalesce(func.max(schema.entries.c.seq), 0))
            .where(schema.entries.c.table_id == schema.tables.c.id)
            .scalar_subquery()
        )
        query = (
            select(
                schema.tables.c.id,
                schema.seats.c.seat,
                schema.tables.c.setup,
                schema.tables.c.created,
                length,
            )
            .join(schema.seats, schema.seats.c.table_id == schema.tables.c.id)
            .where(schema.seats.c.secret.in_(list(secrets)))
            .order_by(schema.tables.c.created.desc())
        )
        async with self._engine.connect() as connection:
            return [tuple(row) for row in await connection.execute(query)]

    @asynccontextmanager
    async def changes(self) -> AsyncIterator[asyncio.Queue[tuple[str, int]]]:
        """A queue of tables and their new lengths, as any server process adds to them."""
        queue: asyncio.Queue[tuple[str, int]] = asyncio.Queue()
        if not self.is_postgres:
            yield queue
            return
        import psycopg  # noqa: PLC0415 - only with PostgreSQL

        plain = self._engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        connection = await psycopg.AsyncConnection.connect(plain, autocommit=True)
        await connection.execute(f"LISTEN {CHANNEL}")

        async def listen() -> None:
            async for notice in connection.notifies():
                table_id, _, seq = notice.payload.partition(" ")
                queue.put_nowait((table_id, int(seq)))

        task = asyncio.create_task(listen())
        try:
            yield queue
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await connection.close()


def _rows(table_id: str, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    return [{"table_id": table_id, **entry._asdict()} for entry in entries]


def _durable(connection: Any, _record: Any) -> None:
    """SQLite: readers do not wait for writers, and what is committed is on the disk."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _upgrade(connection: Any) -> None:
    """Bring the schema up to date; with PostgreSQL one process at a time."""
    from alembic import command  # noqa: PLC0415 - once, when a database is opened
    from alembic.config import Config  # noqa: PLC0415 - as above

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(5001812)"))
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
