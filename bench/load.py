"""Load test against a bare echo server: one process on SQLite, then two on PostgreSQL.

Each table has two connections; with two server processes, one to each. An act is complete when all
clients at the table have received it. Fails if a server is too slow or takes too much memory, loses
a connection or logs an error. ``PYTHONPATH=. python bench/load.py --tables 1000``.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil
import websockets
from serving import (
    ROUNDS,
    SECONDS,
    Actor,
    Seats,
    created,
    echoes,
    latency,
    percentile,
    serving,
    throughput,
    trouble,
)
from tools.soak.postgres import private_postgres
from tools.soak.servers import LIFTED, MORE_WORDS, complaints

_PLAIN = ("--ws", "websockets-sansio", "--ws-per-message-deflate", "false")
_ECHO = (sys.executable, "-m", "uvicorn", *_PLAIN, "bench.echo:app")
_HOTDICE = str(Path(sys.executable).with_name("hotdice"))
_OURS = (_HOTDICE, "serve", "--log", "json", *LIFTED, *MORE_WORDS)
_TOO_LONG = 60.0
"""Timeout of a round in seconds: a client has missed an update."""
_EACH = 2
_FAILED = (OSError, websockets.WebSocketException, AssertionError)
"""A connection or a command has failed; among ``OSError`` are timeouts."""

_OVERLOADED = ": warning open tables could not be compared with the database: "
"""What a server may log that has more to do than it can."""


class Bounds(NamedTuple):
    """What is allowed; on two cores with other work, all are kept with a factor of almost two.

    Attributes:
        ratio: the least throughput, as a share of the echo's.
        late: the largest p99 at one act a second for each connection, in p99 of the echo; 0 for
            none, where that is more than the server can take.
        kilobytes: the most memory for a connection with its part of a table.
    """

    ratio: float
    late: float
    kilobytes: float


class Measured(NamedTuple):
    """What was measured: medians of the rounds, and what the servers said was wrong."""

    ratio: float
    late: float
    kilobytes: float
    trouble: list[str]


SQLITE = Bounds(ratio=0.15, late=25.0, kilobytes=150.0)
POSTGRES = Bounds(ratio=0.035, late=0.0, kilobytes=150.0)


def failures(name: str, found: Measured, bounds: Bounds) -> list[str]:
    """What is worse than it may be, one sentence each."""
    wrong = []
    if found.ratio < bounds.ratio:
        wrong.append(f"acts are {found.ratio:.3f} x the echo; they have to be {bounds.ratio} x.")
    if bounds.late and found.late > bounds.late:
        wrong.append(f"p99 is {found.late:.1f} x the echo's; it may be {bounds.late:.0f} x.")
    if found.kilobytes > bounds.kilobytes:
        most = f"it may take {bounds.kilobytes:.0f} kB."
        wrong.append(f"a connection takes {found.kilobytes:.0f} kB of memory; {most}")
    if found.trouble:
        wrong.append(f"the servers reported trouble: {' '.join(found.trouble)}")
    return [f"{name}: {what}" for what in wrong]


@asynccontextmanager
async def split_tables(addresses: list[str], count: int) -> AsyncIterator[list[Actor]]:
    """Tables with two connections each, distributed over the servers."""
    found, opened = [], []
    for number in range(count):
        table = await asyncio.to_thread(created, addresses[number % len(addresses)])
        connections = [
            await websockets.connect(
                f"ws://{addresses[seat % len(addresses)]}/api/tables/{table['id']}/socket"
            )
            for seat in range(_EACH)
        ]
        opened += connections
        seats = Seats(connections)
        await seats.begin(table)
        found.append(seats.act)
    yield found
    await asyncio.gather(*(connection.close() for connection in opened))


def resident(processes: list[psutil.Process]) -> int:
    """The resident memory of processes and all their children, in bytes."""
    whole = [one for process in processes for one in (process, *process.children(recursive=True))]
    return sum(int(one.memory_info().rss) for one in whole)


async def compare(
    name: str, echo: str, addresses: list[str], processes: list[psutil.Process], count: int
) -> Measured:
    """Alternate rounds of echo and tables: first at full speed, then at one act a second."""
    before = resident(processes)
    async with (
        echoes(echo, _EACH * count) as echoed,
        split_tables(addresses, count) as seated,
    ):
        fast, calm = [], []
        for _ in range(ROUNDS):
            async with asyncio.timeout(_TOO_LONG):
                fast.append((await throughput(echoed), await throughput(seated)))
        for _ in range(ROUNDS):
            async with asyncio.timeout(_TOO_LONG):
                calm.append((await latency(echoed, 1.0), await latency(seated, 1.0 / _EACH)))
        held = resident(processes)
    print(f"{name}, {_EACH * count:,} connections at {count:,} tables")
    plain, played = (median(found) for found in zip(*fast, strict=True))
    share = median(ours / bare for bare, ours in fast)
    print(f"  as fast as can be: echo {plain:7,.0f} a second, acts {played:7,.0f}", end="")
    print(f" ({share:.2f} x the echo)")
    for word, found in zip(("echo", "acts"), zip(*calm, strict=True), strict=True):
        rate = median(len(one) for one in found) / (2 * SECONDS)
        middle, late = (median(percentile(one, at) for one in found) for at in (0.5, 0.99))
        print(
            f"  once a second: {word} {rate:7,.0f} a second, p50 {middle:.1f} ms, p99 {late:.1f} ms"
        )
    ratio = median(percentile(ours, 0.99) / percentile(bare, 0.99) for bare, ours in calm)
    print(f"  p99 is {ratio:.1f} x the echo's")
    reported = sorted({what for what in trouble if what})
    print(f"  memory {held / 2**20:,.0f} MB, {(held - before) / count / 2**10:,.0f} kB a table")
    return Measured(share, ratio, (held - before) / (_EACH * count) / 2**10, reported)


@contextmanager
def ours(count: int, folder: Path, *words: str) -> Iterator[tuple[list[str], list[psutil.Process]]]:
    """Server processes with their logs in a folder."""
    with ExitStack() as stack:
        found = [
            stack.enter_context(
                serving(*_OURS, *words, log=folder / f"{number}.log", HOTDICE_HOME=str(folder))
            )
            for number in range(count)
        ]
        yield [address for address, _ in found], [process for _, process in found]


def judged(
    name: str, echo: str, tables: int, processes: int, bounds: Bounds, *words: str
) -> list[str]:
    """Measure server processes, started with these words; returns what is wrong."""
    wrong = []
    trouble.clear()
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        try:
            with ours(processes, folder, *words) as (addresses, found):
                measured = asyncio.run(compare(name, echo, addresses, found, tables))
            wrong += failures(name, measured, bounds)
        except _FAILED as error:
            wrong.append(f"{name}: it failed: {error or type(error).__name__}")
        for log in sorted(folder.glob("*.log")):
            said = complaints(f"{name}, server {log.stem}", log.read_text("utf-8"), outages=False)
            wrong += [line for line in said if bounds.late or _OVERLOADED not in line]
    return wrong


def main() -> None:
    """Measure both set-ups; exit with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1000, help="with two connections each")
    count = parser.parse_args().tables
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # inherited by the servers
    with serving(*_ECHO, PYTHONPATH=".") as (echo, _):
        wrong = judged("one process, SQLite", echo, count, 1, SQLITE)
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            private_postgres(Path(folder) / "pg") as postgres,
        ):
            words = ("--db", postgres.address(postgres.create()))
            wrong += judged("two processes, PostgreSQL", echo, count, 2, POSTGRES, *words)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
