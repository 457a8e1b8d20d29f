"""What takes longer than a moment, kept away from the loop that serves everybody.

Bots and the coach think in one thread, in turn. Tables that take many seconds to solve are worked
out by a process of their own, which others can wait for or stop waiting for.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.solve.coach import Advice, advise, ready

T = TypeVar("T")
Told = Callable[[float], None]
"""Told the part that is done, from 0 to 1."""


_AT_ONCE = 2
"""How many processes work out tables at the same time; others wait for their turn."""
_ALMOST = 0.99
"""What is solved still has to be written down."""


class Thinker:
    """Thinks for every table of a server process."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, "hotdice-thinker")
        self._works: dict[tuple[str, str, int], _Work] = {}
        self._solving = asyncio.Semaphore(_AT_ONCE)

    async def close(self) -> None:
        """Stop thinking."""
        for work in list(self._works.values()):
            await work.stop()
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def think(self, work: Callable[..., T], *given: Any) -> T:
        """Something that takes a while, off the loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *given)

    async def advise(self, game: AnyGame, state: Any) -> Advice:
        """What the coach says."""
        return await self.think(advise, game, state)

    async def is_ready(self, game: AnyGame, players: int) -> bool:
        """Whether playing to win needs no table that is not there."""
        return await self.think(ready, game, players)

    @asynccontextmanager
    async def preparing(
        self, game: AnyGame, players: int, told: Told
    ) -> AsyncIterator[asyncio.Task[None]]:
        """Tables being worked out, shared by all who want them; stopped when nobody does."""
        key = (game.slug, game.options.text(), players)
        work = self._works.get(key)
        if work is None:
            work = self._works[key] = _Work(self._solving, *key)
        work.listeners.append(told)
        try:
            yield work.task
        finally:
            work.listeners.remove(told)
            if not work.listeners:
                self._works.pop(key, None)
                await work.stop()


class _Work:
    """A process that works out the tables of a game."""

    def __init__(self, turns: asyncio.Semaphore, slug: str, options: str, players: int) -> None:
        self.listeners: list[Told] = []
        self.task = asyncio.create_task(self._run(turns, slug, options, players))

    async def stop(self) -> None:
        """End it, finished or not."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _run(self, turns: asyncio.Semaphore, slug: str, options: str, players: int) -> None:
        async with turns:
            await self._solve(slug, options, players)

    async def _solve(self, slug: str, options: str, players: int) -> None:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hotdice.server.preparing", slug, options, str(players)),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            if process.stdout is None:
                raise AssertionError("it was asked for")
            async for line in process.stdout:
                for listener in list(self.listeners):
                    listener(min(_ALMOST, float(line)))
            if await process.wait():
                raise HotDiceError("The tables could not be worked out.")
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
