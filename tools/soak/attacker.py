"""A client for attacks, with an IP address of its own and figures of what it did."""

from __future__ import annotations

import asyncio
import json
import socket
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect

FROM = "127.0.0.2"
_SMALL = 4096
GONE = (
    OSError,
    websockets.WebSocketException,
    httpx.HTTPError,
    TimeoutError,
    ValueError,
    KeyError,
)


class Attacker:
    """A client with its own IP address.

    Attributes:
        figures: what it has done, as a proof that it attacked at all.
    """

    def __init__(self, port: int, figures: Counter[str]) -> None:
        self.figures = figures
        self._port = port
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(
                local_address=FROM, limits=httpx.Limits(max_connections=100)
            ),
            base_url=f"http://127.0.0.1:{port}",
            timeout=30,
        )

    def reached(self, what: str, number: int) -> None:
        """Note the largest number of something."""
        self.figures[what] = max(self.figures[what], number)

    async def hear(self, opened: ClientConnection) -> None:
        """Wait for an answer to a question, which may be a refusal."""
        while True:
            kind = json.loads(await opened.recv())["type"]
            if kind in ("advice", "problem"):
                self.figures[f"questions met with {kind}"] += 1
                return

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request."""
        found: dict[str, Any] = (await self._http.post(path, json=body)).json()
        return found

    async def get(self, path: str, **query: str) -> str:
        """The answer to a request, whatever it is."""
        return (await self._http.get(path, params=query)).text

    async def stream(self, path: str, body: dict[str, Any]) -> None:
        """Send a request, and read the whole stream that answers it."""
        async with self._http.stream("POST", path, json=body) as answer:
            async for _ in answer.aiter_bytes():
                pass

    async def table(
        self, game: str, options: dict[str, str], *bots: str, people: int = 1
    ) -> dict[str, Any]:
        """Create a table."""
        seats = [{"name": f"P{n}"} for n in range(people)]
        seats += [{"name": f"B{n}", "bot": level} for n, level in enumerate(bots)]
        body = {"game": game, "options": options, "seats": seats}
        made = await self.post("/api/tables", body)
        self.figures["tables made"] += "id" in made
        return made

    async def socket(
        self, table: dict[str, Any], *, small: bool = False, **more: Any
    ) -> ClientConnection:
        """Open a table's WebSocket, perhaps with a small buffer for what is not read."""
        if small:
            raw = socket.socket()
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL)
            raw.setblocking(False)
            raw.bind((FROM, 0))
            await asyncio.get_running_loop().sock_connect(raw, ("127.0.0.1", self._port))
            more["sock"] = raw
        else:
            more["local_addr"] = (FROM, 0)
        opened = await connect(
            f"ws://127.0.0.1:{self._port}/api/tables/{table['id']}/socket",
            ping_interval=None,
            max_size=None,
            open_timeout=30,
            **more,
        )
        secrets = [seat["secret"] for seat in table["seats"]]
        await opened.send(json.dumps({"secrets": secrets, "seen": 0}))
        return opened

    async def raw(self, head: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a TCP connection and send some bytes."""
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(FROM, 0)
        )
        writer.write(head)
        await writer.drain()
        return reader, writer


async def repeat(number: int, work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Repeat something in concurrent tasks."""

    async def again(at: int) -> None:
        while True:
            with suppress(*GONE):
                await work(at)
            await asyncio.sleep(0.001)

    await asyncio.gather(*(again(at) for at in range(number)))
