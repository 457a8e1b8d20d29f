"""The database of tables: creating, reading and appending; entries are committed before use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection, Sequence
from contextlib import asynccontextmanager, suppress

from sqlalchemy import event, func, or_, select, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from hotdice.storage import schema
from hotdice.storage.answers import Answered, answers_of, read_answers
from hotdice.storage.careers import career_of, count_of, page_of
from hotdice.storage.file import DatabaseFile
from hotdice.storage.listening import ANNOUNCED, CHANNEL, Hear, Hint, Listener, end
from hotdice.storage.opening import READ_TIMEOUT, make_engine, make_folder, read_url, upgrade
from hotdice.storage.stored import (
    NEWEST,
    Addition,
    Analysis,
    Career,
    Conflict,
    Finished,
    Key,
    Listed,
    Mark,
    NoSuchTable,
    StorageError,
    Stored,
    Try,
    up_to_gap,
)
from hotdice.storage.writing import (
    NOTIFY,
    PostgresWriter,
    SqliteWriter,
    Writer,
    set_pragmas,
    storage_error,
)
from hotdice.table.entries import Entry
from hotdice.table.files import data_folder
from hotdice.table.setup import Setup

_CHECK_TIMEOUT = 3.0
"""Seconds for a health check."""
_IDS_PER_QUERY = 500
_CONCURRENT_LISTS = 2
"""Lists and statistics read at the same time: slow ones must not use up all connections."""
_DELETED_AT_ONCE = 100


def default_url() -> str:
    """The default SQLite database of this user."""
    return f"sqlite:///{data_folder() / 'hotdice.db'}"


def _ignore(_announced: str) -> None:
    """Ignore what processes announce."""


class Store:
    """An open database."""

    def __init__(
        self, engine: AsyncEngine, writer: Writer, file: DatabaseFile | None = None
    ) -> None:
        self._engine = engine
        self._writer = writer
        self._file = file
        self._listener: Listener | None = None
        self._was_read = True
        self._listing = asyncio.Semaphore(_CONCURRENT_LISTS)
        self.is_postgres = engine.dialect.name == "postgresql"

    @classmethod
    async def open(cls, text_: str) -> Store:
        """Open a database and bring its schema up to date; raises ``StorageError``."""
        url = read_url(text_)
        is_sqlite = url.get_backend_name() == "sqlite"
        if is_sqlite:
            make_folder(url)
        engine = make_engine(url)
        if is_sqlite:
            event.listen(engine.sync_engine, "connect", set_pragmas)
        try:
            async with engine.begin() as connection:
                await connection.run_sync(upgrade)
        except (SQLAlchemyError, OSError) as error:
            await engine.dispose()
            why = str(getattr(error, "orig", error)).splitlines()[0]
            shown = url.set(query={}).render_as_string(hide_password=True)
            raise StorageError(f"The database {shown} cannot be used: {why}.") from error
        if not is_sqlite:
            # A separate pool, so that writes do not wait for reads.
            return cls(engine, PostgresWriter(make_engine(url)))
        file = DatabaseFile(url.database or "")
        return cls(engine, SqliteWriter(url, file), file)

    async def close(self) -> None:
        """Write everything that is queued and close all connections."""
        await self._writer.close()
        await self._engine.dispose()

    async def problems(self) -> list[str]:
        """The problems of the database, one sentence each; tests reading and writing."""
        found = []
        try:
            async with asyncio.timeout(_CHECK_TIMEOUT):
                await asyncio.gather(self._check_reading(), self._writer.check())
        except StorageError as error:
            found.append(error.public)
        except TimeoutError:
            found.append("The database does not answer.")
        if not found and self._file is not None and self._file.is_disk_full():
            found.append("The disk is almost full; soon nothing can be saved.")
        if self._misses_notices:
            found.append("Changes by other server processes show up a few seconds late.")
        return found

    async def _check_reading(self) -> None:
        async with self._connected() as connection:
            await connection.execute(text("SELECT 1"))

    @property
    def is_well(self) -> bool:
        """Whether no problem is known; unlike ``problems`` it does not query the database."""
        return self._was_read and not self._writer.trouble and not self._misses_notices

    async def seems_well(self) -> bool:
        """Whether a quick look finds no problem, at little cost; ``problems`` says which one."""
        if not self.is_well or (self._file is not None and not self._file.is_writable()):
            return False
        try:
            async with asyncio.timeout(_CHECK_TIMEOUT):
                await self._writer.probe()
        except (StorageError, TimeoutError):
            return False
        return True

    @property
    def _misses_notices(self) -> bool:
        return self._listener is not None and self._listener.is_disconnected

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[AsyncConnection]:
        """A connection for reading; raises ``StorageError``."""
        try:
            if self._file is not None:
                self._file.check()
            async with asyncio.timeout(READ_TIMEOUT), self._engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, OSError, StorageError) as error:  # a TimeoutError is an OSError
            self._was_read = False
            raise storage_error("read", error) from error
        self._was_read = True

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection for lists and statistics, of which few are read at the same time."""
        async with self._listing, self._connected() as connection:
            yield connection

    # One table --------------------------------------------------------------------------------

    async def create(self, stored: Stored, tries: Sequence[Try] = ()) -> None:
        """Store a new table with its log so far, and the tries of a challenge that begin there.

        Raises ``Conflict`` if one of these people has tried it before.
        """
        await self.add(Addition(stored.id, stored.entries, new=stored, tries=tries))

    async def load(self, table_id: str) -> Stored:
        """A table with its whole log; raises ``NoSuchTable``."""
        async with self._connected() as connection:
            found = await connection.execute(
                select(schema.tables).where(schema.tables.c.id == table_id)
            )
            row = found.one_or_none()
            if row is None:
                raise NoSuchTable("There is no such table; ask for its link again.")
            # Entries before keys, so that everybody who has joined has a key.
            entries = await self._since(connection, table_id, 0)
            keys = await self._keys(connection, table_id)
        host = Key(row.host, row.owner)
        whole = up_to_gap(entries, 0)
        is_whole = len(whole) == len(entries)
        return Stored(row.id, Setup.read(row.setup), host, keys, row.created, whole, is_whole)

    async def keys(self, table_id: str) -> dict[int, Key]:
        """The keys of the seats of a table."""
        async with self._connected() as connection:
            return await self._keys(connection, table_id)

    async def _keys(self, connection: AsyncConnection, table_id: str) -> dict[int, Key]:
        columns = schema.seats.c
        found = await connection.execute(
            select(columns.seat, columns.secret, columns.owner).where(columns.table_id == table_id)
        )
        return {int(seat): Key(secret, owner) for seat, secret, owner in found}

    async def since(self, table_id: str, seq: int) -> tuple[Entry, ...]:
        """The entries after a sequence number, up to a gap."""
        async with self._connected() as connection:
            return up_to_gap(await self._since(connection, table_id, seq), seq)

    async def _since(
        self, connection: AsyncConnection, table_id: str, seq: int
    ) -> tuple[Entry, ...]:
        columns = schema.entries.c
        found = await connection.execute(
            select(columns.seq, columns.kind, columns.seat, columns.text, columns.at)
            .where(columns.table_id == table_id, columns.seq > seq)
            .order_by(columns.seq)
        )
        return tuple(Entry.read(*row) for row in found)

    async def lengths(self, table_ids: Sequence[str]) -> dict[str, int]:
        """The lengths of the logs of tables; tables that do not exist are left out."""
        last = (
            select(func.max(schema.entries.c.seq))
            .where(schema.entries.c.table_id == schema.tables.c.id)
            .scalar_subquery()
        )
        found: dict[str, int] = {}
        async with self._connected() as connection:
            for first in range(0, len(table_ids), _IDS_PER_QUERY):
                some = table_ids[first : first + _IDS_PER_QUERY]
                query = select(schema.tables.c.id, last).where(schema.tables.c.id.in_(some))
                for table_id, length in await connection.execute(query):
                    found[table_id] = length or 0
        return found

    # Writing ----------------------------------------------------------------------------------

    async def append(self, table_id: str, entries: Sequence[Entry]) -> None:
        """Append entries to a log atomically; see ``add``."""
        await self.add(Addition(table_id, entries))

    def add(self, addition: Addition) -> Awaitable[None]:
        """Commit a change atomically; awaiting raises ``Conflict`` if it does not fit.

        Its first entry has to be the next one of the stored log.
        """
        return self._writer.add(addition)

    async def forget(self, before: float, spared: Collection[str] = ()) -> int:
        """Delete a batch of tables unused since ``before``, and older answers; returns how many."""
        tables, entries = schema.tables.c, schema.entries.c
        last = select(func.max(entries.at)).where(entries.table_id == tables.id).scalar_subquery()
        query = (
            select(tables.id)
            .where(tables.created < before, func.coalesce(last, tables.created) < before)
            .order_by(tables.created)
            .limit(_DELETED_AT_ONCE)
        )
        async with self._connected() as connection:
            newest = (await connection.execute(select(func.max(tables.created)))).scalar_one()
            if newest is None or newest < before:
                return 0  # it would delete all of them: more likely the clock is wrong
            found = [table_id for (table_id,) in await connection.execute(query)]
        gone = [table_id for table_id in found if table_id not in spared]
        await self.add(Addition("", (), forgotten=before))
        await asyncio.gather(*(self.add(Addition(table_id, (), gone=True)) for table_id in gone))
        return len(gone)

    # Tables of a player -----------------------------------------------------------------------

    async def tables_of(self, owner: str, before: float, limit: int) -> list[Listed]:
        """The tables a player hosts or sits at, created before ``before``, newest first."""
        tables, entries = schema.tables.c, schema.entries.c
        mine = select(schema.seats.c.table_id).where(schema.seats.c.owner == owner)
        page = (
            select(tables.id, tables.created)
            .where(or_(tables.owner == owner, tables.id.in_(mine)), tables.created < before)
            .order_by(tables.created.desc(), tables.id)
            .limit(limit)
            .subquery()
        )
        last = (
            select(entries.seq, entries.at)
            .where(entries.table_id == page.c.id)
            .order_by(entries.seq.desc())
            .limit(1)
        )
        length = select(last.correlate(page).subquery().c.seq).scalar_subquery()
        touched = select(last.correlate(page).subquery().c.at).scalar_subquery()
        query = select(
            page.c.id,
            page.c.created,
            func.coalesce(length, 0),
            func.coalesce(touched, page.c.created),
        ).order_by(page.c.created.desc(), page.c.id)
        async with self._listing, self._connected() as connection:
            return [Listed(*row) for row in await connection.execute(query)]

    async def career(self, owner: str) -> list[Career]:
        """Totals of a player's finished games, for every game and name, with and without others."""
        async with self._listing, self._connected() as connection:
            return await career_of(connection, owner)

    # Analyses ---------------------------------------------------------------------------------

    async def keep(self, table_id: str, analysis: Analysis) -> None:
        """Store the analysis of a finished game, unless its end has changed meanwhile."""
        with suppress(Conflict):  # another process has just stored the same
            await self.add(Addition(table_id, (), analysis=analysis))

    async def analysis(self, table_id: str, game: int, version: int) -> str:
        """The report of a finished game as JSON; empty if there is none in this version."""
        columns = schema.analyses.c
        query = select(columns.report).where(
            columns.table_id == table_id, columns.game == game, columns.version == version
        )
        async with self._connected() as connection:
            return (await connection.execute(query)).scalar_one_or_none() or ""

    async def ended(self, table_id: str, game: int) -> float | None:
        """When a game ended; ``None`` if it has not."""
        columns = schema.scores.c
        query = select(func.max(columns.at)).where(
            columns.table_id == table_id, columns.game == game
        )
        async with self._connected() as connection:
            at: float | None = (await connection.execute(query)).scalar_one()
            return at

    async def finished(
        self,
        owner: str,
        version: int,
        before: Mark = NEWEST,
        limit: int = 100,
        *,
        whole: bool = False,
        analysed: bool | None = None,
    ) -> list[Finished]:
        """A page of a player's finished games, newest first; see ``page_of``."""
        async with self._listing, self._connected() as connection:
            return await page_of(
                connection,
                owner,
                version,
                before=before,
                limit=limit,
                whole=whole,
                analysed=analysed,
            )

    async def count_finished(self, owner: str, version: int) -> tuple[int, int]:
        """How many finished games a player has, and how many of them are analysed."""
        async with self._listing, self._connected() as connection:
            return await count_of(connection, owner, version)

    # Learning ---------------------------------------------------------------------------------

    async def answer(self, answered: Answered) -> None:
        """Store a player's answer in place of an earlier one to the same exercise."""
        await self.add(Addition("", (), answered=answered))

    async def answers(
        self, owner: str, slug: str = "", exercise: str = "", name: str = ""
    ) -> list[Answered]:
        """A player's answers, newest first: all, or those to some exercises."""
        query = answers_of(owner, slug, exercise, name)
        async with self._listing, self._connected() as connection:
            return read_answers(await connection.execute(query))

    # Other processes --------------------------------------------------------------------------

    @asynccontextmanager
    async def listening(self, hint: Hint, hear: Hear = _ignore) -> AsyncIterator[None]:
        """Call ``hint`` when other server processes add to tables, while the context is open.

        ``hear`` is called with what any process announces, also this one.
        Does nothing with SQLite, which has only one server process.
        """
        if not self.is_postgres:
            yield
            return
        self._listener = Listener(self._engine.url, hint, hear)
        task = asyncio.create_task(self._listener.run())
        try:
            await self._listener.tried.wait()
            yield
        finally:
            await end(task)
            self._listener = None

    async def announce(self, texts: Sequence[str]) -> None:
        """Tell all server processes that listen, without storing anything; only with PostgreSQL."""
        notices = [ANNOUNCED + one for one in texts]
        async with self._connected() as connection:
            await connection.execute(NOTIFY, {"channel": CHANNEL, "notices": notices})
            await connection.commit()
