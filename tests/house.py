"""The real server with a fixed seed and solution cache, for tests; the product has no such options.

It waits for pages, devices and workers as long as they take, since all of them may be starved on a
busy machine, and draws the same exercises in every run. It listens on a free port and sends it as
soon as it answers. It can be killed and restarted on the same port and database. Tables with the
same set-up and seed roll the same dice, in whatever order they are created.
"""

from __future__ import annotations

import os
import socket
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import uvicorn

from hotdice.cli.serving import tuned
from hotdice.core.errors import HotDiceError
from hotdice.server import driving, guesses, lan, pages, thinking, tutoring
from hotdice.server.app import create_app
from hotdice.server.listening import ListeningServer
from hotdice.storage import store
from hotdice.table.setup import Setup

_SOLVER = "hotdice.server.preparing"
_FOREVER = 1_000_000
NEIGHBOUR = "127.0.0.2"
"""Stands in for this machine's address in its network: others are let in there."""
_LIMITS = (
    (driving, "PATIENCE"),
    (driving, "_AUDIENCE"),
    (driving, "_THOUGHT"),
    (thinking, "_LEAST_PATIENCE"),
    (store, "_CHECK_TIMEOUT"),
    (store, "READ_TIMEOUT"),
)
"""How long the server waits for devices, for pages, for bots, for workers and for its database."""


class House(NamedTuple):
    """How to serve.

    Attributes:
        db: the URL of the database.
        cache: the folder of cached solutions.
        seed: a file with the seed of the tables that are created next.
        static: the built pages.
        log: the file to which it appends its log.
        solves: whether it solves in the background as usual.
    """

    db: str
    cache: Path
    seed: Path
    static: Path
    log: Path
    solves: bool


class Fixed:
    """Stands in for ``secrets`` where exercises are drawn: the same ones in every run."""

    def __init__(self) -> None:
        self._random = Random("exercises")

    def randbelow(self, most: int) -> int:
        """A number from 0 to below ``most``."""
        return self._random.randrange(most)


class TellingServer(ListeningServer):
    """Sends its port as soon as it listens."""

    def __init__(self, config: uvicorn.Config, ready: Connection) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then send the port."""
        await super().startup(sockets)
        if sockets and self.started:
            port = sockets[0].getsockname()[1]
            self.lan.attach(port, self.listen_too)
            self._ready.send(port)


def listening(port: int) -> socket.socket:
    """A bound socket; a test that reserves the port for restarts may bind it too."""
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind(("127.0.0.1", port))
    return bound


def serve(house: House, port: int, ready: Connection) -> None:
    """Serve in this process until killed, on any free port if it is 0."""
    with house.log.open("a") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    os.environ["HOTDICE_CACHE"] = str(house.cache)
    pages.STATIC = house.static
    lan.own_addresses = lambda: [NEIGHBOUR]
    for module, name in _LIMITS:
        setattr(module, name, _FOREVER)
    tutoring.secrets = guesses.secrets = Fixed()  # type: ignore[assignment,attr-defined]
    if not house.solves:
        sys.addaudithook(_refuse_solvers)

    def seed(_setup: Setup) -> str:
        return house.seed.read_text("utf-8")

    config = uvicorn.Config(create_app(house.db, seeds=seed), **tuned("json"))
    TellingServer(config, ready).run(sockets=[listening(port)])


def _refuse_solvers(event: str, given: tuple[Any, ...]) -> None:
    """Refuse to start solver processes that the test did not ask for."""
    if event == "subprocess.Popen" and _SOLVER in given[1]:
        raise HotDiceError("This test did not ask for a solver.")
