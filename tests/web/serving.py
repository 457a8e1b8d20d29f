"""A test server in its own process, which can be killed."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from playwright.async_api import Page

from hotdice.server.pages import STATIC
from tests.house import listening

_ROOT = Path(__file__).parents[2]


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
        self._options = ("--solves",) if solves else ()
        self._kept: socket.socket | None = None
        self._process: subprocess.Popen[str] | None = None
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
        port = self._kept.getsockname()[1] if self._kept else 0
        with self._log.open("a") as log:
            self._process = subprocess.Popen(  # noqa: S603 - ours
                [
                    *(sys.executable, "-m", "tests.house", "--port", str(port)),
                    *("--db", f"sqlite:///{self._home / 'tables.db'}"),
                    *("--cache", str(self.cache), "--seed-file", str(self._seed)),
                    *("--static", str(self.static)),
                    *self._options,
                ],
                cwd=_ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        if self._process.stdout is None:
            raise AssertionError("stdout is a pipe")
        line = self._process.stdout.readline()
        assert line, self._log.read_text("utf-8")
        # Bound, but not listening: nobody else gets this port while the server is down.
        self._kept = self._kept or listening(int(line))
        self.url = f"http://127.0.0.1:{int(line)}"
        self._running[self.url] = self

    def kill(self) -> None:
        """Kill it without warning."""
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate()
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
