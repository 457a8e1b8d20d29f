"""The real server with a fixed seed and solution cache, for tests; the product has no such options.

``python -m tests.house --db URL --cache FOLDER --seed TEXT`` listens on a free port and prints it
as soon as it answers. It can be killed and restarted on the same port and database. Tables with the
same set-up and seed roll the same dice, in whatever order they are created.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys
from pathlib import Path
from typing import Any

import uvicorn

from hotdice.cli.serving import tuned
from hotdice.server import pages
from hotdice.server.app import create_app
from hotdice.table.setup import Setup

_SOLVER = "hotdice.server.preparing"


class PrintingServer(uvicorn.Server):
    """Prints its port as soon as it listens."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print the port."""
        await super().startup(sockets)
        if sockets and self.started:
            print(sockets[0].getsockname()[1], flush=True)  # noqa: T201 - a test waits for it


def listening(port: int) -> socket.socket:
    """A bound socket; a test that reserves the port for restarts may bind it too."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(("127.0.0.1", port))
    return bound


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.house", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 for any free port")
    parser.add_argument("--db", required=True, help="the URL of the database")
    parser.add_argument("--cache", required=True, help="the folder of cached solutions")
    seeds = parser.add_mutually_exclusive_group(required=True)
    seeds.add_argument("--seed", help="the seed of every table")
    seeds.add_argument("--seed-file", type=Path, help="a file with the seed of tables created next")
    parser.add_argument("--static", type=Path, default=pages.STATIC, help="the built pages")
    parser.add_argument("--solves", action="store_true", help="solve in the background as usual")
    asked = parser.parse_args()
    os.environ["HOTDICE_CACHE"] = asked.cache
    pages.STATIC = asked.static
    if not asked.solves:
        sys.addaudithook(_refuse_solvers)

    def seed(_setup: Setup) -> str:
        return str(asked.seed if asked.seed_file is None else asked.seed_file.read_text("utf-8"))

    PrintingServer(uvicorn.Config(create_app(asked.db, seeds=seed), **tuned("json"))).run(
        sockets=[listening(asked.port)]
    )


def _refuse_solvers(event: str, given: tuple[Any, ...]) -> None:
    """Refuse to start solver processes that the test did not ask for."""
    if event == "subprocess.Popen" and _SOLVER in given[1]:
        raise RuntimeError("this test did not ask for a solver (--solves)")


if __name__ == "__main__":
    main()
