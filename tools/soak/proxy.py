"""A TCP proxy between a server and PostgreSQL that can delay, hang or drop traffic.

PostgreSQL's messages are parsed, so that notifications alone can be delayed or dropped.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from random import Random

_ENCRYPT = (80877103, 80877104)
"""Requests for TLS and GSSAPI, which are declined because the proxy has to read the stream."""
_NOTICE = b"A"
_LONGEST = 1 << 26
_WAITING = 10_000


class Proxy:
    """Forwards connections to a Unix socket.

    Attributes:
        delay: the maximum delay of each message of PostgreSQL, in seconds.
        notice_delay: the delay of each notification, and of all that follows it, in seconds.
        drops_notices: whether notifications are dropped.
        dropped: how many notifications were dropped.
    """

    def __init__(self, target: str, rng: Random) -> None:
        self._target = target
        self._rng = rng
        self.delay = 0.0
        self.notice_delay = 0.0
        self.drops_notices = False
        self.dropped = 0
        self._hangs = ""
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        self.hang("")
        if self._server is not None:
            self._server.close()

    def hang(self, which: str) -> None:
        """Stop forwarding for ``"listening"`` or ``"all"`` connections; resume with ``""``."""
        self._hangs = which
        self._flowing.clear() if which else self._flowing.set()

    async def _serve(self, client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            first = await _startup(client, answer)
            base, forward = await asyncio.open_unix_connection(self._target)
            forward.write(first)
            wire = _Wire(self, client, answer, base, forward)
            await wire.run()
        answer.close()

    async def pass_through(self, *, listens: bool) -> None:
        """Block while connections of this kind hang."""
        while self._hangs == "all" or (self._hangs == "listening" and listens):
            await self._flowing.wait()

    def late(self) -> float:
        """The delay of the next message."""
        return self._rng.random() * self.delay


class _Wire:
    """One proxied connection."""

    def __init__(
        self,
        proxy: Proxy,
        client: asyncio.StreamReader,
        answer: asyncio.StreamWriter,
        base: asyncio.StreamReader,
        forward: asyncio.StreamWriter,
    ) -> None:
        self._proxy = proxy
        self._client, self._answer, self._base, self._forward = client, answer, base, forward
        self._listens = False
        self._late: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_WAITING)

    async def run(self) -> None:
        """Forward both ways until one side closes."""
        ways = [asyncio.create_task(way()) for way in (self._ask, self._reply, self._deliver)]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self._forward.close()

    async def _ask(self) -> None:
        while chunk := await self._client.read(65_536):
            self._listens = self._listens or b"LISTEN " in chunk
            await self._proxy.pass_through(listens=self._listens)
            self._forward.write(chunk)
            await self._forward.drain()

    async def _reply(self) -> None:
        while True:
            head = await self._base.readexactly(5)
            size = int.from_bytes(head[1:], "big")
            if size > _LONGEST:
                return
            body = await self._base.readexactly(size - 4)
            await self._proxy.pass_through(listens=self._listens)
            if head[:1] == _NOTICE and self._proxy.drops_notices:
                self._proxy.dropped += 1
                continue
            late = self._proxy.late()
            if head[:1] == _NOTICE:
                late += self._proxy.notice_delay
            await self._late.put((time.monotonic() + late, head + body))

    async def _deliver(self) -> None:
        """Deliver messages when they are due, in order."""
        while True:
            due, message = await self._late.get()
            if (left := due - time.monotonic()) > 0:
                await asyncio.sleep(left)
            self._answer.write(message)
            await self._answer.drain()


async def _startup(client: asyncio.StreamReader, answer: asyncio.StreamWriter) -> bytes:
    """The client's startup message, after declining encryption."""
    while True:
        head = await client.readexactly(8)
        if int.from_bytes(head[4:], "big") not in _ENCRYPT:
            return head + await client.readexactly(int.from_bytes(head[:4], "big") - 8)
        answer.write(b"N")
        await answer.drain()
