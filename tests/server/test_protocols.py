"""Queues of socket messages are limited, and silent readers do not delay the shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable

import pytest
import uvicorn
import websockets
from starlette.types import ASGIApp, Receive, Scope, Send
from websockets.frames import Frame, Opcode

from hotdice.server import protocols
from hotdice.server.protocols import UVICORN, WebSocketProtocol, text_frame

MESSAGES = 2000
LONG = 1000


@contextlib.asynccontextmanager
async def running(app: ASGIApp, *bound: socket.socket) -> AsyncIterator[uvicorn.Server]:
    """A server on a free port, or on a listening socket."""
    config = uvicorn.Config(app, port=0, log_level="warning", lifespan="off", **UVICORN)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve(list(bound) or None))
    await until(lambda: server.started)
    yield server
    server.should_exit = server.force_exit = True
    await task


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_text_frame_is_that_of_the_library(size: int) -> None:
    data = b"x" * size
    assert text_frame(data) == Frame(Opcode.TEXT, data).serialize(mask=False)


async def test_no_message_waits_until_the_last_one_is_acknowledged() -> None:
    """A client may acknowledge late, for example after 40 ms."""

    async def silent(scope: Scope, receive: Receive, send: Send) -> None:
        assert scope["type"] == "websocket"
        await receive()
        await send({"type": "websocket.accept"})
        await receive()

    with socket.create_server(("127.0.0.1", 0)) as bound:  # as the command line does
        port = bound.getsockname()[1]
        async with running(silent, bound) as server, websockets.connect(f"ws://127.0.0.1:{port}/"):
            [connection] = server.server_state.connections
            assert isinstance(connection, WebSocketProtocol)
            accepted = connection.transport.get_extra_info("socket")
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_long_queue_pauses_reading_and_loses_nothing() -> None:
    """A slow application gets all messages in the end, in order."""
    wake, taken = asyncio.Event(), []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            return
        await receive()
        await send({"type": "websocket.accept"})
        await wake.wait()
        while (message := await receive())["type"] == "websocket.receive":
            taken.append(message["text"])

    async with running(slow) as server:
        port = server.servers[0].sockets[0].getsockname()[1]
        sent = [f"{number} {'x' * LONG}" for number in range(MESSAGES)]
        async with websockets.connect(f"ws://127.0.0.1:{port}/") as client:
            [reader] = [
                one for one in server.server_state.connections if isinstance(one, WebSocketProtocol)
            ]
            sending = asyncio.create_task(_send(client, sent))
            await until(lambda: reader.read_paused)
            assert not reader.transport.is_reading()  # so no more messages can come
            assert 0 < reader.queue.qsize() < MESSAGES / 2
            wake.set()
            await sending
        await until(lambda: len(taken) >= MESSAGES)
        assert taken == sent


async def test_a_client_that_does_not_read_holds_up_whoever_sends_to_it() -> None:
    """Else all that it does not read would be kept in memory."""
    sent = 0

    async def verbose(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal sent
        await receive()
        await send({"type": "websocket.accept"})
        for _ in range(20 * MESSAGES):
            await send({"type": "websocket.send", "text": "x" * LONG})
            sent += 1

    async with running(verbose) as server, silent(server):
        [connection] = server.server_state.connections
        assert isinstance(connection, WebSocketProtocol)
        await until(lambda: not connection.writable.is_set())
        assert sent < 20 * MESSAGES
        assert connection.transport.get_write_buffer_size() < 1_000_000


FLOOD = 40_000
"""Empty frames that fit into one read."""


async def test_many_frames_of_one_read_are_parsed_in_parts() -> None:
    """To parse all at once would take a fifth of a second, in which nobody else is served."""
    wake, taken = asyncio.Event(), []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await wake.wait()
        while (message := await receive())["type"] == "websocket.receive":
            taken.append(message["text"])

    async with running(slow) as server, silent(server) as client:
        [connection] = server.server_state.connections
        assert isinstance(connection, WebSocketProtocol)
        texts = [str(number % 10) for number in range(FLOOD)]
        frames = b"".join(b"\x81\x81\0\0\0\0" + text.encode() for text in texts)
        sending = asyncio.create_task(asyncio.to_thread(client.sendall, frames))
        await until(lambda: connection.read_paused)
        assert connection.queue.qsize() < protocols._AT_ONCE  # noqa: SLF001 - what it is for
        wake.set()
        await sending
        await until(lambda: len(taken) == FLOOD)
        assert taken == texts


@pytest.mark.parametrize("opcode", [b"\x89", b"\x8a", b"\x00"], ids=["ping", "pong", "part"])
async def test_too_many_frames_that_are_no_messages_end_the_connection(
    opcode: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits on commands do not count them, and a client need not read the answers to its pings."""

    async def listening(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (await receive())["type"] == "websocket.receive":
            pass

    async with running(listening) as server, silent(server) as client:
        [connection] = server.server_state.connections
        assert isinstance(connection, WebSocketProtocol)
        refused: list[str] = []
        monkeypatch.setattr(connection, "refuse", refused.append)
        begin = b"\x01\x80\0\0\0\0" if opcode == b"\x00" else b""
        frames = begin + FLOOD * (opcode + b"\x80\0\0\0\0")
        with contextlib.suppress(ConnectionError):
            await asyncio.to_thread(client.sendall, frames)
        await until(lambda: not server.server_state.connections)
        assert refused == ["frames"]
        assert len(connection.frames) <= protocols._EXTRA  # noqa: SLF001 - the limit itself


@contextlib.asynccontextmanager
async def silent(server: uvicorn.Server) -> AsyncIterator[socket.socket]:
    """A client that has opened a WebSocket and reads nothing more."""
    with socket.create_connection(server.servers[0].sockets[0].getsockname()) as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: here\r\n{UPGRADE}\r\n".encode())
        await asyncio.to_thread(client.recv, 1000)
        yield client


async def until(done: Callable[[], bool]) -> None:
    while not done():  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(0.01)


async def _send(client: websockets.ClientConnection, texts: list[str]) -> None:
    for text in texts:
        await client.send(text)


UPGRADE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n"
)


@pytest.mark.parametrize("headers", ["", UPGRADE], ids=["http", "socket"])
async def test_a_client_that_reads_nothing_does_not_delay_the_shutdown(
    headers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has not read is lost; its connection is gone after a few steps of the loop."""
    monkeypatch.setattr(protocols, "_CLOSING", 0.0)
    body = bytes(10_000_000)  # more than the system's buffers hold
    sent = asyncio.Event()

    async def verbose(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            length = (b"content-length", str(len(body)).encode())
            await send({"type": "http.response.start", "status": 200, "headers": [length]})
            await send({"type": "http.response.body", "body": body})
        else:
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.send", "bytes": body})
        sent.set()
        await asyncio.Event().wait()

    async with running(verbose) as server:
        connections = server.server_state.connections
        with socket.create_connection(server.servers[0].sockets[0].getsockname()) as silent:
            silent.sendall(f"GET / HTTP/1.1\r\nHost: here\r\n{headers}\r\n".encode())
            await sent.wait()
            [connection] = connections
            connection.shutdown()
            for _ in range(10):
                await asyncio.sleep(0)
            assert not connections
