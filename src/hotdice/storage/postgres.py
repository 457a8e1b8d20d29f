"""Connections to PostgreSQL that are closed at once when a query takes too long.

When a task is cancelled, ``psycopg`` asks the server to cancel the query and waits for up to ten
seconds. If the server hangs, that would come on top of every timeout.
"""

from __future__ import annotations

import asyncio

from psycopg import AsyncConnection, waiting
from psycopg.abc import RV, PQGen
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from sqlalchemy.engine import URL

_INTERVAL = 0.1
"""Seconds between checks for interrupts while waiting; as in ``psycopg``."""


class ImpatientConnection(AsyncConnection[TupleRow]):
    """A connection that is closed if its task is cancelled during a query."""

    async def wait(
        self,
        gen: PQGen[RV],
        interval: float = _INTERVAL,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature of psycopg
    ) -> RV:
        """Wait for a response of the server."""
        try:
            return await waiting.wait_async(
                gen, self.pgconn.socket, interval=interval, timeout=timeout
            )
        except asyncio.CancelledError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


async def connect(url: URL, within: float, *, autocommit: bool = False) -> ImpatientConnection:
    """Connect within about so many seconds; raises ``psycopg.Error`` or ``TimeoutError``."""
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    async with asyncio.timeout(2 * within):  # connect_timeout is for each address of a host
        return await ImpatientConnection.connect(
            address, autocommit=autocommit, connect_timeout=int(within)
        )
