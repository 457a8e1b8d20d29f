"""Listens on PostgreSQL for notices of other server processes.

Most are about tables that they have added to. Such a notice is only a hint: the receiver reads the
log. So a lost, duplicate or malformed notice does no harm, and without a listener tables are only
updated later.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlalchemy.engine import URL

if TYPE_CHECKING:  # loaded only with PostgreSQL
    from hotdice.storage.postgres import ImpatientConnection

CHANNEL = "hotdice"
ANY_TABLE = ""
"""In place of a table's id: any table may have changed."""
ANNOUNCED = "@ "
"""The beginning of a notice that is not about the log of a table."""
_NOTICE = re.compile(r"([\w-]{1,64}) (\d{1,9})", re.ASCII)
_HEARTBEAT = 2.0
"""Seconds between heartbeats."""
_TIMEOUT = 4.0
"""Seconds for connecting, or for a heartbeat to come back."""
_RETRY = 1.0
"""Seconds before reconnecting."""

Hint = Callable[[str, int], None]
"""Called with a table's id and the new length of its log; ``ANY_TABLE`` after a connection gap."""
Hear = Callable[[str], None]
"""Called with what a process announces, this one included."""

_log = logging.getLogger(__name__)


def read_notice(payload: str) -> tuple[str, int] | None:
    """Parse a notice into table id and length; ``None`` if it is not one of ours."""
    found = _NOTICE.fullmatch(payload)
    return (found[1], int(found[2])) if found else None


class Listener:
    """A listening connection, checked by heartbeats and reopened whenever it fails.

    Attributes:
        tried: set after the first attempt to connect, successful or not.
    """

    def __init__(self, url: URL, hint: Hint, hear: Hear) -> None:
        self._url = url
        self._hint, self._hear_announced = hint, hear
        self._heard: float | None = None
        self.tried = asyncio.Event()

    @property
    def is_disconnected(self) -> bool:
        """Whether notices may be lost: no recent heartbeat has come back."""
        now = asyncio.get_running_loop().time()
        return self._heard is None or now - self._heard > _HEARTBEAT + _TIMEOUT

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - reconnect after any error
                if self._heard is not None:
                    _log.warning(
                        "lost the connection for notices from other processes: %s",
                        _first_line(error),
                    )
            self._heard = None
            self.tried.set()
            await asyncio.sleep(_RETRY)

    async def _listen(self) -> None:
        from hotdice.storage.postgres import connect  # noqa: PLC0415 - only with PostgreSQL

        connection = await connect(self._url, _TIMEOUT, autocommit=True)
        try:
            async with asyncio.timeout(_TIMEOUT):
                await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                await self._heartbeat(connection)
                if self._heard is None:
                    self._hint(ANY_TABLE, 0)
                self._heard = asyncio.get_running_loop().time()
                self.tried.set()
                async for notice in connection.notifies(timeout=_HEARTBEAT):
                    self._hear(notice.payload)
        finally:
            # close() would block on a connection that hangs.
            connection.pgconn.finish()

    async def _heartbeat(self, connection: ImpatientConnection) -> None:
        """Send a notice to ourselves and wait for it; raises ``TimeoutError``."""
        sent = f"! {secrets.token_hex(8)}"
        async with asyncio.timeout(_TIMEOUT):
            await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, sent))
            heard = False
            while not heard:
                async for notice in connection.notifies(timeout=_TIMEOUT, stop_after=1):
                    heard = heard or notice.payload == sent
                    self._hear(notice.payload)

    def _hear(self, payload: str) -> None:
        if payload.startswith(ANNOUNCED):
            self._hear_announced(payload.removeprefix(ANNOUNCED))
        elif (notice := read_notice(payload)) is not None:
            self._hint(*notice)


async def end(*tasks: asyncio.Task[object]) -> None:
    """Cancel tasks until they end; repeated, because awaited code may swallow a cancellation."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
