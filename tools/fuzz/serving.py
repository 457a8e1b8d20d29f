"""A server of one's own: ``hotdice serve`` as a process, on a fresh database, its log kept."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.fuzz.finding import Finding

HOST = "127.0.0.1"
LIMITS = tuple(
    word
    for name in ("connections", "sockets", "requests", "commands", "tables")
    for word in ("--limit", f"{name}=0")
)
"""Words for ``hotdice serve`` that lift the limits for one address: all of this comes from one."""
_PATIENCE = 60.0
_CODE = "from hotdice.cli.main import run; run()"


@dataclass
class Server:
    """A server that runs."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self.port}"

    def ask(self, path: str, body: Any = None) -> Any:
        """What it answers; raises ``OSError`` where that is no success."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.url + path, data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
            return json.load(answer)

    def megabytes(self) -> float:
        """The memory it holds; 0 where the system does not say."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        except OSError:
            return 0.0
        found = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(found[0]) / 1024 if found else 0.0

    def check(self, again: str) -> None:
        """Raise a ``Finding`` unless it is alive, well, and has logged no error."""
        if self.process.poll() is not None:
            raise Finding(f"The server ended with {self.process.returncode}.", again)
        try:
            health = self.ask("/api/health")
        except OSError as error:
            raise Finding(f"The server is not well: {error}.", again) from error
        if health["status"] != "ok":
            raise Finding(f"The server is not well: {health}.", again)
        self.check_log(again)

    def check_log(self, again: str) -> None:
        """Raise a ``Finding`` if the log holds an error or a line that is no JSON."""
        lines = self.log.read_text("utf-8", errors="replace").splitlines()
        wrong = [line for line in lines if not _is_fine(line)]
        if wrong:
            shown = "\n".join(line[:3000] for line in wrong[:3])
            raise Finding(f"{len(wrong)} errors in the server's log, the first:\n{shown}", again)


def _is_fine(line: str) -> bool:
    try:
        fields = json.loads(line)
    except ValueError:
        return False
    return fields["level"] not in ("error", "critical") and "error" not in fields


@contextmanager
def serving(folder: Path, again: str) -> Iterator[Server]:
    """A server in a folder; when it is done, its log has to be clean to the end."""
    server = _started(folder)
    try:
        yield server
        server.check(again)
        server.process.terminate()
        server.process.wait(_PATIENCE)
        server.check_log(again)
    finally:
        server.process.kill()
        server.process.wait()


def _started(folder: Path) -> Server:
    log = folder / "log"
    env = {**os.environ, "HOTDICE_HOME": str(folder), "HOTDICE_CACHE": str(folder / "cache")}
    while True:
        with socket.create_server((HOST, 0)) as found:
            port = int(found.getsockname()[1])
        words = ("serve", "--port", str(port), "--log", "json", *LIMITS)
        with log.open("wb") as errors:
            process = subprocess.Popen(  # noqa: S603 - our own
                [sys.executable, "-c", _CODE, *words],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )
        server = Server(port, process, log)
        if _answers(server):
            return server
        if "cannot be used" not in log.read_text("utf-8"):  # else another took the port meanwhile
            raise Finding("The server does not start.", log.read_text("utf-8"))


def _answers(server: Server) -> bool:
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until and server.process.poll() is None:
        try:
            server.ask("/api/health")
        except OSError:
            time.sleep(0.05)
        else:
            return True
    return False
