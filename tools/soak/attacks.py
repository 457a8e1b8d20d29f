"""Denial-of-service attacks: ``python -m tools.soak.attacks NAME PORT SECONDS``.

Each attack runs in a separate process and from a different loopback address than the victim.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from itertools import count
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect

FROM = "127.0.0.2"
_NICE = 10
"""A low priority, so that the attack does not compete with the server for the CPU."""
_BIG = "name: big; " + "; ".join(
    (
        "black: " + " ".join(f"({n})" for n in range(20)),
        "green: " + " ".join(f"({n})" for n in range(20)),
        "flag: " + " ".join(["green", "yellow", "red", "black"] * 5),
        "yellow: " + " ".join(f"-{n}" for n in range(20)),
        "red: " + " ".join(f"-{n}" for n in range(20)),
    )
)
_HEAVY: list[tuple[str, dict[str, str]]] = [
    ("go500", {"course": "grand", "rerolls": "6"}),
    ("rogue", {"target": "5000", "war_at": "4999"}),
    ("go500", {"course": "pass", "rerolls": "6"}),
    ("rogue", {"target": "4999", "war_at": "4990"}),
    ("farkle", {"target": "2000", "entry": "5"}),
    ("farkle", {"target": "1995", "entry": "10"}),
]
"""The most expensive rules that are still solved."""
_GONE = (
    OSError,
    websockets.WebSocketException,
    httpx.HTTPError,
    TimeoutError,
    ValueError,
    KeyError,
)


class Attacker:
    """A client with its own IP address."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._http = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(
                local_address=FROM, limits=httpx.Limits(max_connections=100)
            ),
            base_url=f"http://127.0.0.1:{port}",
            timeout=30,
        )

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request."""
        found: dict[str, Any] = (await self._http.post(path, json=body)).json()
        return found

    async def table(
        self, game: str, options: dict[str, str], *bots: str, people: int = 1
    ) -> dict[str, Any]:
        """Create a table."""
        seats = [{"name": f"P{n}"} for n in range(people)]
        seats += [{"name": f"B{n}", "bot": level} for n, level in enumerate(bots)]
        return await self.post("/api/tables", {"game": game, "options": options, "seats": seats})

    async def socket(self, table: dict[str, Any], **more: Any) -> ClientConnection:
        """Open a table's WebSocket."""
        opened = await connect(
            f"ws://127.0.0.1:{self._port}/api/tables/{table['id']}/socket",
            local_addr=(FROM, 0),
            ping_interval=None,
            max_size=None,
            open_timeout=30,
            **more,
        )
        secrets = [seat["secret"] for seat in table["seats"]]
        await opened.send(json.dumps({"secrets": secrets, "seen": 0}))
        return opened

    async def raw(self, head: bytes) -> asyncio.StreamWriter:
        """Open a TCP connection and send some bytes."""
        _, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=(FROM, 0))
        writer.write(head)
        await writer.drain()
        return writer


Attack = Callable[[Attacker], Coroutine[Any, Any, None]]


async def _many(number: int, work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Repeat something in concurrent tasks."""

    async def again(at: int) -> None:
        while True:
            with suppress(*_GONE):
                await work(at)
            await asyncio.sleep(0.001)

    await asyncio.gather(*(again(at) for at in range(number)))


async def big_dice(attacker: Attacker) -> None:
    """Go 500 with 20-sided dice, a sharp bot and the coach."""

    async def one(_at: int) -> None:
        table = await attacker.table("go500", {"dice": _BIG}, "sharp")
        socket = await attacker.socket(table)
        while True:
            seq = table["table"]["status"]["seq"]
            await socket.send(json.dumps({"do": "advise", "seat": 0, "seen": seq}))
            await socket.recv()
            await asyncio.sleep(0.2)

    await _many(1, one)


async def solvers(attacker: Attacker) -> None:
    """Six tables of perfect bots, each with different rules to solve."""

    async def one(at: int) -> None:
        table = await attacker.table(*_HEAVY[at], "perfect", "perfect", people=0)
        async for _ in await attacker.socket(table):
            pass

    await _many(len(_HEAVY), one)


async def options(attacker: Attacker) -> None:
    """Requests with thousands of unknown options."""
    wrong = {"options": {f"o{number}": "" for number in range(5500)}}

    async def one(_at: int) -> None:
        await attacker.post("/api/games/farkle/options", wrong)

    await _many(4, one)


async def only_bots(attacker: Attacker) -> None:
    """Endless tables of bots without spectators."""
    for _ in range(50):
        await attacker.table("farkle", {"target": "1000000"}, "random", "sharp", people=0)


async def half_headers(attacker: Attacker) -> None:
    """Incomplete request headers (Slowloris)."""
    head = b"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "
    held = []
    for _ in range(1100):
        with suppress(*_GONE):
            held.append(await asyncio.wait_for(attacker.raw(head), 1))
    while True:
        await asyncio.sleep(1)
        for writer in held:
            writer.write(b"x")


async def slow_bodies(attacker: Attacker) -> None:
    """Request bodies sent byte by byte."""
    head = b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    held = []
    for _ in range(800):
        with suppress(*_GONE):
            held.append(
                await asyncio.wait_for(attacker.raw(head + b"Content-Length: 60000\r\n\r\n{"), 1)
            )
    while True:
        await asyncio.sleep(0.5)
        for writer in held:
            writer.write(b" ")


async def silent_readers(attacker: Attacker) -> None:
    """Sockets that never read, at a table with much chat."""
    table = await attacker.table("farkle", {}, people=2)
    held = [await attacker.socket(table, max_queue=1) for _ in range(200)]
    talkers = [await attacker.socket(table) for _ in range(5)]

    async def one(at: int) -> None:
        await talkers[at].send(json.dumps({"do": "say", "seat": 0, "seen": 0, "text": "x" * 200}))
        await asyncio.sleep(0.05)

    await _many(len(talkers), one)
    del held


async def chat(attacker: Attacker) -> None:
    """A flood of chat messages."""
    table = await attacker.table("farkle", {}, people=2)
    talkers = [await attacker.socket(table) for _ in range(50)]

    async def one(at: int) -> None:
        await talkers[at].send(json.dumps({"do": "say", "seat": 0, "seen": 0, "text": "y" * 200}))
        with suppress(TimeoutError):
            await asyncio.wait_for(talkers[at].recv(), 0.001)

    await _many(len(talkers), one)


async def tables(attacker: Attacker) -> None:
    """A flood of new tables."""

    async def one(_at: int) -> None:
        await attacker.table("go500", {}, people=6)

    await _many(16, one)


async def sockets(attacker: Attacker) -> None:
    """A flood of sockets."""
    table = await attacker.table("farkle", {}, people=2)
    held = []

    async def one(_at: int) -> None:
        held.append(await attacker.socket(table, max_queue=1))

    await _many(32, one)


async def advice(attacker: Attacker) -> None:
    """A flood of questions to the coach."""
    opened = []
    for number in range(40):
        table = await attacker.table("rogue", {"target": f"{1900 + number}"}, people=2)
        opened.append((table, await attacker.socket(table)))

    async def one(at: int) -> None:
        table, socket = opened[at]
        seq = table["table"]["status"]["seq"]
        await socket.send(json.dumps({"do": "advise", "seat": 0, "seen": seq}))
        await socket.send(json.dumps({"do": "advise", "seat": 1, "seen": seq}))
        await socket.recv()

    await _many(len(opened), one)


ATTACKS: dict[str, Attack] = {
    "big-dice": big_dice,
    "solvers": solvers,
    "options": options,
    "only-bots": only_bots,
    "half-headers": half_headers,
    "slow-bodies": slow_bodies,
    "silent-readers": silent_readers,
    "chat": chat,
    "tables": tables,
    "sockets": sockets,
    "advice": advice,
}
"""All attacks by name."""


async def _run(name: str, port: int, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for _ in count():
                with suppress(*_GONE):
                    await ATTACKS[name](Attacker(port))
                await asyncio.sleep(0.5)


if __name__ == "__main__":
    os.nice(_NICE)
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it warns about writes to closed sockets
    asyncio.run(_run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
