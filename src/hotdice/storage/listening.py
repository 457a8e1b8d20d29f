"""Hears from PostgreSQL which tables other server processes have added to.

A notice is a hint and never the truth: whoever is told looks at the log. So a lost, doubled or
malformed notice does no harm, and a listener that is deaf only makes others later.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # loaded only with PostgreSQL
    from psycopg import AsyncConnection

CHANNEL = "hotdice"
ANY_TABLE = ""
"""Instead of a table's id: any table may have changed."""
_NOTICE = re.compile(r"([\w-]{1,64}) (\d{1,9})", re.ASCII)
_BEAT = 2.0
"""Seconds between two heartbeats."""
_PATIENCE = 4.0
"""Seconds in which the database has to connect, or to send a heartbeat back."""
_AGAIN = 1.0
"""Seconds after which a lost connection is opened again."""

Hint = Callable[[str, int], None]
"""Told a table's id and the length its log has now; ``ANY_TABLE`` when notices may be lost."""

_log = logging.getLogger(__name__)


def read_notice(payload: str) -> tuple[str, int] | None:
    """The table and length that a notice names; ``None`` if it is not one of ours."""
    found = _NOTICE.fullmatch(payload)
    return (found[1], int(found[2])) if found else None


class Listener:
    """A connection that listens, checked by heartbeats and opened again whenever it fails.

    Attributes:
        tried: set when it hears for the first time, or could not.
    """

    def __init__(self, url: str, hint: Hint) -> None:
        self._url = url
        self._hint = hint
        self._heard: float | None = None
        self.tried = asyncio.Event()

    @property
    def is_deaf(self) -> bool:
        """Whether notices may be lost now: no heartbeat has come for a while."""
        now = asyncio.get_running_loop().time()
        return self._heard is None or now - self._heard > _BEAT + _PATIENCE

    async def run(self) -> None:
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - whatever it is, listening goes on
                if self._heard is not None:
                    _log.warning("notices of other processes are lost: %s", _first_line(error))
            self._heard = None
            self.tried.set()
            await asyncio.sleep(_AGAIN)

    async def _listen(self) -> None:
        import psycopg  # noqa: PLC0415 - only with PostgreSQL

        async with asyncio.timeout(2 * _PATIENCE):
            connection = await psycopg.AsyncConnection.connect(
                self._url, autocommit=True, connect_timeout=int(_PATIENCE)
            )
        try:
            async with asyncio.timeout(_PATIENCE):
                await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                await self._beat(connection)
                if self._heard is None:
                    self._hint(ANY_TABLE, 0)
                self._heard = asyncio.get_running_loop().time()
                self.tried.set()
                async for notice in connection.notifies(timeout=_BEAT):
                    self._hear(notice.payload)
        finally:
            # A connection that hangs cannot be closed politely.
            connection.pgconn.finish()

    async def _beat(self, connection: AsyncConnection[Any]) -> None:
        """Have a notice of our own sent, and wait until it is heard; raises ``TimeoutError``."""
        beat = f"! {secrets.token_hex(8)}"
        async with asyncio.timeout(_PATIENCE):
            await connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, beat))
            heard = False
            while not heard:
                async for notice in connection.notifies(timeout=_PATIENCE, stop_after=1):
                    heard = heard or notice.payload == beat
                    self._hear(notice.payload)

    def _hear(self, payload: str) -> None:
        if (notice := read_notice(payload)) is not None:
            self._hint(*notice)


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks until they have ended: what they wait for may swallow a cancellation."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=0.5)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__
