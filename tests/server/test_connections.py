"""Idle, slow, excessive and cross-origin connections to a real server."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any
from unittest.mock import Mock

import httpx
import pytest
import websockets

from hotdice.server import protocols
from hotdice.server.clocks import Timepiece
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits
from hotdice.server.sockets import Wire, follow
from hotdice.storage import Store
from tests.asking import client_of
from tests.server.hubs import SETUP
from tests.server.test_app import FARKLE, PAIR, created, serving, sitting

pytestmark = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


async def connected(address: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = address.rpartition(":")
    return await asyncio.open_connection(host, int(port))


async def read_to_end(reader: asyncio.StreamReader) -> bytes:
    """Read until the connection is closed."""
    try:
        return await reader.read()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("sent", [b"", b"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "])
async def test_unfinished_requests_time_out(
    database: str, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(protocols, "_REQUEST", 0.1)
    async with serving(database) as address:
        reader, writer = await connected(address)
        writer.write(sent)
        assert await read_to_end(reader) == b""
        writer.close()
        monkeypatch.setattr(protocols, "_REQUEST", 60)
        reader, writer = await connected(address)  # so does a second request
        writer.write(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        await reader.readuntil(b"}")
        monkeypatch.setattr(protocols, "_REQUEST", 0.1)
        writer.write(b"GET /api/he")
        await read_to_end(reader)
        writer.close()
        monkeypatch.setattr(protocols, "_REQUEST", 60)
        async with client_of(address) as http:
            assert await _refused(http, "heads") == 2


async def test_unfinished_bodies_time_out(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.server.guarding._BODY_TIMEOUT", 0.1)
    async with serving(database) as address:
        reader, writer = await connected(address)
        writer.write(
            b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b'Content-Length: 100\r\n\r\n{"game": '
        )
        assert (await reader.readline()).startswith(b"HTTP/1.1 408")
        writer.close()
        async with client_of(address) as http:
            assert await _refused(http, "bodies") == 1


@pytest.mark.parametrize(
    "sent", [b"hello?\r\n\r\n", b"GET /api/games?options=" + 300_000 * b"x" + b" HTTP/1.1\r\n\r\n"]
)
async def test_what_cannot_be_read_is_refused_with_a_sentence(database: str, sent: bytes) -> None:
    """The client can read it although it was still sending."""
    async with serving(database) as address:
        reader, writer = await connected(address)
        writer.write(sent)
        await writer.drain()
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert b"Content-Type: application/json" in head
        assert json.loads(body)["error"].startswith("This request cannot be read")


async def test_garbage_behind_a_request_ends_the_connection_quietly(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(database) as address:
        reader, writer = await connected(address)
        writer.write(b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nhello?\r\n\r\n")
        answers = await read_to_end(reader)
        writer.close()
    assert answers.count(b"HTTP/1.1 200") == answers.count(b"HTTP/1.1") - answers.count(b" 400 ")
    assert not [one for one in caplog.records if one.exc_info]


async def test_connections_over_the_limit_are_refused_with_503(database: str) -> None:
    async with serving(database, limits=Limits(connections=3)) as address:
        held = [await connected(address) for _ in range(3)]
        reader, writer = await connected(address)
        said = await read_to_end(reader)
        assert said.startswith(b"HTTP/1.1 503")
        assert json.loads(said.partition(b"\r\n\r\n")[2])["kind"] == "TooMany"
        writer.close()
        for _, one in held:
            one.close()
            await one.wait_closed()
        async with client_of(address) as http:
            while (await http.get("/api/health")).status_code != 200:  # noqa: ASYNC110 - no event
                await asyncio.sleep(0.02)  # until it has noticed that they are gone
            assert await _refused(http, "connections") >= 1


async def test_closed_sockets_no_longer_count_towards_the_limits(database: str) -> None:
    async with (
        serving(database, limits=Limits(connections=3, sockets=1)) as address,
        client_of(address) as http,
    ):
        table = await created(http)
        for _ in range(6):
            async with sitting(address, table, 0):
                with pytest.raises(websockets.ConnectionClosed) as closed:
                    async with sitting(address, table, 1):
                        pass
                assert closed.value.rcvd
                assert closed.value.rcvd.code == 4429


async def test_new_tables_and_requests_are_rate_limited(database: str) -> None:
    limits, still = Limits(tables=2, requests=3), Timepiece(steady=lambda: 0.0)
    async with (
        serving(database, limits=limits, timepiece=still) as address,
        client_of(address) as http,
    ):
        codes = []
        for _ in range(3):
            answer = await http.post("/api/tables", json={**FARKLE, "seats": PAIR})
            codes.append(answer.status_code)
        assert codes == [201, 201, 429]
        assert answer.json()["kind"] == "TooMany"
        assert int(answer.headers["retry-after"]) > 60
        found = await asyncio.gather(*(http.get("/api/games") for _ in range(40)))
        assert {one.status_code for one in found} == {200, 429}


async def test_opening_sockets_is_rate_limited(database: str) -> None:
    still = Timepiece(steady=lambda: 0.0)
    async with serving(database, limits=Limits(requests=2), timepiece=still) as address:
        url = f"ws://{address}/api/tables/nowhere/socket"
        for _ in range(8):
            async with websockets.connect(url):
                pass
        async with websockets.connect(url) as socket:
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await socket.recv()
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 4429


async def test_a_client_that_stops_reading_is_disconnected(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table alone is more than fits into its buffers; the others go on without it."""
    monkeypatch.setattr(protocols, "_UNREAD", 0.05)
    async with (
        serving(database, buffer=4096, limits=Limits().without("commands")) as address,
        client_of(address) as http,
    ):
        table = await created(http)
        async with sitting(address, table, 0) as client:
            for _ in range(120):  # 96,000 bytes, and asyncio pauses at 65,536
                await client.say(do="say", seat=0, seen=0, text="\U0001f3b2" * 200)
            while client.status["seq"] < 120:
                await client.hear()
            raw = socket.socket()
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.setblocking(False)
            loop = asyncio.get_running_loop()
            host, _, port = address.rpartition(":")
            await loop.sock_connect(raw, (host, int(port)))
            path = f"/api/tables/{table['id']}/socket"
            head = f"GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n"
            key = "Connection: Upgrade\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
            await loop.sock_sendall(raw, f"{head}{key}Sec-WebSocket-Version: 13\r\n\r\n".encode())
            assert b" 101 " in await loop.sock_recv(raw, 1024)  # before that, a hello would be lost
            hello = b"{}"
            await loop.sock_sendall(raw, b"\x81" + bytes([0x80 | len(hello)]) + b"\0\0\0\0" + hello)
            assert await loop.sock_recv(raw, 1)  # it is let in, and reads no more
            while await _open_sockets(http) == 2 and not await _refused(http, "reading"):
                pass
            for _ in range(100):  # later, it would be closed for not answering a ping
                if await _open_sockets(http) == 1:
                    break
            assert (await _open_sockets(http), await _refused(http, "reading")) == (1, 1)
            assert (await client.done(do="say", seat=0, text="hello?"))["type"] == "news"
        raw.close()


async def test_a_slow_reader_stays_connected(database: str) -> None:
    """It is disconnected only if nothing was read between two checks."""
    looks: list[Any] = []
    slow = protocols._Timeouts()  # noqa: SLF001 - below the sockets that a test can open
    transport, loop = Mock(), Mock()
    slow.transport, slow.loop = transport, loop
    loop.call_later = lambda _seconds, look: looks.append(look)
    for left in (900, 500, 100):
        transport.get_write_buffer_size.return_value = left
        (looks.pop() if looks else slow.start_write_timeout)()
        assert not transport.abort.called
    looks.pop()()
    assert transport.abort.called


async def test_closing_before_the_table_is_shown_raises_no_error(database: str) -> None:
    """The connection closes between the hello and the first message."""
    store = await Store.open(database)
    hub = Hub(store)
    opened = await hub.create(SETUP)
    said = [{"type": "websocket.connect"}, {"type": "websocket.receive", "text": "{}"}]

    async def receive() -> dict[str, str]:
        return said.pop(0)

    async def send(message: Any) -> None:
        if message["type"] != "websocket.accept":
            raise RuntimeError("after sending 'websocket.close'")

    await follow(Wire({"type": "websocket", "headers": []}, receive, send), hub, opened.id)
    assert not said
    await store.close()


async def test_rate_limited_requests_are_not_logged(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    still = Timepiece(steady=lambda: 0.0)
    async with (
        serving(database, timepiece=still, limits=Limits(requests=3)) as address,
        client_of(address) as http,
    ):
        with caplog.at_level("INFO", "hotdice.server.guarding"):
            codes = [(await http.get("/api/games")).status_code for _ in range(20)]
    refused = codes.count(429)
    assert refused >= 8
    assert [one.levelname for one in caplog.records].count("INFO") == 20 - refused


async def _open_sockets(http: httpx.AsyncClient) -> int:
    return await _counted(http, "hotdice_connections")


async def _refused(http: httpx.AsyncClient, limit: str) -> int:
    return await _counted(http, f'hotdice_refused_total{{limit="{limit}"}}')


async def _counted(http: httpx.AsyncClient, name: str) -> int:
    lines = (await http.get("/api/metrics")).text.splitlines()
    found = [line for line in lines if line.startswith(f"{name} ")]
    return int(float(found[0].split()[1])) if found else 0


async def test_foreign_origins_and_host_names_are_refused(database: str) -> None:
    async with (
        serving(database) as address,
        client_of(address) as http,
    ):
        wrong = await http.get("/api/games", headers={"Host": "evil.example"})
        assert (wrong.status_code, wrong.json()["kind"]) == (421, "Misdirected")
        wanted = {**FARKLE, "seats": PAIR}
        wrong = await http.post(
            "/api/tables", json=wanted, headers={"Origin": "http://evil.example"}
        )
        assert wrong.status_code == 403
        fine = await http.post("/api/tables", json=wanted, headers={"Origin": f"http://{address}"})
        assert fine.status_code == 201
        url = f"ws://{address}/api/tables/{fine.json()['id']}/socket"
        for given in (
            {"origin": "https://evil.example"},
            {"origin": f"https://{address}"},
            {"additional_headers": {"Host": "evil.example"}},
        ):
            options: dict[str, Any] = given
            with pytest.raises((websockets.InvalidStatus, websockets.InvalidHandshake)):
                async with websockets.connect(url, **options):
                    pass
        nowhere = f"ws://{address}/api/nowhere"
        with pytest.raises(websockets.InvalidStatus):
            async with websockets.connect(nowhere):
                pass


async def test_a_wrong_method_is_answered_with_the_allowed_ones(database: str) -> None:
    async with (
        serving(database) as address,
        client_of(address) as http,
    ):
        answer = await http.request("DELETE", "/api/tables")
        assert answer.status_code == 405
        assert answer.headers["allow"]
        assert answer.json()["error"]


async def test_invalid_utf_8_closes_the_socket_quietly(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        serving(database) as address,
        client_of(address) as http,
    ):
        table = await created(http)
        async with sitting(address, table, 0) as client:
            await client.socket.send(b"\xff\xfe", text=True)
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await client.hear()
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1007
    assert not [record for record in caplog.records if record.exc_info]


async def test_commands_do_not_wait_for_advice(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = asyncio.Event()

    async def slow(*_given: Any) -> Any:
        await never.wait()

    monkeypatch.setattr("hotdice.server.thinking.Thinker.advise", slow)
    async with (
        serving(database) as address,
        client_of(address) as http,
    ):
        table = await created(http, game="cockroach", options={})
        async with sitting(address, table, 0, 1) as client:
            for _ in range(3):
                await client.say(do="advise", seat=client.status["seat"], seen=client.status["seq"])
            said = await client.done(do="say", seat=0, text="meanwhile")
            assert said["type"] == "news"
