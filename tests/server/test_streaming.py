"""Streams of messages."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from hotdice.core.errors import HotDiceError
from hotdice.server.analysing import Analysed
from hotdice.server.limits import TooMany
from hotdice.server.messages import Message
from hotdice.server.metrics import Metrics
from hotdice.server.streaming import ENDING, streamed
from hotdice.storage import Store

SCOPE = {"type": "http", "asgi": {"spec_version": "2.3"}}
"""What uvicorn says it speaks; Starlette then looks for disconnecting clients itself."""


def message(number: int) -> Message:
    return Analysed(done=number, total=9, skipped=[])


async def sent(
    messages: AsyncGenerator[Message, None], gone: asyncio.Event, metrics: Metrics | None = None
) -> bytes:
    """What a stream sends to a client that disconnects at some time."""
    found: list[bytes] = []

    async def receive() -> dict[str, Any]:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(part: Any) -> None:
        found.append(part.get("body", b""))

    await streamed(messages, metrics or Metrics())(SCOPE, receive, send)
    await asyncio.gather(*ENDING, return_exceptions=True)
    return b"".join(found)


async def test_all_messages_are_sent_and_an_error_is_the_last() -> None:
    async def messages() -> AsyncGenerator[Message, None]:
        for number in range(5):
            yield message(number)
        raise HotDiceError("There is no more.")

    found = await sent(messages(), asyncio.Event())
    lines = found.decode().split("\n\n")
    assert [f'"done":{number},' in line for number, line in enumerate(lines[:5])] == [True] * 5
    assert '"There is no more."' in lines[5]
    assert lines[6:] == [""]


async def test_a_limit_reached_in_a_stream_is_counted() -> None:
    async def messages() -> AsyncGenerator[Message, None]:
        yield message(1)
        raise TooMany("Too many games are being solved for your address.", "solving")

    metrics = Metrics()
    assert b'"TooMany"' in await sent(messages(), asyncio.Event(), metrics)
    assert b'refused_total{limit="solving"} 1.0' in metrics.text()


async def test_nothing_is_left_of_a_stream_whose_client_has_gone() -> None:
    gone = asyncio.Event()

    async def messages() -> AsyncGenerator[Message, None]:
        gone.set()
        await asyncio.Event().wait()
        yield message(1)

    assert await sent(messages(), gone) == b""
    await asyncio.sleep(0)  # what was cancelled ends
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_client_may_leave_while_the_database_is_read(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = await Store.open(f"sqlite:///{tmp_path / 'tables.db'}")
    loop, gone, goes_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def held() -> int:
        """Called by the query: the client leaves while it runs."""
        loop.call_soon_threadsafe(gone.set)
        goes_on.wait()
        return 1

    async def messages() -> AsyncGenerator[Message, None]:
        yield message(1)
        async with store.reading() as connection:
            raw: Any = (await connection.get_raw_connection()).driver_connection
            await raw.create_function("held", 0, held)
            loop.call_later(0.1, goes_on.set)
            await connection.execute(text("SELECT held()"))
        yield message(2)

    try:
        assert b'"done":2' not in await sent(messages(), gone)
    finally:
        goes_on.set()
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
    assert await store.problems() == []
    await store.close()
