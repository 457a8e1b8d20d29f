"""Runs ``hotdice serve`` as a subprocess on an empty database and checks its log."""

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
    for name in ("connections", "sockets", "requests", "commands", "tables", "entries")
    for word in ("--limit", f"{name}=0")
)
"""Arguments that disable the limits per IP address, because all clients share one."""
_PATIENCE = 60.0
_CODE = "from hotdice.cli.main import run; run()"


@dataclass
class Server:
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://{HOST}:{self.port}"

    def ask(self, path: str, body: Any = None) -> Any:
        """Send a request and return the response; raises ``OSError`` unless it succeeds."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own server
            self.url + path, data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
            return json.load(answer)

    def megabytes(self) -> float:
        """Its resident memory; 0 where the system does not report it."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        except OSError:
            return 0.0
        found = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
        return int(found[0]) / 1024 if found else 0.0

    def check(self, again: str) -> None:
        """Raise ``Finding`` unless it is running, healthy, and has logged no errors."""
        if self.process.poll() is not None:
            raise Finding(f"The server ended with {self.process.returncode}.", again)
        try:
            health = self.ask("/api/health")
        except OSError as error:
            raise Finding(f"The server is unhealthy: {error}.", again) from error
        if health["status"] != "ok":
            raise Finding(f"The server is unhealthy: {health}.", again)
        self.check_log(again)

    def check_log(self, again: str) -> None:
        """Raise ``Finding`` if the log has an error or a line that is not JSON."""
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
    """Run a server in a folder; afterwards its log must be clean."""
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
        if "cannot be used" not in log.read_text("utf-8"):  # otherwise the port was taken; retry
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
