"""Streams of messages as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TypeVar

from fastapi.responses import StreamingResponse

from hotdice.core.errors import HotDiceError
from hotdice.server.limits import TooMany
from hotdice.server.messages import Message
from hotdice.server.metrics import Metrics
from hotdice.server.problems import problem_of

STREAM = "text/event-stream"

T = TypeVar("T")


def streamed(messages: AsyncGenerator[Message, None], metrics: Metrics) -> StreamingResponse:
    """Messages as server-sent events; an error is the last of them, a limit is counted."""

    async def lines() -> AsyncGenerator[str, None]:
        async with aclosing(messages):
            try:
                async for message in messages:
                    yield f"data: {message.model_dump_json()}\n\n"
            except HotDiceError as error:
                if isinstance(error, TooMany):
                    metrics.refuse(error.limit)
                yield f"data: {problem_of(error).model_dump_json()}\n\n"

    return StreamingResponse(
        _from_own_task(lines()), media_type=STREAM, headers={"Cache-Control": "no-store"}
    )


ENDING: set[asyncio.Task[None]] = set()
"""The tasks of streams whose client has left; the event loop itself holds them only weakly."""


async def _from_own_task(items: AsyncGenerator[T, None]) -> AsyncIterator[T]:
    """The same items, produced by a task that is cancelled once if nobody takes them any more.

    When a client disconnects, Starlette cancels whatever the response awaits until it has ended,
    again and again. A database connection that was in use could not even be closed.
    """
    ready: asyncio.Queue[T | None] = asyncio.Queue()
    room = asyncio.Semaphore(1)

    async def produce() -> None:
        try:
            async with aclosing(items):
                async for item in items:
                    await room.acquire()
                    ready.put_nowait(item)
        finally:
            ready.put_nowait(None)

    task = asyncio.create_task(produce())
    try:
        while (item := await ready.get()) is not None:
            room.release()
            yield item
        await task
    finally:
        if not task.done():
            ENDING.add(task)
            task.add_done_callback(ENDING.discard)
            task.cancel()
