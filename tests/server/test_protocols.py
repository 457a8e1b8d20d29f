"""Socket messages are queued, but the queue is limited."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import uvicorn
import websockets
from starlette.types import Receive, Scope, Send

from hotdice.server.protocols import WebSocketProtocol

MESSAGES = 2000
LONG = 1000


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

    config = uvicorn.Config(
        slow,
        port=0,
        log_level="warning",
        ws=WebSocketProtocol,
        ws_per_message_deflate=False,
        lifespan="off",
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    await until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    sent = [f"{number} {'x' * LONG}" for number in range(MESSAGES)]
    async with websockets.connect(f"ws://127.0.0.1:{port}/") as socket:
        [reader] = [
            one for one in server.server_state.connections if isinstance(one, WebSocketProtocol)
        ]
        sending = asyncio.create_task(_send(socket, sent))
        await until(lambda: reader.read_paused)
        await asyncio.sleep(0.1)
        assert 0 < reader.queue.qsize() < MESSAGES / 2
        wake.set()
        await sending
    await until(lambda: len(taken) >= MESSAGES)
    assert taken == sent
    server.should_exit = True
    await task


async def until(done: Callable[[], bool]) -> None:
    while not done():  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(0.01)


async def _send(socket: websockets.ClientConnection, texts: list[str]) -> None:
    for text in texts:
        await socket.send(text)
