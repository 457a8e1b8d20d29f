"""Writing to the database: changes of many tables are batched into one commit."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from time import sleep, time
from typing import NamedTuple

from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import ConnectionPoolEntry

from hotdice.storage.adding import (
    ADD_POSTGRESQL,
    ADD_SQLITE,
    add_more,
    add_tables,
    is_plain,
    rows_of,
)
from hotdice.storage.file import DatabaseFile
from hotdice.storage.listening import CHANNEL
from hotdice.storage.stored import Addition, Conflict, StorageError

_MOST_IN_BATCH = 500
_LARGE_BATCH = 8
_GATHERING = 0.004
"""Seconds to wait after a large batch, so that the next commit serves more additions."""
_CHECKPOINT_IDLE, _CHECKPOINT_BUSY = 500, 4000
"""Additions between WAL checkpoints: while the queue is empty, or in any case."""
_TIMEOUT = 5.0
"""Seconds for a transaction of PostgreSQL."""
_UNPROVEN = 6.0
"""Seconds without a commit after which PostgreSQL is tested by writing to it."""
_CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"
NOTIFY = text("SELECT pg_notify(:channel, notice) FROM unnest(CAST(:notices AS text[])) AS notice")
_PULSE = text(
    "INSERT INTO pulse (id, at) VALUES (1, :at) ON CONFLICT (id) DO UPDATE SET at = excluded.at"
)

_PUBLIC = {
    "SQLITE_FULL": "The disk is full; nothing can be saved until there is room on it.",
    "53100": "The disk of the database is full; nothing can be saved until there is room on it.",
    "SQLITE_READONLY": "The database is read-only; nothing can be saved until it is writable.",
    "25006": "The database is read-only; nothing can be saved until it is writable.",
}
"""Messages for clients about errors that the operator has to fix, by error code."""

_NOTHING = Addition("", ())
"""Begins to write, but writes nothing."""

Outcome = StorageError | Conflict | None
"""The error of an addition; ``None`` if it was committed."""


class Waiting(NamedTuple):
    """A queued addition, and the future that is done once it is committed.

    Without an addition it only tests that the database is writable.
    """

    addition: Addition | None
    done: asyncio.Future[None]


class Writer(ABC):
    """Commits additions, each atomically.

    Attributes:
        trouble: the message for clients if the last write failed; empty if it succeeded.
    """

    trouble = ""

    def __init__(self) -> None:
        # Looking up the running loop is a system call before Python 3.12: too slow for each one.
        self._loop = asyncio.get_running_loop()
        self._committed = self._loop.time()

    def add(self, addition: Addition) -> asyncio.Future[None]:
        """Commit an addition; awaiting raises ``Conflict`` if it does not fit what is stored."""
        done: asyncio.Future[None] = self._loop.create_future()
        if addition.entries or not is_plain(addition):
            self._enqueue(Waiting(addition, done))
        else:
            done.set_result(None)
        return done

    @abstractmethod
    def probe(self) -> asyncio.Future[None]:
        """Test at little cost whether the database is writable, as far as that shows.

        Awaiting raises ``StorageError``.
        """

    def check(self) -> asyncio.Future[None]:
        """Test by writing that the database is writable; awaiting raises ``StorageError``."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._enqueue(Waiting(None, done))
        return done

    @abstractmethod
    def _enqueue(self, waiting: Waiting) -> None:
        """Queue an addition for writing."""

    @abstractmethod
    async def close(self) -> None:
        """Write everything that is queued and close the connections."""

    def _resolve(self, batch: Sequence[Waiting], outcomes: Sequence[Outcome]) -> None:
        """Set the results of the futures of a batch."""
        for waiting, outcome in zip(batch, outcomes, strict=True):
            if outcome is None and waiting.addition is not _NOTHING:
                self.trouble, self._committed = "", self._loop.time()
            elif isinstance(outcome, StorageError):
                self.trouble = outcome.public
            if waiting.done.done():  # cancelled by its caller
                continue
            if outcome is None:
                waiting.done.set_result(None)
            else:
                waiting.done.set_exception(outcome)


class SqliteWriter(Writer):
    """One thread for all writes, so that a slow disk does not block reads.

    A batch is whatever was queued while the last one was written. One connection commits and
    checkpoints the WAL: before SQLite 3.51.3 a checkpoint while another commits can lose that
    commit.
    """

    def __init__(self, url: URL, file: DatabaseFile) -> None:
        super().__init__()
        self._file = file
        self._engine = create_engine(url.set(drivername="sqlite+pysqlite"), hide_parameters=True)
        event.listen(self._engine, "connect", set_pragmas)
        self._connection = self._engine.execution_options(isolation_level="AUTOCOMMIT").connect()
        self._since_checkpoint = 0
        self._queue: SimpleQueue[Waiting | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="hotdice-writer", daemon=True)
        self._thread.start()

    def probe(self) -> asyncio.Future[None]:
        """Begin to write, which costs nothing beside other additions and lets the disk sleep."""
        done: asyncio.Future[None] = self._loop.create_future()
        self._enqueue(Waiting(_NOTHING, done))
        return done

    def _enqueue(self, waiting: Waiting) -> None:
        self._queue.put(waiting)

    async def close(self) -> None:
        """Write everything that is queued and close the connection."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        self._connection.close()
        self._engine.dispose()

    def _run(self) -> None:
        while batch := self._next():
            outcomes = self._write([waiting.addition for waiting in batch])
            self._loop.call_soon_threadsafe(self._resolve, batch, outcomes)
            self._since_checkpoint += len(batch)
            idle = self._queue.empty()
            if self._since_checkpoint >= (_CHECKPOINT_IDLE if idle else _CHECKPOINT_BUSY):
                self._since_checkpoint = 0
                with suppress(SQLAlchemyError):  # the next one will do
                    self._connection.exec_driver_sql(_CHECKPOINT)
            if len(batch) >= _LARGE_BATCH:
                sleep(_GATHERING)

    def _next(self) -> list[Waiting]:
        """Wait for the next batch; it is empty when the writer is closed."""
        batch: list[Waiting] = []
        while not batch or (len(batch) < _MOST_IN_BATCH and not self._queue.empty()):
            waiting = self._queue.get()
            if waiting is None:
                if batch:
                    self._queue.put(None)  # for the next call
                break
            batch.append(waiting)
        return batch

    def _write(self, additions: Sequence[Addition | None]) -> list[Outcome]:
        real = [one for one in additions if one is not None]
        try:
            self._file.check()
            if len(real) == len(additions) and all(is_plain(one) for one in real):
                # One statement with autocommit passes the GIL only once.
                self._connection.exec_driver_sql(ADD_SQLITE, (rows_of(real),))
            else:
                with _transaction(self._connection) as connection:
                    add_tables(connection, real)
                    connection.exec_driver_sql(ADD_SQLITE, (rows_of(real),))
                    add_more(connection, real)
                    if len(real) < len(additions):
                        connection.execute(_PULSE, {"at": time()})
            self._file.check()  # if the file was deleted meanwhile, nothing was saved
        except IntegrityError:
            if len(additions) == 1:
                return [_conflict()]
            # One of them conflicts: write them one by one, so that only that one fails.
            return [self._write([one])[0] for one in additions]
        except Exception as error:  # noqa: BLE001 - the caller has to get it
            return [storage_error("written to", error)] * len(additions)
        return [None] * len(additions)


@contextmanager
def _transaction(connection: Connection) -> Iterator[Connection]:
    """A transaction on a connection with autocommit; a second connection must not write."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        with suppress(SQLAlchemyError):  # SQLite has ended it after some errors
            connection.exec_driver_sql("ROLLBACK")
        raise


class PostgresWriter(Writer):
    """A task that writes, and notifies other processes in the same transaction."""

    def __init__(self, engine: AsyncEngine) -> None:
        super().__init__()
        self._engine = engine
        self._waiting: list[Waiting] = []
        self._task: asyncio.Task[None] | None = None

    def probe(self) -> asyncio.Future[None]:
        """Write something, unless something was committed in the last few seconds."""
        if self._loop.time() - self._committed >= _UNPROVEN:
            return self.check()
        done: asyncio.Future[None] = self._loop.create_future()
        done.set_result(None)
        return done

    def _enqueue(self, waiting: Waiting) -> None:
        self._waiting.append(waiting)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Write everything that is queued and close the connections."""
        if self._task is not None:
            await self._task
        await self._engine.dispose()

    async def _run(self) -> None:
        while self._waiting:
            # The same order in all processes prevents deadlocks.
            batch = sorted(self._waiting[:_MOST_IN_BATCH], key=lambda one: _order(one.addition))
            del self._waiting[:_MOST_IN_BATCH]
            self._resolve(batch, await self._write([waiting.addition for waiting in batch]))

    async def _write(self, additions: Sequence[Addition | None]) -> list[Outcome]:
        real = [one for one in additions if one is not None]
        notices = [f"{one.table_id} {one.entries[-1].seq}" for one in real if one.entries]
        try:
            async with asyncio.timeout(_TIMEOUT), self._engine.begin() as connection:
                await connection.run_sync(add_tables, real)
                await connection.execute(ADD_POSTGRESQL, {"rows": rows_of(real)})
                await connection.run_sync(add_more, real)
                if len(real) < len(additions):
                    await connection.execute(_PULSE, {"at": time()})
                await connection.execute(NOTIFY, {"channel": CHANNEL, "notices": notices})
        except (IntegrityError, OperationalError) as error:
            is_conflict = isinstance(error, IntegrityError)
            if len(additions) > 1 and (is_conflict or _is_deadlock(error)):
                return [(await self._write([one]))[0] for one in additions]
            alone = _conflict() if is_conflict else storage_error("written to", error)
            return [alone] * len(additions)
        except Exception as error:  # noqa: BLE001 - the caller has to get it
            return [storage_error("written to", error)] * len(additions)
        return [None] * len(additions)


def _order(addition: Addition | None) -> tuple[str, tuple[str, ...]]:
    """By what additions are sorted: the rows that several processes may write."""
    if addition is None:
        return "", ()
    answered = addition.answered
    return addition.table_id, answered[:4] if answered else ()


def _is_deadlock(error: DBAPIError) -> bool:
    """Whether PostgreSQL has given up a transaction because others waited for it."""
    return getattr(error.orig, "sqlstate", "") == "40P01"


def _conflict() -> Conflict:
    return Conflict("Somebody else was quicker; look at the table again.")


def storage_error(done: str, error: Exception) -> StorageError:
    """A ``StorageError`` for an error of the database."""
    if isinstance(error, StorageError):
        return error
    cause = getattr(error, "orig", error)
    why = str(cause).partition("\n")[0] or type(cause).__name__
    name = getattr(cause, "sqlite_errorname", None) or getattr(cause, "sqlstate", None) or ""
    public = next((text for code, text in _PUBLIC.items() if name.startswith(code)), "")
    return StorageError(f"The database cannot be {done}: {why}.", public)


_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "busy_timeout=10000",
    "wal_autocheckpoint=0",  # the writer thread does it
)


def set_pragmas(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    """Set up SQLite: readers do not wait for writers, and commits are durable."""
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
