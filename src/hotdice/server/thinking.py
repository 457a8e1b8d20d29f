"""What takes longer than a moment, kept away from the loop that serves everybody.

Bots, the coach and solvers have processes of their own, apart from each other, each bounded in time
and memory. Those who wait for one take turns by address, so nobody waits for all that another asks.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.server.jobs import LENGTH, Job, JobResult
from hotdice.server.limits import Limits, TooMany
from hotdice.server.turns import Turns
from hotdice.solve.coach import Advice
from hotdice.solve.solutions import clear_parts
from hotdice.storage.listening import end
from hotdice.table.bots import Thought

Told = Callable[[float], None]
"""Told the part that is done, from 0 to 1."""

_ALMOST = 0.99
"""What is solved still has to be written down."""
_PATIENCE = 10.0
"""Seconds on the clock after which a process that thinks is given up, however busy the machine."""
_STUCK = 60.0
"""Seconds without progress after which a solver is thought stuck."""
_log = logging.getLogger(__name__)


class Unthinkable(HotDiceError):
    """The coach or a bot cannot answer within its bounds."""


class Mind:
    """A process that thinks."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, limits: Limits) -> Mind:
        """Start one."""
        words = (str(limits.thinking_memory), str(limits.thinking_seconds))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hotdice.server.mind", *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
        )
        return cls(process)

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.returncode is None

    async def ask(self, question: Job) -> JobResult:
        """Its answer; raises ``Unthinkable`` if it ends instead."""
        told, heard = self._process.stdin, self._process.stdout
        if told is None or heard is None:
            raise AssertionError("both were asked for")
        packed = pickle.dumps(question)
        try:
            async with asyncio.timeout(_PATIENCE):
                told.write(LENGTH.pack(len(packed)) + packed)
                await told.drain()
                size = LENGTH.unpack(await heard.readexactly(LENGTH.size))[0]
                found: JobResult = pickle.loads(await heard.readexactly(size))  # noqa: S301 - from our child
        except (TimeoutError, OSError, EOFError) as error:
            await self.end()
            raise Unthinkable("That takes too long to work out here.") from error
        return found

    async def end(self) -> None:
        """End it."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class Pool:
    """Processes that think, few of them, for whoever asks in turn."""

    def __init__(self, limits: Limits, at_once: int = 1) -> None:
        self._limits = limits
        self._turns = Turns(
            at_once,
            limits.questions,
            "questions",
            "Too many questions from your address at once; wait for the answers.",
        )
        self._idle: list[Mind] = []
        self._busy: set[asyncio.Task[JobResult]] = set()

    async def ask(self, address: str, question: Job) -> Any:
        """The answer, waited for in turn; raises ``TooMany``, ``Unthinkable``, what is wrong."""
        await self._turns.acquire(address)
        # A question that is being answered is answered, though nobody may wait for it any more.
        task = asyncio.create_task(self._answer(address, question))
        self._busy.add(task)
        task.add_done_callback(self._done)
        found = await asyncio.shield(task)
        if found.error in ("slow", "large"):
            raise Unthinkable("These rules take too long to work out here.")
        if found.error:
            raise HotDiceError(found.error)
        return found.value

    def _done(self, task: asyncio.Task[JobResult]) -> None:
        self._busy.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.warning("a process that thinks was given up: %s", error)

    async def _answer(self, address: str, question: Job) -> JobResult:
        mind: Mind | None = None
        try:
            while mind is None or not mind.is_alive:
                mind = self._idle.pop() if self._idle else await self._started()
            found = await mind.ask(question)
            most = self._limits.thinking_memory
            if found.error == "large" or (most and found.megabytes > most):
                await mind.end()
            return found
        finally:
            if mind is not None and mind.is_alive:
                self._idle.append(mind)
            self._turns.release(address)

    async def _started(self) -> Mind:
        try:
            return await Mind.start(self._limits)
        except OSError as error:  # no more processes, descriptors or memory
            raise Unthinkable("The machine is too busy to think now; try again.") from error

    async def close(self) -> None:
        """End them all."""
        await end(*self._busy)
        for mind in self._idle:
            await mind.end()
        self._idle.clear()


class Thinker:
    """Thinks for every table of a server process."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._coach, self._bots = Pool(self.limits), Pool(self.limits)
        self._works: dict[tuple[str, str, int], _Work] = {}
        self._solving = Turns(
            1, self.limits.solving, "solving", "Too many games are being solved for your address."
        )

    async def close(self) -> None:
        """Stop thinking."""
        for work in list(self._works.values()):
            await work.stop()
        await self._coach.close()
        await self._bots.close()

    async def advise(self, address: str, game: AnyGame, state: Any) -> Advice:
        """What the coach says."""
        asked = Job("advise", game.slug, game.options.text(), state)
        advice: Advice = await self._coach.ask(address, asked)
        return advice

    async def choose(self, address: str, thought: Thought) -> Choice:
        """What a bot chooses."""
        level, game, state, seed = thought
        asked = Job("choose", game.slug, game.options.text(), state, level, seed)
        choice: Choice = await self._bots.ask(address, asked)
        return choice

    async def is_ready(self, address: str, game: AnyGame, players: int) -> bool:
        """Whether playing to win needs nothing that is not solved yet."""
        asked = Job("ready", game.slug, game.options.text(), players=players)
        found: bool = await self._bots.ask(address, asked)
        return found

    @asynccontextmanager
    async def preparing(
        self, address: str, game: AnyGame, players: int, told: Told
    ) -> AsyncIterator[_Work]:
        """A game being solved, for all who want it; stopped when nobody does."""
        key = (game.slug, game.options.text(), players)
        work = self._works.get(key)
        if work is None:
            work = self._works[key] = _Work(self._solving, self.limits, address, *key)
        work.listeners.append(told)
        try:
            yield work
        finally:
            work.listeners.remove(told)
            if not work.listeners:
                self._works.pop(key, None)
                await work.stop()

    @property
    def problems(self) -> list[str]:
        """What is wrong, a sentence each."""
        if any(work.is_stuck() for work in self._works.values()):
            return ["A solver makes no progress; perfect bots play for points meanwhile."]
        return []

    @property
    def solving(self) -> int:
        """How many solvers run or wait."""
        return len(self._works)


class _Work:
    """A process that solves a game."""

    def __init__(
        self,
        turns: Turns,
        limits: Limits,
        address: str,
        slug: str,
        options: str,
        players: int,
    ) -> None:
        self.listeners: list[Told] = []
        self.started = asyncio.Event()
        self._limits = limits
        self._progress = 0.0
        self.task = asyncio.create_task(self._run(turns, address, slug, options, players))

    async def stop(self) -> None:
        """End it, finished or not."""
        await end(self.task)

    def is_stuck(self) -> bool:
        """Whether it runs and has made no progress for long."""
        now = asyncio.get_running_loop().time()
        return self.started.is_set() and not self.task.done() and now - self._progress > _STUCK

    async def _run(self, turns: Turns, address: str, slug: str, options: str, players: int) -> None:
        try:
            await turns.acquire(address)
        except TooMany:
            self.started.set()  # nobody need wait for it
            raise
        try:
            self._progress = asyncio.get_running_loop().time()
            self.started.set()
            await self._solve(slug, options, players)
        finally:
            turns.release(address)

    async def _solve(self, slug: str, options: str, players: int) -> None:
        limits = self._limits
        words = (slug, options, players, limits.solving_memory, limits.solving_seconds)
        try:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "hotdice.server.preparing", *map(str, words)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                env=_environment(),
            )
        except OSError as error:  # no more processes, descriptors or memory
            raise Unthinkable("The machine is too busy to solve this now.") from error
        try:
            if process.stdout is None:
                raise AssertionError("it was asked for")
            while line := await self._line(process.stdout):
                self._progress = asyncio.get_running_loop().time()
                for listener in list(self.listeners):
                    listener(min(_ALMOST, float(line)))
            if await process.wait():
                raise HotDiceError("These rules take too much to be solved here.")
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
            clear_parts(process.pid)

    @staticmethod
    async def _line(source: asyncio.StreamReader) -> bytes:
        """The next line of a solver; raises ``HotDiceError`` if none comes for too long."""
        try:
            async with asyncio.timeout(2 * _STUCK):
                return await source.readline()
        except TimeoutError:
            raise HotDiceError("A solver made no progress and was stopped.") from None


def _environment() -> dict[str, str]:
    """The same packages for a process of ours, and no threads of its libraries."""
    path = os.pathsep.join(found for found in sys.path if found)
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
