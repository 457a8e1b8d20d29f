"""The clients of ``hotdice serve``: behind a proxy, and how many there can be."""

from __future__ import annotations

import asyncio
import socket
import sys
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from hotdice.cli import serving
from hotdice.server.app import CONNECTIONS, DATABASE, LIMITS, PROXIES, PUBLIC, create_app
from tests.asking import client_of
from tests.cli.conftest import Command
from tests.cli.test_serving import serving as served


async def test_what_a_trusted_proxy_says_of_its_clients_is_believed(tmp_path: Path) -> None:
    """Their addresses have limits of their own, and their scheme is that of their pages."""
    trusting = ("--proxy", "127.0.0.1", "--limit", "tables=1", "--limit", "connections=2")
    wanted = {"game": "peruke", "seats": [{"name": "Ann"}]}

    with served(*trusting, home=tmp_path) as (port, _):
        async with client_of(f"127.0.0.1:{port}") as http, AsyncExitStack() as stack:

            async def status(address: str, origin: str) -> int:
                sent = {"X-Forwarded-For": address, "X-Forwarded-Proto": "https"}
                sent["Origin"] = f"{origin}://127.0.0.1:{port}"
                return (await http.post("/api/tables", json=wanted, headers=sent)).status_code

            assert await status("203.0.113.1", "http") == 403
            assert await status("203.0.113.1", "https") == 201
            assert await status("203.0.113.1", "https") == 429
            assert await status("203.0.113.2", "https") == 201
            for _ in range(3):  # a proxy connects for many
                one = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            one.sendall(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert one.recv(12) == b"HTTP/1.1 200"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_process_accepts_as_many_connections_as_it_may_have_descriptors(
    hotdice: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    import resource  # noqa: PLC0415 - not on every system

    found: list[int] = []

    async def start() -> None:
        app = create_app()
        async with app.router.lifespan_context(app):
            found.append(app.state.hub.addresses.most_connections)

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for name in (DATABASE, LIMITS, PUBLIC, PROXIES, CONNECTIONS):
        monkeypatch.setenv(name, "")  # put back afterwards
    monkeypatch.setattr(serving, "_run", lambda *_, **__: asyncio.run(start()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (1000, hard))
    try:
        hotdice("serve", "--port", "0")
        raised, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert raised == (65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)) > 1000
    assert found == [raised - 256]
