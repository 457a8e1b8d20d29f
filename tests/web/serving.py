"""A server of the tests' own, in a process that can be killed."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

from playwright.async_api import Page

from tests.house import listening

_ROOT = Path(__file__).parents[2]


class Server:
    """A server with dice of the test's choice; can be killed and started again.

    Attributes:
        url: where it is, before and after it was killed.
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
        self.seed("a table")

    @classmethod
    def of(cls, page: Page) -> Server:
        """The server that a page is from."""
        return next(one for url, one in cls._running.items() if page.url.startswith(url))

    def start(self) -> None:
        """Start it; it says when it answers."""
        port = self._kept.getsockname()[1] if self._kept else 0
        with self._log.open("a") as log:
            self._process = subprocess.Popen(  # noqa: S603 - ours
                [
                    *(sys.executable, "-m", "tests.house", "--port", str(port)),
                    *("--db", f"sqlite:///{self._home / 'tables.db'}"),
                    *("--cache", str(self.cache), "--seed-file", str(self._seed)),
                    *self._options,
                ],
                cwd=_ROOT,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        if self._process.stdout is None:
            raise AssertionError("it was asked for")
        line = self._process.stdout.readline()
        assert line, self._log.read_text("utf-8")
        # Bound, but not listening: nobody else gets this port while the server is down.
        self._kept = self._kept or listening(int(line))
        self.url = f"http://127.0.0.1:{int(line)}"
        self._running[self.url] = self

    def kill(self) -> None:
        """Kill it in the middle of whatever it does."""
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate()

    def close(self) -> None:
        """Kill it for good."""
        self.kill()
        self._running.pop(self.url, None)
        if self._kept:
            self._kept.close()

    def seed(self, text: str) -> None:
        """Have the tables that are set up next roll the dice of this seed."""
        self._seed.write_text(text, "utf-8")

    def errors(self) -> list[str]:
        """What went wrong inside, unseen by anybody; told once."""
        with self._log.open("r+", encoding="utf-8") as log:
            lines = log.read().splitlines()
            log.truncate(0)
        return [line for line in lines if '"level": "error"' in line or not line.startswith("{")]
