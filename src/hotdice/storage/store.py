"""Tables in a database: created, read, and added to, each entry committed before anyone sees it.

What many tables add at the same moment is committed together: one write to the disk serves all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import (
    Connection,
    Engine,
    case,
    create_engine,
    delete,
    event,
    func,
    insert,
    or_,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from hotdice.core.errors import HotDiceError
from hotdice.storage import schema
from hotdice.table.files import data_folder
from hotdice.table.log import Entry, Stale
from hotdice.table.setup import Setup
from hotdice.table.summary import Summary

CHANNEL = "hotdice"
_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg"}
_MOST_AT_ONCE = 500
_TIDIED_AFTER = 4000
# All rows of a batch in one statement: a statement for each would hand the interpreter to and fro
# between the loop and the database's thread, and every time wait for it.
_ADD_ENTRIES = {
    "sqlite": text(
        "INSERT INTO entries (table_id, seq, kind, seat, text, at) "
        "SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 "
        "FROM json_each(:rows)"
    ),
    "postgresql": text(
        "INSERT INTO entries (table_id, seq, kind, seat, text, at) "
        "SELECT row ->> 0, CAST(row ->> 1 AS int), row ->> 2, CAST(row ->> 3 AS int), row ->> 4, "
        "CAST(row ->> 5 AS double precision) FROM json_array_elements(CAST(:rows AS json)) AS row"
    ),
}


class StorageError(HotDiceError):
    """The database cannot be used."""


class NoSuchTable(HotDiceError):
    """No table has this id."""


class Conflict(Stale):
    """Somebody else's entries came first."""


class Key(NamedTuple):
    """What opens a seat, or the host's chair: hashes of a secret and of somebody's player key."""

    secret: str
    owner: str = ""


class Stored(NamedTuple):
    """A table as it is kept.

    Attributes:
        id: its id, which is all a spectator needs.
        setup: how it was set up.
        host: what opens the host's chair.
        keys: what opens the seats that people have, by seat.
        created: when.
        entries: its log.
    """

    id: str
    setup: Setup
    host: Key
    keys: Mapping[int, Key]
    created: float
    entries: tuple[Entry, ...]


class Scored(NamedTuple):
    """How one seat did in a finished game."""

    game: int
    seat: int
    owner: str
    slug: str
    name: str
    bot: str
    at: float
    summary: Summary


class Addition(NamedTuple):
    """What a table adds to what is kept of it, all or none.

    Attributes:
        table_id: the table.
        entries: what its log goes on with.
        claim: the seat that was taken with it, and what opens it.
        game: the game whose scores are replaced; 0 if none are.
        scores: the scores of that game, none if it is under way again.
    """

    table_id: str
    entries: Sequence[Entry]
    claim: tuple[int, Key] | None = None
    game: int = 0
    scores: Sequence[Scored] = ()


class Listed(NamedTuple):
    """One of somebody's tables."""

    id: str
    created: float
    length: int
    touched: float


class Career(NamedTuple):
    """What somebody's finished games of one kind add up to."""

    slug: str
    name: str
    games: int
    won: int
    mean: float
    top: int
    best: int
    turns: int
    empty: int


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

    def __init__(self, engine: AsyncEngine, writing: Engine | None = None) -> None:
        self._engine = engine
        self._writing = writing
        self._pen = ThreadPoolExecutor(1, "hotdice-writer")
        self.is_postgres = engine.dialect.name == "postgresql"
        self._pending: list[tuple[Addition, asyncio.Future[None]]] = []
        self._writer: asyncio.Task[None] | None = None
        self._since_tidied = 0
        self._tidying: asyncio.Task[None] | None = None

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
        writing = None
        if url.get_backend_name() == "sqlite":
            event.listen(engine.sync_engine, "connect", _durable)
            writing = create_engine(url.set(drivername="sqlite+pysqlite"))
            event.listen(writing, "connect", _durable)
            event.listen(writing, "connect", _never_tidy)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(_upgrade)
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            why = str(getattr(error, "orig", error)).splitlines()[0]
            shown = url.render_as_string(hide_password=True)
            raise StorageError(f"The database {shown} cannot be used: {why}.") from error
        return cls(engine, writing)

    async def close(self) -> None:
        """Write what is still to be written and close all connections."""
        for task in (self._writer, self._tidying):
            if task is not None:
                await task
        self._pen.shutdown()
        if self._writing is not None:
            self._writing.dispose()
        await self._engine.dispose()

    async def healthy(self) -> bool:
        """Whether the database answers."""
        try:
            async with self._engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
        except (DBAPIError, OSError):
            return False
        return True

    # One table --------------------------------------------------------------------------------

    async def create(self, stored: Stored) -> None:
        """Keep a new table with whatever its log holds already."""
        async with self._engine.begin() as connection:
            await connection.execute(
                insert(schema.tables),
                {
                    "id": stored.id,
                    "setup": stored.setup.text(),
                    "host": stored.host.secret,
                    "owner": stored.host.owner,
                    "created": stored.created,
                },
            )
            for seat, key in stored.keys.items():
                await connection.run_sync(_claim, stored.id, seat, key)
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
            keys = await self._keys(connection, table_id)
            entries = await self._since(connection, table_id, 0)
        host = Key(row.host, row.owner)
        return Stored(row.id, Setup.read(row.setup), host, keys, row.created, entries)

    async def keys(self, table_id: str) -> dict[int, Key]:
        """What opens the seats of a table."""
        async with self._engine.connect() as connection:
            return await self._keys(connection, table_id)

    async def _keys(self, connection: AsyncConnection, table_id: str) -> dict[int, Key]:
        columns = schema.seats.c
        found = await connection.execute(
            select(columns.seat, columns.secret, columns.owner).where(columns.table_id == table_id)
        )
        return {int(seat): Key(secret, owner) for seat, secret, owner in found}

    async def since(self, table_id: str, seq: int) -> tuple[Entry, ...]:
        """The entries after a number."""
        async with self._engine.connect() as connection:
            return await self._since(connection, table_id, seq)

    async def _since(
        self, connection: AsyncConnection, table_id: str, seq: int
    ) -> tuple[Entry, ...]:
        columns = schema.entries.c
        found = await connection.execute(
            select(columns.seq, columns.kind, columns.seat, columns.text, columns.at)
            .where(columns.table_id == table_id, columns.seq > seq)
            .order_by(columns.seq)
        )
        return tuple(Entry(*row) for row in found)

    # Adding -----------------------------------------------------------------------------------

    async def append(self, table_id: str, entries: Sequence[Entry]) -> None:
        """Add entries to a log, all or none; raises ``Conflict`` if others came first."""
        await self.add(Addition(table_id, entries))

    async def add(self, addition: Addition) -> None:
        """Add to a table, all or none; raises ``Conflict`` if others came first."""
        if not addition.entries:
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pending.append((addition, done))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write_all())
        await done

    async def _write_all(self) -> None:
        while self._pending:
            batch = self._pending[:_MOST_AT_ONCE]
            del self._pending[:_MOST_AT_ONCE]
            self._tidy_now_and_then(len(batch))
            if not await self._written(batch):
                # Somebody in it was too late: one by one, so that only they hear of it.
                for one in batch:
                    await self._written([one], alone=True)

    def _tidy_now_and_then(self, more: int) -> None:
        """Have SQLite move what its log holds to its place, beside the writing."""
        self._since_tidied += more
        if self._writing is None or self._since_tidied < _TIDIED_AFTER:
            return
        if self._tidying is None or self._tidying.done():
            self._since_tidied = 0
            self._tidying = asyncio.create_task(self._tidy())

    async def _tidy(self) -> None:
        async with self._engine.connect() as connection:
            await connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    async def _written(
        self, batch: Sequence[tuple[Addition, asyncio.Future[None]]], *, alone: bool = False
    ) -> bool:
        problem: Exception | None = None
        additions = [addition for addition, _ in batch]
        try:
            if self._writing is not None:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._pen, _write_now, self._writing, additions)
            else:
                async with self._engine.begin() as connection:
                    await connection.run_sync(_write, additions)
        except IntegrityError:
            if not alone:
                return False
            problem = Conflict("Somebody else was quicker; look at the table again.")
        except (SQLAlchemyError, OSError) as error:
            why = str(getattr(error, "orig", error)).splitlines()[0]
            problem = StorageError(f"The database cannot be written to: {why}.")
        for _, done in batch:
            if done.done():  # whoever waited for it has gone
                continue
            if problem is None:
                done.set_result(None)
            else:
                done.set_exception(problem)
        return True

    # Somebody's tables ------------------------------------------------------------------------

    async def tables_of(self, owner: str, before: float, limit: int) -> list[Listed]:
        """The tables somebody hosts or sits at, the newest first, created before a moment."""
        tables, entries = schema.tables.c, schema.entries.c
        mine = select(schema.seats.c.table_id).where(schema.seats.c.owner == owner)
        query = (
            select(
                tables.id,
                tables.created,
                func.count(entries.seq),
                func.coalesce(func.max(entries.at), tables.created),
            )
            .select_from(schema.tables.outerjoin(schema.entries, entries.table_id == tables.id))
            .where(or_(tables.owner == owner, tables.id.in_(mine)), tables.created < before)
            .group_by(tables.id, tables.created)
            .order_by(tables.created.desc(), tables.id)
            .limit(limit)
        )
        async with self._engine.connect() as connection:
            return [Listed(*row) for row in await connection.execute(query)]

    async def career(self, owner: str) -> list[Career]:
        """What somebody's finished games add up to, for every game and name."""
        columns = schema.scores.c
        query = (
            select(
                columns.slug,
                columns.name,
                func.count(),
                func.sum(case((columns.won, 1), else_=0)),
                func.avg(columns.score),
                func.max(columns.score),
                func.max(columns.best),
                func.sum(columns.turns),
                func.sum(columns.empty),
            )
            .where(columns.owner == owner, columns.bot == "")
            .group_by(columns.slug, columns.name)
            .order_by(columns.slug, func.count().desc(), columns.name)
        )
        async with self._engine.connect() as connection:
            found = await connection.execute(query)
            return [Career(*row)._replace(mean=float(row[4])) for row in found]

    # Other processes --------------------------------------------------------------------------

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


def _write_now(engine: Engine, batch: Sequence[Addition]) -> None:
    """Write in a thread of its own: what is asked of SQLite step by step waits at every step."""
    with engine.begin() as connection:
        _write(connection, batch)


def _write(connection: Connection, batch: Sequence[Addition]) -> None:
    rows = [(one.table_id, *entry) for one in batch for entry in one.entries]
    kind = connection.dialect.name
    connection.execute(_ADD_ENTRIES[kind], {"rows": orjson.dumps(rows).decode()})
    for one in batch:
        if one.claim is not None:
            _claim(connection, one.table_id, *one.claim)
        if one.game:
            _score(connection, one)
    if kind == "postgresql":
        told = [f"{one.table_id} {one.entries[-1].seq}" for one in batch]
        connection.execute(
            text("SELECT pg_notify(:channel, told) FROM unnest(CAST(:told AS text[])) AS told"),
            {"channel": CHANNEL, "told": told},
        )


def _claim(connection: Connection, table_id: str, seat: int, key: Key) -> None:
    row = {"table_id": table_id, "seat": seat, **key._asdict()}
    connection.execute(insert(schema.seats), row)


def _score(connection: Connection, addition: Addition) -> None:
    columns = schema.scores.c
    connection.execute(
        delete(schema.scores).where(
            columns.table_id == addition.table_id, columns.game == addition.game
        )
    )
    rows = []
    for scored in addition.scores:
        row = {"table_id": addition.table_id, **scored._asdict()}
        row.update(row.pop("summary")._asdict())
        rows.append(row)
    if rows:
        connection.execute(insert(schema.scores), rows)


def _rows(table_id: str, entries: Iterable[Entry]) -> list[dict[str, Any]]:
    return [{"table_id": table_id, **entry._asdict()} for entry in entries]


def _durable(connection: Any, _record: Any) -> None:
    """SQLite: readers do not wait for writers, and what is committed is on the disk."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _never_tidy(connection: Any, _record: Any) -> None:
    """SQLite: whoever writes does not stop to tidy; that is done beside it."""
    connection.execute("PRAGMA wal_autocheckpoint=0")


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
