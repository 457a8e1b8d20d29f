"""Writing what many tables add at the same moment: one commit serves all of them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import sleep
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Connection, create_engine, delete, event, insert, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from hotdice.storage import schema
from hotdice.storage.kept import Addition, Conflict, Key, StorageError

CHANNEL = "hotdice"
_MOST_AT_ONCE = 500
_MANY = 8
_GATHERING = 0.004
"""Seconds in which more may come while many act at once: a commit costs the same for all."""
_TIDIED_AFTER = 4000
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
_TIDY = "PRAGMA wal_checkpoint(PASSIVE)"
_NOTIFY = text("SELECT pg_notify(:channel, told) FROM unnest(CAST(:told AS text[])) AS told")


Outcome = StorageError | Conflict | None
"""What was wrong with an addition, if anything."""


class Waiting(NamedTuple):
    """An addition, and the future of whoever waits until it is on the disk."""

    addition: Addition
    done: asyncio.Future[None]


class Writer(ABC):
    """Adds to tables, all or none of each addition."""

    def add(self, addition: Addition) -> asyncio.Future[None]:
        """Add to a table; whoever awaits it hears of a ``Conflict`` if others came first."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if addition.entries:
            self._take(Waiting(addition, done))
        else:
            done.set_result(None)
        return done

    @abstractmethod
    def _take(self, waiting: Waiting) -> None:
        """See to it that it is written soon."""

    @abstractmethod
    async def close(self) -> None:
        """Write what is still to be written."""


class SqliteWriter(Writer):
    """A thread that writes: a slow disk stops nobody who only looks.

    It takes whatever came while it was writing, and does not stop to tidy up: what SQLite's log
    holds is moved to its place beside the writing, and only the little that came meanwhile between
    two batches. Then SQLite begins its log anew; it would grow without end otherwise.
    """

    def __init__(self, url: URL, beside: AsyncEngine) -> None:
        self._beside = beside
        self._engine = create_engine(url.set(drivername="sqlite+pysqlite"), hide_parameters=True)
        event.listen(self._engine, "connect", durable)
        event.listen(self._engine, "connect", _never_tidy)
        self._pen = self._engine.execution_options(isolation_level="AUTOCOMMIT").connect()
        self._since_tidied = 0
        self._tidying: asyncio.Task[None] | None = None
        self._nearly_tidy = False
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
        if self._tidying is not None:
            await self._tidying
        self._pen.close()
        self._engine.dispose()

    def _run(self) -> None:
        while batch := self._next():
            problems = self._write([waiting.addition for waiting in batch])
            self._loop.call_soon_threadsafe(self._written, batch, problems)
            if self._nearly_tidy:
                self._nearly_tidy = False
                with suppress(SQLAlchemyError):
                    self._pen.exec_driver_sql(_TIDY)
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

    def _write(self, additions: Sequence[Addition]) -> list[Outcome]:
        try:
            if all(one.claim is None and not one.game for one in additions):
                # One statement that commits by itself: the interpreter is handed over once.
                self._pen.exec_driver_sql(_ADD_SQLITE, (_rows(additions),))
            else:
                with self._engine.begin() as connection:
                    connection.exec_driver_sql(_ADD_SQLITE, (_rows(additions),))
                    _add_more(connection, additions)
        except IntegrityError:
            if len(additions) == 1:
                return [_too_late()]
            # Somebody in it was too late: one by one, so that only they hear of it.
            return [self._write([one])[0] for one in additions]
        except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
            return [unusable("written to", error)] * len(additions)
        return [None] * len(additions)

    def _written(self, batch: Sequence[Waiting], problems: Sequence[Outcome]) -> None:
        _tell(batch, problems)
        self._since_tidied += len(batch)
        if self._since_tidied >= _TIDIED_AFTER and (self._tidying is None or self._tidying.done()):
            self._since_tidied = 0
            self._tidying = asyncio.create_task(self._tidy())

    async def _tidy(self) -> None:
        with suppress(SQLAlchemyError):  # later, then
            async with self._beside.connect() as connection:
                await connection.exec_driver_sql(_TIDY)
            self._nearly_tidy = True


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

    async def _run(self) -> None:
        while self._waiting:
            # In one order for all processes, or two would wait for each other.
            batch = sorted(self._waiting[:_MOST_AT_ONCE], key=lambda one: one.addition.table_id)
            del self._waiting[:_MOST_AT_ONCE]
            _tell(batch, await self._write([waiting.addition for waiting in batch]))

    async def _write(self, additions: Sequence[Addition]) -> list[Outcome]:
        told = [f"{one.table_id} {one.entries[-1].seq}" for one in additions]
        try:
            async with self._engine.begin() as connection:
                await connection.execute(_ADD_POSTGRESQL, {"rows": _rows(additions)})
                await connection.run_sync(_add_more, additions)
                await connection.execute(_NOTIFY, {"channel": CHANNEL, "told": told})
        except IntegrityError:
            if len(additions) == 1:
                return [_too_late()]
            return [(await self._write([one]))[0] for one in additions]
        except Exception as error:  # noqa: BLE001 - whoever waits has to hear of it
            return [unusable("written to", error)] * len(additions)
        return [None] * len(additions)


def _tell(batch: Sequence[Waiting], problems: Sequence[Outcome]) -> None:
    """Let those who wait know how it went."""
    for waiting, problem in zip(batch, problems, strict=True):
        if waiting.done.done():  # whoever waited for it has gone
            continue
        if problem is None:
            waiting.done.set_result(None)
        else:
            waiting.done.set_exception(problem)


def _too_late() -> Conflict:
    return Conflict("Somebody else was quicker; look at the table again.")


def unusable(done: str, error: Exception) -> StorageError:
    """What to say of a database that something cannot be done to."""
    why = str(getattr(error, "orig", error)).partition("\n")[0]
    return StorageError(f"The database cannot be {done}: {why}.")


def _rows(additions: Sequence[Addition]) -> str:
    rows = [(one.table_id, *entry) for one in additions for entry in one.entries]
    return orjson.dumps(rows).decode()


def _add_more(connection: Connection, additions: Sequence[Addition]) -> None:
    """Add what few additions have: a seat that is taken, scores."""
    for one in additions:
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


def durable(connection: Any, _record: Any) -> None:
    """SQLite: readers do not wait for writers, and what is committed is on the disk."""
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _never_tidy(connection: Any, _record: Any) -> None:
    """SQLite: whoever writes does not stop to tidy; that is done beside it."""
    connection.execute("PRAGMA wal_autocheckpoint=0")
