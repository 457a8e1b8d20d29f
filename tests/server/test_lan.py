"""Others in the same network are let in, and kept out again, while the server runs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from hotdice.server import lan
from hotdice.server.app import create_app
from hotdice.server.lan import CannotLetIn, Lan, is_this_machine, own_addresses


@pytest.fixture
def port() -> Iterator[int]:
    """A port that nobody else gets: it stays in use at an address that no test opens."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield int(found.getsockname()[1])


class Greeting(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"hello")
        transport.close()


async def listen(bound: socket.socket) -> asyncio.Server:
    return await asyncio.get_running_loop().create_server(Greeting, sock=bound)


async def test_addresses_are_opened_and_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lan, "own_addresses", lambda: ["127.0.0.2", "127.0.0.3"])
    others = Lan()
    could = others.is_possible
    others.attach(port, listen)
    assert (could, others.is_possible) == (False, True)
    await others.open()
    await others.open()
    assert others.links == [f"http://127.0.0.2:{port}", f"http://127.0.0.3:{port}"]
    reader, writer = await asyncio.open_connection("127.0.0.3", port)
    assert await reader.read() == b"hello"
    writer.close()
    await others.close()
    assert others.links == []
    with pytest.raises(OSError, match="Connect call failed"):
        await asyncio.open_connection("127.0.0.3", port)


@pytest.mark.parametrize(
    ("addresses", "reason"),
    [([], "is in no network"), (["192.0.2.7"], "192.0.2.7:.* cannot be used")],
)
async def test_what_cannot_be_opened_is_said(
    port: int, monkeypatch: pytest.MonkeyPatch, addresses: list[str], reason: str
) -> None:
    monkeypatch.setattr(lan, "own_addresses", lambda: addresses)
    others = Lan()
    with pytest.raises(CannotLetIn, match="start it with --lan"):
        await others.open()
    others.attach(port, listen)
    with pytest.raises(CannotLetIn, match=reason):
        await others.open()
    assert others.links == []


def test_own_addresses_are_not_loopback() -> None:
    assert not any(is_this_machine(address) for address in own_addresses())


def test_this_machine_is_its_loopback_address() -> None:
    assert is_this_machine("127.0.0.1")
    assert is_this_machine("::1")
    assert not is_this_machine("192.168.1.7")
    assert not is_this_machine("nowhere")


@pytest.mark.parametrize(
    ("client", "code"), [("127.0.0.1", 200), ("192.168.1.9", 403)], ids=["here", "elsewhere"]
)
async def test_only_people_at_the_machine_decide(
    tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch, client: str, code: int
) -> None:
    monkeypatch.setattr(lan, "own_addresses", lambda: ["127.0.0.2"])
    app = create_app(f"sqlite:///{tmp_path / 'hotdice.db'}")
    asked = httpx.ASGITransport(app=app, client=(client, 5))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=asked, base_url="http://127.0.0.1") as http,
    ):
        app.state.lan.attach(port, listen)
        shown = (await http.get("/api/lan")).json()
        assert shown == {"possible": True, "yours": code == 200, "links": []}
        assert (await http.post("/api/lan", json={"open": 1})).status_code == 422
        answer = await http.post("/api/lan", json={"open": True})
        assert answer.status_code == code
        links = (await http.get("/api/lan")).json()["links"]
        assert links == ([f"http://127.0.0.2:{port}"] if code == 200 else [])
        await http.post("/api/lan", json={"open": False})
        assert app.state.lan.links == []
