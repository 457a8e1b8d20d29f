"""A test server in its own process, which can be killed."""

from __future__ import annotations

import multiprocessing
import socket
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import ClassVar

from playwright.async_api import Page

from hotdice.server.pages import STATIC
from tests.house import House, listening, serve

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.house"])  # importing it takes most of a server's start


class Server:
    """A server with seeded dice that can be killed and restarted.

    Attributes:
        url: its address, the same after a restart.
        static: the folder of the pages that it serves from its next start on.
    """

    _running: ClassVar[dict[str, Server]] = {}

    def __init__(self, home: Path, *, solves: bool = False) -> None:
        self._home = home
        self._log = home / "log"
        self._seed = home / "seed"
        self._solves = solves
        self._kept: socket.socket | None = None
        self._process: ForkServerProcess | None = None
        self.url = ""
        self.cache = home / "cache"
        self.static = STATIC
        self.seed("a table")

    @classmethod
    def of(cls, page: Page) -> Server:
        """The server that a page is from."""
        return next(one for url, one in cls._running.items() if page.url.startswith(url))

    def start(self) -> None:
        """Start it and wait until it answers."""
        house = House(
            db=f"sqlite:///{self._home / 'tables.db'}",
            cache=self.cache,
            seed=self._seed,
            static=self.static,
            log=self._log,
            solves=self._solves,
        )
        kept = self._kept.getsockname()[1] if self._kept else 0
        ready, started = _FORKING.Pipe(duplex=False)
        self._process = _FORKING.Process(target=serve, args=(house, kept, started))
        self._process.start()
        started.close()
        try:
            port: int = ready.recv()
        except EOFError:
            raise AssertionError(self._log.read_text("utf-8")) from None
        # Bound, but not listening: nobody else gets this port while the server is down.
        self._kept = self._kept or listening(port)
        self.url = f"http://127.0.0.1:{port}"
        self._running[self.url] = self

    def kill(self) -> None:
        """Kill it without warning."""
        if self._process:
            self._process.kill()
            self._process.join()
            self._process = None

    def close(self) -> None:
        """Kill it and release its port."""
        self.kill()
        self._running.pop(self.url, None)
        if self._kept:
            self._kept.close()

    def seed(self, text: str) -> None:
        """Set the seed of the tables created next."""
        self._seed.write_text(text, "utf-8")

    def errors(self) -> list[str]:
        """The errors it has logged since the last call."""
        with self._log.open("r+", encoding="utf-8") as log:
            lines = log.read().splitlines()
            log.truncate(0)
        return [line for line in lines if '"level": "error"' in line or not line.startswith("{")]
