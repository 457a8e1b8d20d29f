"""``hotdice serve``, started as a person starts it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.cli.conftest import Command


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def test_it_serves_until_it_is_stopped(tmp_path: Path) -> None:
    port = free_port()
    command = [str(Path(sys.executable).with_name("hotdice")), "serve", "--port", str(port)]
    env = {**os.environ, "HOTDICE_HOME": str(tmp_path)}
    with subprocess.Popen(command, env=env, stderr=subprocess.PIPE) as server:  # noqa: S603 - ours
        try:
            answer = _answer(f"http://127.0.0.1:{port}/api/health")
            assert json.loads(answer) == {"status": "ok"}
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)
    assert server.returncode in (0, -signal.SIGTERM)
    assert (tmp_path / "hotdice.db").exists()


def _answer(url: str) -> bytes:
    for _ in range(300):
        try:
            with urllib.request.urlopen(url) as found:  # noqa: S310 - our own server
                answer: bytes = found.read()
                return answer
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not answer")


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("--db", "mysql://a/b"), "SQLite or PostgreSQL"),
        (("--db", "nonsense"), "is no database"),
        (("--workers", "0"), "1 to 64 workers"),
        (("--workers", "2"), "PostgreSQL"),
        (("--port", "99999"), "A port is"),
        (("--host", "256.1.1.1"), "cannot be used"),
    ],
)
def test_what_cannot_be_served(hotdice: Command, words: tuple[str, ...], sentence: str) -> None:
    ran = hotdice("serve", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_a_port_that_is_taken(hotdice: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ran = hotdice("serve", "--port", str(taken.getsockname()[1]))
    assert "choose another with --port" in ran.err
