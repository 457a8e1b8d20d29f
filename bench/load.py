"""Load test against a bare echo server: one process on SQLite, then two on PostgreSQL.

Each table has two connections; with two server processes, one to each. An act is complete when all
clients at the table have received it. ``PYTHONPATH=. python bench/load.py --tables 1000``.
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
from tools.soak.postgres import Postgres, private_postgres
from tools.soak.servers import LIFTED, MORE_WORDS

_PLAIN = ("--ws", "websockets-sansio", "--ws-per-message-deflate", "false")
_ECHO = (sys.executable, "-m", "uvicorn", *_PLAIN, "bench.echo:app")
_HOTDICE = str(Path(sys.executable).with_name("hotdice"))
_OURS = (_HOTDICE, "serve", "--log", "json", *LIFTED, *MORE_WORDS)
_TOO_LONG = 60.0
"""Timeout of a round in seconds: a client has missed an update."""
_EACH = 2


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
) -> None:
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
    print(f"  as fast as can be: echo {plain:7,.0f} a second, acts {played:7,.0f}", end="")
    print(f" ({median(ours / bare for bare, ours in fast):.2f} x the echo)")
    for word, found in zip(("echo", "acts"), zip(*calm, strict=True), strict=True):
        rate = median(len(one) for one in found) / (2 * SECONDS)
        middle, late = (median(percentile(one, at) for one in found) for at in (0.5, 0.99))
        print(
            f"  once a second: {word} {rate:7,.0f} a second, p50 {middle:.1f} ms, p99 {late:.1f} ms"
        )
    ratio = median(percentile(ours, 0.99) / percentile(bare, 0.99) for bare, ours in calm)
    print(f"  p99 is {ratio:.1f} x the echo's")
    if trouble:
        reported = sorted({what for what in trouble if what})
        print(f"  trouble reported {len(trouble)} times: {' '.join(reported)}")
        trouble.clear()
    print(f"  memory {held / 2**20:,.0f} MB, {(held - before) / count / 2**10:,.0f} kB a table")


@contextmanager
def on_postgres(postgres: Postgres) -> Iterator[tuple[list[str], list[psutil.Process]]]:
    """Two server processes on a new database."""
    database = postgres.address(postgres.create())
    with ExitStack() as stack:
        home = stack.enter_context(tempfile.TemporaryDirectory())
        words = (*_OURS, "--db", database)
        found = [stack.enter_context(serving(*words, HOTDICE_HOME=home)) for _ in range(2)]
        yield [address for address, _ in found], [process for _, process in found]


def main() -> None:
    """Measure both set-ups."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1000, help="with two connections each")
    count = parser.parse_args().tables
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # inherited by the servers
    with ExitStack() as stack:
        echo, _ = stack.enter_context(serving(*_ECHO, PYTHONPATH="."))
        with (
            tempfile.TemporaryDirectory() as home,
            serving(*_OURS, HOTDICE_HOME=home) as (address, process),
        ):
            asyncio.run(compare("one process, SQLite", echo, [address], [process], count))
        folder = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        postgres = stack.enter_context(private_postgres(Path(folder) / "pg"))
        addresses, processes = stack.enter_context(on_postgres(postgres))
        asyncio.run(compare("two processes, PostgreSQL", echo, addresses, processes, count))


if __name__ == "__main__":
    main()
