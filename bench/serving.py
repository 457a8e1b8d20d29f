"""Throughput and latency of tables over WebSockets, compared with a bare echo server.

Each server is one process; the clients run in this process. Choices are committed durably to SQLite
before they are acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.request import Request, urlopen

import psutil
import websockets

SECONDS = 3.0
ROUNDS = 5
TABLES = 500
CLOSED = 400
LEAST_RATIO = 0.3
"""The least throughput, as a share of the echo's: the median of the rounds."""
MOST_LATE = 10.0
"""The largest p99 with the database on disk, in p99 of the echo: the median of the rounds."""
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder in memory
HAS_MEMORY = MEMORY.is_dir()
_WANTED = {
    "game": "farkle",
    "options": {"target": "1000000", "entry": "0", "starts": "seat", "carry_over": "off"},
    "seats": [{"name": "Ann"}, {"name": "Ben"}],
}
_STATUS = re.compile(r'"status":\{"seq":(\d+),"game":\d+,"due":"(\w+)","seat":(\d)')
_CHOICE = re.compile(r'"choices":\[\{"text":"([^"]+)"')
_BANK = re.compile(r'\{"text":"([^"]+ bank)"')


@contextmanager
def serving(
    *words: str, log: Path | None = None, **env: str
) -> Iterator[tuple[str, psutil.Process]]:
    """Run a server, perhaps with a file for its log; yields its address and process."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = str(found.getsockname()[1])
    with (log or Path(os.devnull)).open("wb") as written:
        process = subprocess.Popen(  # noqa: S603 - ours
            [*words, "--port", port],
            env={**os.environ, **env},
            stdout=subprocess.DEVNULL,
            stderr=written,
        )
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", int(port)), 1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"127.0.0.1:{port}", psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def percentile(found: list[float], share: float) -> float:
    """The percentile of times, in milliseconds."""
    return 1000 * sorted(found)[min(len(found) - 1, int(share * len(found)))]


class Echo:
    """A connection to the echo server."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    async def act(self) -> None:
        """Send a message and wait for its echo."""
        await self._connection.send('{"do":"choose","seat":0,"seen":17,"text":"keep 115 bank"}')
        await self._connection.recv()


class Seats:
    """A table with a connection for each of its seats."""

    def __init__(self, connections: list[Any]) -> None:
        self._connections = connections
        self._said = ""

    async def begin(self, table: dict[str, Any]) -> None:
        """Send the first message on every connection."""
        for seat, connection in enumerate(self._connections):
            held = table["seats"] if len(self._connections) == 1 else [table["seats"][seat]]
            secrets = [one["secret"] for one in held]
            await connection.send(json.dumps({"secrets": secrets, "seen": 0}))
            self._said = await connection.recv()

    async def act(self) -> None:
        """Roll, or choose (bank if possible), and wait until all connections have the update."""
        status = _STATUS.search(self._said, self._said.rfind('"status":{'))
        if status is None:
            raise AssertionError(self._said[:500])
        seq, due, seat = status.groups()
        found = None
        if due == "choose":
            found = _BANK.search(self._said) or _CHOICE.search(self._said)
        text = found[1] if found else ""
        actor = self._connections[int(seat) % len(self._connections)]
        # The clients take as little time as they can, since they share the machine.
        await actor.send(f'{{"do":"{due}","seat":{seat},"seen":{seq},"text":"{text}"}}')
        self._said = await _news(actor)
        for other in self._connections:
            if other is not actor:
                await _news(other)


async def _news(connection: Any) -> str:
    """The next message about the game, skipping those about the server's health and clients."""
    while '"type":"news"' not in (said := await connection.recv()):
        if (message := json.loads(said))["type"] == "trouble":
            trouble.append(message["what"])
        elif message["type"] == "problem":
            raise AssertionError(message["error"])
    return str(said)


trouble: list[str] = []
"""The server's health messages to clients; an empty one means that it has recovered."""

Actor = Callable[[], Coroutine[Any, Any, None]]


@asynccontextmanager
async def echoes(address: str, count: int) -> AsyncIterator[list[Actor]]:
    """Connections to the echo server."""
    opened = [await websockets.connect(f"ws://{address}/echo") for _ in range(count)]
    yield [Echo(connection).act for connection in opened]
    await asyncio.gather(*(connection.close() for connection in opened))


@asynccontextmanager
async def tables(address: str, count: int, each: int) -> AsyncIterator[list[Actor]]:
    """Tables with ``each`` connections."""
    found, opened = [], []
    for _ in range(count):
        table = await asyncio.to_thread(created, address)
        url = f"ws://{address}/api/tables/{table['id']}/socket"
        connections = [await websockets.connect(url) for _ in range(each)]
        opened += connections
        seats = Seats(connections)
        await seats.begin(table)
        found.append(seats.act)
    yield found
    await asyncio.gather(*(connection.close() for connection in opened))


def created(address: str) -> dict[str, Any]:
    """Create a table."""
    heads = {"Content-Type": "application/json"}
    asked = Request(f"http://{address}/api/tables", json.dumps(_WANTED).encode(), heads)
    with urlopen(asked) as answer:  # noqa: S310 - ours
        found: dict[str, Any] = json.load(answer)
        return found


async def throughput(actors: list[Actor]) -> float:
    """Acts per second in a closed loop."""
    until = time.perf_counter() + SECONDS
    count = 0

    async def go(act: Actor) -> None:
        nonlocal count
        while time.perf_counter() < until:
            await act()
            count += 1

    await asyncio.gather(*(go(act) for act in actors))
    return count / SECONDS


async def latency(actors: list[Actor], pause: float) -> list[float]:
    """The latency of every act, with each actor acting once per ``pause`` on average."""
    until = time.perf_counter() + 2 * SECONDS
    rng = Random(1)
    took: list[float] = []

    async def go(act: Actor) -> None:
        await asyncio.sleep(rng.random() * pause)
        while time.perf_counter() < until:
            began = time.perf_counter()
            await act()
            took.append(time.perf_counter() - began)
            await asyncio.sleep(max(0.0, pause * rng.uniform(0.5, 1.5) - took[-1]))

    await asyncio.gather(*(go(act) for act in actors))
    return took


async def main() -> None:
    """Compare both servers, then again with the database in memory; exit with 1 if too slow."""
    # Compression is off for both, because it would dominate the cost of the echo.
    plain = ("--ws", "websockets-sansio", "--ws-per-message-deflate", "false")
    uvicorn = (sys.executable, "-m", "uvicorn", *plain)
    hotdice = str(Path(sys.executable).with_name("hotdice"))
    # All clients share one IP address, so rate limits have to be off.
    names = ("connections", "sockets", "commands", "tables", "entries")
    lifted = [f"--limit={name}=0" for name in names]
    ours = (hotdice, "serve", "--log", "json", "--limit=requests=0", *lifted)
    with serving(*uvicorn, "bench.echo:app", PYTHONPATH=".") as (echo, _):
        with (
            tempfile.TemporaryDirectory() as home,
            serving(*ours, HOTDICE_HOME=home) as (table, process),
        ):
            ratio = await compare_throughput(echo, table)
            late = await compare_latency(echo, table, process)
        if HAS_MEMORY:
            with (
                tempfile.TemporaryDirectory(dir=MEMORY) as home,
                serving(*ours, HOTDICE_HOME=home) as (table, process),
            ):
                print(f"with the database in {MEMORY}:")
                await compare_latency(echo, table, process)
    if wrong := too_slow(ratio, late):
        sys.exit("\n".join(wrong))


def too_slow(ratio: float, late: float) -> list[str]:
    """What is slower than it may be, one sentence each."""
    wrong = []
    if ratio < LEAST_RATIO:
        wrong.append(f"Choices are {ratio:.2f} x the echo; they have to be {LEAST_RATIO} x.")
    if late > MOST_LATE:
        wrong.append(f"p99 is {late:.1f} x the echo's; it may be {MOST_LATE:.0f} x.")
    return wrong


async def compare_throughput(echo: str, table: str) -> float:
    """Alternate rounds of both servers in a closed loop; returns the median ratio."""
    async with echoes(echo, CLOSED) as echoed, tables(table, CLOSED, 1) as seated:
        rounds = [(await throughput(echoed), await throughput(seated)) for _ in range(ROUNDS)]
    plain, played = (median(found) for found in zip(*rounds, strict=True))
    print(f"echo           {plain:7,.0f} messages a second, {CLOSED} connections")
    print(f"choices        {played:7,.0f} a second, {CLOSED} tables:", end=" ")
    ratios = [played / plain for plain, played in rounds]
    print(f"{_middle(ratios)} x the echo")
    return median(ratios)


async def compare_latency(echo: str, table: str, process: psutil.Process) -> float:
    """Alternate rounds of both servers, each actor acting about once a second.

    Returns the median ratio of their p99.
    """
    before = process.memory_info().rss
    async with echoes(echo, 2 * TABLES) as echoed, tables(table, TABLES, 2) as seated:
        rounds = [(await latency(echoed, 1.0), await latency(seated, 0.5)) for _ in range(ROUNDS)]
        held = process.memory_info().rss
    for name, found in zip(("echo", "tables"), zip(*rounds, strict=True), strict=True):
        rate = sum(map(len, found)) / (2 * SECONDS * ROUNDS)
        middle, late = (median(percentile(one, at) for one in found) for at in (0.5, 0.99))
        print(f"{name:<14} {rate:7,.0f} a second at {2 * TABLES} connections:", end=" ")
        print(f"median {middle:.1f} ms, p99 {late:.1f} ms")
    ratios = [percentile(took, 0.99) / percentile(plain, 0.99) for plain, took in rounds]
    print(f"p99 at {TABLES} tables is {_middle(ratios)} x the echo's")
    print(f"memory: {(held - before) / TABLES / 1024:,.0f} kB for a table with two connections")
    return median(ratios)


def _middle(ratios: list[float]) -> str:
    """The median and all values, because machines are noisy."""
    return f"{median(ratios):.2f} ({', '.join(f'{one:.2f}' for one in sorted(ratios))})"


if __name__ == "__main__":
    asyncio.run(main())
