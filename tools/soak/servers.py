"""Server processes that can be killed, paused and started again at the same address."""

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

from tools.soak.serving import OFFSET

MORE_WORDS: list[str] = shlex.split(os.environ.get("HOTDICE_SERVE", ""))
"""Words that every ``hotdice serve`` of the soak and the load gets."""
LIFTED = [
    word
    for name in ("connections", "sockets", "requests", "commands", "tables", "questions", "solving")
    for word in ("--limit", f"{name}=0")
]
"""What takes the limits of one address away: all clients of a soak or a load have the same."""
_STARTING = 60.0
_LONGEST_LOG = 20 * 2**20
"""Characters of a log that are read; the first are enough to know what is wrong."""
_OF_OUTAGES = (
    "warning a bot could not play: The ",
    "warning no bot could sit in: The ",
    "warning open tables could not be compared with the database: The ",
    "warning query cancellation failed: ",
    "warning query not terminated after cancellation: ",
    "warning lost the connection for notices from other processes: ",
    "warning trouble: ",
    "error the database failed: The ",
)
"""How lines begin that a server may log while the database is taken away; none has a traceback."""


class ServerFailed(Exception):
    """A server did not start."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


class Server:
    """One server process.

    Attributes:
        name: what it is called in reports.
        port: where it listens, the same after every start.
        fair_since: since when it runs with a database that it can reach; ``None`` while not.
        kills: how often it was killed.
        log: everything it wrote, of all its processes.
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
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Its process."""
        if self._process is None:
            raise ServerFailed(f"{self.name} has not been started.")
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self._process is not None and self._process.poll() is None

    def socket(self, table_id: str) -> str:
        """The address of the socket of a table."""
        return f"ws://127.0.0.1:{self.port}/api/tables/{table_id}/socket"

    def jump(self, seconds: float) -> None:
        """Set its wall clock so many seconds off."""
        if not self._clock.exists():
            self._clock.write_bytes(OFFSET.pack(0.0))
        with self._clock.open("r+b") as file:
            file.write(OFFSET.pack(seconds))

    async def start(self) -> None:
        """Start it and wait until it is well."""
        words = ["serve", "--port", str(self.port), "--db", self._database, "--log", "json"]
        command = [sys.executable, "-m", "tools.soak.serving", str(self._clock)]
        homes = {"HOTDICE_HOME": str(self._folder), "HOTDICE_CACHE": str(self._folder / "cache")}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(  # noqa: ASYNC220, S603 - takes a moment; ours
                [*command, *words, *([] if self.is_limited else LIFTED), *MORE_WORDS],
                env={**os.environ, **homes},
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
        """End it with -9."""
        self.fair_since = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.kills += 1

    def pause(self) -> None:
        """Stop it where it is."""
        self.fair_since = None
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on."""
        os.kill(self.pid, signal.SIGCONT)
        self.fair_since = time.monotonic()

    async def end(self) -> None:
        """End it in order, or by force if it does not."""
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
        """The status of its health; 0 if it does not answer within three seconds."""
        try:
            async with httpx.AsyncClient(timeout=3) as http:
                return (await http.get(f"{self.url}/api/health")).status_code
        except httpx.HTTPError:
            return 0

    async def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Ask for something; the status and the answer, 0 if there is none."""
        try:
            async with httpx.AsyncClient(timeout=10) as http:
                answer = await http.post(f"{self.url}{path}", json=body)
                found: dict[str, Any] = answer.json()
        except (httpx.HTTPError, json.JSONDecodeError):
            return 0, {}
        return answer.status_code, found

    def complaints(self, *, outages: bool) -> list[str]:
        """Kinds of lines in its log that should not be there, with how often they are.

        Informing lines should. So should what ``_OF_OUTAGES`` lists, without a traceback, if the
        database was taken away.
        """
        found: Counter[str] = Counter()
        strange: list[str] = []
        for line in self._read_log(_LONGEST_LOG).splitlines():
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
            found[f"no log line but {' / '.join(strange[:30])[:800]}"] = len(strange)
        return [f"{self.name} wrote {count} x: {line}" for line, count in found.items()]

    def _last_words(self) -> str:
        return self._read_log(_LONGEST_LOG)[-500:]

    def _read_log(self, most: int) -> str:
        with self.log.open(errors="replace") as file:
            return file.read(most)
