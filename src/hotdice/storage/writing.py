"""Writing what many tables add at the same moment: one commit serves all of them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import sleep, time
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, create_engine, delete, event, insert, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from hotdice.storage import schema
from hotdice.storage.file import DatabaseFile
from hotdice.storage.listening import CHANNEL
from hotdice.storage.stored import Addition, Conflict, Key, StorageError

_MOST_AT_ONCE = 500
_MANY = 8
_GATHERING = 0.004
"""Seconds in which more may come while many act at once: a commit costs the same for all."""
_CHECKPOINT_IDLE, _CHECKPOINT_BUSY = 500, 4000
"""Additions after which the WAL is checkpointed: as soon as nobody waits, or in any case."""
_PATIENCE = 5.0
"""Seconds after which PostgreSQL is taken not to answer."""
# All rows of a batch in one statement: a statement for each would hand the interpreter to and fro
# between the loop and the database's thread, and every time wait for it.
_ADD_SQLITE = (
    "INSERT INTO entries (table_id, seq, kind, seat, text, at) "
    "SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 "
    "FROM json_each(?)"
)
_ADD_POSTGRESQL = text(
    "INSERT INTO entries (table_id, seq, kind, seat, text, at) "
    "SELECT row ->> 0, CAST(row ->> 1 AS int), row ->> 2, CAST(row ->> 3 AS int), row ->> 4, "
    "CAST(row ->> 5 AS double precision) FROM json_array_elements(CAST(:rows AS json)) AS row"
)
_CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"
_NOTIFY = text("SELECT pg_notify(:channel, told) FROM unnest(CAST(:told AS text[])) AS told")
_PULSE = text(
    "INSERT INTO pulse (id, at) VALUES (1, :at) ON CONFLICT (id) DO UPDATE SET at = excluded.at"
)

_TOLD = {
    "SQLITE_FULL": "The disk is full; nothing can be saved until there is room on it.",
    "53100": "The disk of the database is full; nothing can be saved until there is room on it.",
    "SQLITE_READONLY": "The database is read-only; nothing can be saved until it is writable.",
    "25006": "The database is read-only; nothing can be saved until it is writable.",
}
"""What everybody is told of errors that somebody has to do something about, by their code."""

Outcome = StorageError | Conflict | None
"""What was wrong with an addition, if anything."""


class Waiting(NamedTuple):
    """An addition, and the future of whoever waits until it is on the disk.

    Without an addition somebody only wants to know whether the database can be written to.
    """

    addition: Addition | None
    done: asyncio.Future[None]


class Writer(ABC):
    """Adds to tables, all or none of each addition.

    Attributes:
        trouble: what was wrong with the last write, in a sentence; nothing if it succeeded.
    """

    trouble = ""

    def add(self, addition: Addition) -> asyncio.Future[None]:
        """Add to a table; whoever awaits it hears of a ``Conflict`` if others came first."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if addition.entries or addition.new is not None or addition.gone:
            self._take(Waiting(addition, done))
        else:
            done.set_result(None)
        return done

    def check(self) -> asyncio.Future[None]:
        """Write something that does not matter; awaited, it raises ``StorageError``."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._take(Waiting(None, done))
        return done

    @abstractmethod
    def _take(self, waiting: Waiting) -> None:
        """See to it that it is written soon."""

    @abstractmethod
    async def close(self) -> None:
        """Write what is still to be written."""

    def _tell(self, batch: Sequence[Waiting], outcomes: Sequence[Outcome]) -> None:
        """Let those who wait know how it went."""
        for outcome in outcomes:
            if not isinstance(outcome, Conflict):
                self.trouble = outcome.told if outcome else ""
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if waiting.done.done():  # whoever waited for it has gone
                continue
            if outcome is None:
                waiting.done.set_result(None)
            else:
                waiting.done.set_exception(outcome)


class SqliteWriter(Writer):
    """A thread with the only connection that writes: a slow disk stops nobody who only looks.

    It takes whatever came while it was writing. Nobody else checkpoints the WAL either: before
    SQLite 3.51.3 a checkpoint on one connection while another commits can lose what was committed.
    """

    def __init__(self, url: URL, file: DatabaseFile) -> None:
        self._file = file
        self._engine = create_engine(url.set(drivername="sqlite+pysqlite"), hide_parameters=True)
        event.listen(self._engine, "connect", durable)
        self._pen = self._engine.execution_options(isolation_level="AUTOCOMMIT").connect()
        self._since_checkpoint = 0
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="hotdice-writer", daemon=True)
        self._thread.start()

    def _take(self, waiting: Waiting) -> None:
        self._queue.put(waiting)

    async def close(self) -> None:
        """Write what is still to be written."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        self._pen.close()
        self._engine.dispose()

    def _run(self) -> None:
        while batch := self._next():
            outcomes = self._write([waiting.addition for waiting in batch])
            self._loop.call_soon_threadsafe(self._tell, batch, outcomes)
            self._since_checkpoint += len(batch)
            idle = self._queue.empty()
            if self._since_checkpoint >= (_CHECKPOINT_IDLE if idle else _CHECKPOINT_BUSY):
                self._since_checkpoint = 0
                with suppress(SQLAlchemyError):  # later, then
                    self._pen.exec_driver_sql(_CHECKPOINT)
            if len(batch) >= _MANY:
                sleep(_GATHERING)

    def _next(self) -> list[Waiting]:
        """All that waits to be written, waited for; nothing at the end."""
        batch: list[Waiting] = []
        while not batch or (len(batch) < _MOST_AT_ONCE and not self._queue.empty()):
            waiting = self._queue.get()
            if waiting is None:
                if batch:
                    self._queue.put(None)  # to be found once these are written
                break
            batch.append(waiting)
        return batch

    def _write(self, additions: Sequence[Addition | None]) -> list[Outcome]:
        real = [one for one in additions if one is not None]
        try:
            self._file.check()
            if len(real) == len(additions) and all(_is_plain(one) for one in real):
                # One statement that commits by itself: the interpreter is handed over once.
                self._pen.exec_driver_sql(_ADD_SQLITE, (_rows(real),))
            else:
                with self._engine.begin() as connection:
                    _add_tables(connection, real)
                    connection.exec_driver_sql(_ADD_SQLITE, (_rows(real),))
                    _add_more(connection, real)
                    if len(real) < len(additions):
                        connection.execute(_PULSE, {"at": time()})
            self._file.check()  # what was written to a file that is gone will be gone with it
        except IntegrityError:
            if len(additions) == 1:
                return [_too_late()]
            # Somebody in it was too late: one by one, so that only they hear of it.
            return [self._write([one])[0] for one in additions]
        except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
            return [unusable("written to", error)] * len(additions)
        return [None] * len(additions)


class PostgresWriter(Writer):
    """A task that writes, and tells other processes in the same transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    def _take(self, waiting: Waiting) -> None:
        self._waiting.append(waiting)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write what is still to be written."""
        if self._task is not None:
            await self._task
        await self._engine.dispose()

    async def _run(self) -> None:
        while self._waiting:
            # In one order for all processes, or two would wait for each other.
            batch = sorted(
                self._waiting[:_MOST_AT_ONCE],
                key=lambda one: one.addition.table_id if one.addition else "",
            )
            del self._waiting[:_MOST_AT_ONCE]
            self._tell(batch, await self._write([waiting.addition for waiting in batch]))

    async def _write(self, additions: Sequence[Addition | None]) -> list[Outcome]:
        real = [one for one in additions if one is not None]
        told = [f"{one.table_id} {one.entries[-1].seq}" for one in real if one.entries]
        try:
            async with asyncio.timeout(_PATIENCE), self._engine.begin() as connection:
                await connection.run_sync(_add_tables, real)
                await connection.execute(_ADD_POSTGRESQL, {"rows": _rows(real)})
                await connection.run_sync(_add_more, real)
                if len(real) < len(additions):
                    await connection.execute(_PULSE, {"at": time()})
                await connection.execute(_NOTIFY, {"channel": CHANNEL, "told": told})
        except IntegrityError:
            if len(additions) == 1:
                return [_too_late()]
            return [(await self._write([one]))[0] for one in additions]
        except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
            return [unusable("written to", error)] * len(additions)
        return [None] * len(additions)


def _too_late() -> Conflict:
    return Conflict("Somebody else was quicker; look at the table again.")


def unusable(done: str, error: Exception) -> StorageError:
    """What to say of a database that something cannot be done to."""
    if isinstance(error, StorageError):
        return error
    cause = getattr(error, "orig", error)
    why = str(cause).partition("\n")[0] or type(cause).__name__
    name = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
    told = next((told for start, told in _TOLD.items() if name.startswith(start)), "")
    return StorageError(f"The database cannot be {done}: {why}.", told)


def _rows(additions: Sequence[Addition]) -> str:
    rows = [(one.table_id, *entry) for one in additions for entry in one.entries]
    return orjson.dumps(rows).decode()


def _is_plain(addition: Addition) -> bool:
    """Whether it is entries and nothing else."""
    return not (addition.new or addition.claim or addition.game or addition.gone)


def _add_tables(connection: Connection, additions: Sequence[Addition]) -> None:
    """Add the tables that are new, and what opens their seats."""
    for one in additions:
        if (table := one.new) is None:
            continue
        row = {
            "id": one.table_id,
            "setup": table.setup.text(),
            "host": table.host.secret,
            "owner": table.host.owner,
            "created": table.created,
        }
        connection.execute(insert(schema.tables), row)
        for seat, key in table.keys.items():
            add_key(connection, one.table_id, seat, key)


def _add_more(connection: Connection, additions: Sequence[Addition]) -> None:
    """Do what few additions ask for: a seat that is taken, scores, a table that goes."""
    for one in additions:
        if one.gone:
            connection.execute(delete(schema.tables).where(schema.tables.c.id == one.table_id))
        if one.claim is not None:
            add_key(connection, one.table_id, *one.claim)
        if one.game:
            _add_scores(connection, one)


def add_key(connection: Connection, table_id: str, seat: int, key: Key) -> None:
    """Keep what opens a seat."""
    row = {"table_id": table_id, "seat": seat, **key._asdict()}
    connection.execute(insert(schema.seats), row)


def _add_scores(connection: Connection, addition: Addition) -> None:
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


_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=10000",
    "wal_autocheckpoint=0",  # the writer does that
)


def durable(connection: Any, _record: Any) -> None:
    """SQLite: readers do not wait for writers, and what is committed is on the disk."""
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
