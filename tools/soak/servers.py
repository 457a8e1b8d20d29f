"""Server processes that can be killed, paused and restarted on the same port."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx

from tools.soak.serving import FILES, OFFSET

MORE_WORDS: list[str] = shlex.split(os.environ.get("HOTDICE_SERVE", ""))
"""Extra arguments for every ``hotdice serve`` of the soak and load tests."""
_RATES = "connections", "sockets", "requests", "commands", "tables", "entries"
LIFTED = [word for name in (*_RATES, "questions", "solving") for word in ("--limit", f"{name}=0")]
"""Arguments that disable the limits per IP address, because all clients share one."""
_FILES = 1024
"""The usual limit on open files. A server under attack starts with it and admits 768 connections,
so that it always has files for its database and its logs; what keeps an attacker from taking all of
them is the limit of 250 connections for an address."""
_STARTING = 60.0
_HEALTH = 5.0
"""Seconds for a health check; the server's own limit is shorter."""
_LONGEST_LOG = 20 * 2**20
"""The limit on characters read from a log."""
_OF_OUTAGES = (
    "warning a bot could not play: The ",
    "warning no bot could sit in: The ",
    "warning verified dice could not be rolled: The ",
    "warning open tables could not be compared with the database: The ",
    "warning lost the connection for notices from other processes: ",
    "warning trouble: ",
    "error the database failed: The ",
)
"""Prefixes of lines that a server may log, without a traceback, while the database is down."""


class ServerFailed(Exception):
    """A server did not start."""


def free_port() -> int:
    """A free port."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def complaints(name: str, log: str, *, outages: bool) -> list[str]:
    """Unexpected lines in the log of a server with this name, grouped and counted.

    Expected are lines at level info and, during outages, those that ``_OF_OUTAGES`` lists.
    """
    found: Counter[str] = Counter()
    strange: list[str] = []
    for line in log.splitlines():
        try:
            fields = json.loads(line)
            said = f"{fields['level']} {fields['message']}"
        except (ValueError, KeyError, TypeError):
            strange.append(line)
            continue
        error = str(fields.get("error", ""))
        if said.startswith("info ") or (outages and not error and said.startswith(_OF_OUTAGES)):
            continue
        found[f"{said[:200]} {error.rpartition(chr(10))[2][:200]}"] += 1
    if strange:
        found[f"not a log line: {' / '.join(strange[:30])[:800]}"] = len(strange)
    return [f"{name} wrote {count} x: {line}" for line, count in found.items()]


class Server:
    """One server process.

    Attributes:
        name: its name in reports.
        port: its port, the same after every restart.
        fair_since: since when it has been running with its database available; ``None`` otherwise.
        kills: how often it was killed.
        log: its log file, across restarts.
    """

    def __init__(self, name: str, database: str, folder: Path) -> None:
        self.name = name
        self.port = free_port()
        self.fair_since: float | None = None
        self.kills = 0
        self.is_limited = False
        self._database = database
        self._folder = folder
        self._clock = folder / f"{name}.clock"
        self.log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.jump(0.0)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Its process id."""
        if self._process is None:
            raise ServerFailed(f"{self.name} has not been started.")
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether its process is running."""
        return self._process is not None and self._process.poll() is None

    def socket(self, table_id: str) -> str:
        """The URL of a table's WebSocket."""
        return f"ws://127.0.0.1:{self.port}/api/tables/{table_id}/socket"

    def jump(self, seconds: float) -> None:
        """Set the offset of its wall clock."""
        if not self._clock.exists():
            self._clock.write_bytes(OFFSET.pack(0.0))
        with self._clock.open("r+b") as file:
            file.write(OFFSET.pack(seconds))

    async def start(self) -> None:
        """Start it and wait until it is healthy."""
        words = ["serve", "--port", str(self.port), "--db", self._database, "--log", "json"]
        command = [sys.executable, "-m", "tools.soak.serving", str(self._clock)]
        homes = {"HOTDICE_HOME": str(self._folder), "HOTDICE_CACHE": str(self._folder / "cache")}
        files = {FILES: str(_FILES)} if self.is_limited else {}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - fast; our own command
                [*command, *words, *([] if self.is_limited else LIFTED), *MORE_WORDS],
                env={**os.environ, **homes, **files},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        until = time.monotonic() + _STARTING
        while await self.health() != httpx.codes.OK:
            if not self.alive or time.monotonic() > until:
                raise ServerFailed(f"{self.name} did not start: {self._last_words()}")
            await asyncio.sleep(0.05)
        self.fair_since = time.monotonic()

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self.fair_since = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.kills += 1

    def pause(self) -> None:
        """Suspend it with SIGSTOP."""
        self.fair_since = None
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Resume it after a pause."""
        os.kill(self.pid, signal.SIGCONT)
        self.fair_since = time.monotonic()

    async def end(self) -> None:
        """Shut it down, or kill it after a timeout."""
        self.fair_since = None
        if self._process is None or not self.alive:
            return
        self._process.send_signal(signal.SIGCONT)
        self._process.terminate()
        try:
            await asyncio.to_thread(self._process.wait, 20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    async def health(self) -> int:
        """The HTTP status of its health check; 0 on failure or timeout."""
        try:
            async with httpx.AsyncClient(timeout=_HEALTH) as http:
                return (await http.get(f"{self.url}/api/health")).status_code
        except httpx.HTTPError:
            return 0

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send a request; returns the HTTP status and response, or 0 on failure."""
        try:
            async with httpx.AsyncClient(timeout=10) as http:
                answer = await http.post(f"{self.url}{path}", json=body)
                found: dict[str, Any] = answer.json()
        except (httpx.HTTPError, json.JSONDecodeError):
            return 0, {}
        return answer.status_code, found

    def complaints(self, *, outages: bool) -> list[str]:
        """Unexpected lines in its log, grouped and counted."""
        return complaints(self.name, self._read_log(_LONGEST_LOG), outages=outages)

    def _last_words(self) -> str:
        return self._read_log(_LONGEST_LOG)[-500:]

    def _read_log(self, most: int) -> str:
        with self.log.open(errors="replace") as file:
            return file.read(most)
