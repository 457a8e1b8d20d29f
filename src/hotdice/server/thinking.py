"""Expensive work in processes of its own, so that it does not block the event loop.

Coach, bots, pages, analyses and solvers have a queue and a process each, so that none waits for
another. Each process has limits on time and memory. Queues are fair between addresses, so that one
address cannot hold up the others.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import pickle
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

from hotdice.analysis.careers import Entered
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.server.fair_queue import FairQueue
from hotdice.server.jobs import (
    LENGTH,
    AdviseJob,
    AnalyseJob,
    CareersJob,
    ChooseJob,
    Done,
    Failed,
    Job,
    Position,
    PositionJob,
    ReadJob,
    ReadyJob,
    RecordGame,
)
from hotdice.server.limits import Limits, TooMany
from hotdice.server.preparing import UNKEPT
from hotdice.solve.coach import Advice
from hotdice.solve.solutions import Progress, clear_parts
from hotdice.storage.listening import end
from hotdice.table.bots import Thought

T = TypeVar("T")

_ALMOST = 0.99
"""The most that a solver reports: the solution still has to be saved."""
_PATIENCE = 4
"""Seconds of wall-clock time for each second of computing, after which a worker is killed."""
_LEAST_PATIENCE = 10
"""Seconds of wall-clock time for a job on a busy machine, however little it may compute."""
_IDLE = 600.0
"""Seconds without work after which a worker is ended, to free its memory."""
_STUCK = 60.0
"""Seconds without progress after which a solver counts as stuck."""
_AGAIN = 600.0
"""Seconds before a game is solved again after a failure that may pass."""
_MOST_GIVEN_UP = 1000
_MEANWHILE = "perfect bots play for points meanwhile."
_SIGXCPU = 24
"""The signal that ends a solver that has computed for too long."""
_log = logging.getLogger(__name__)


class TooMuchWork(HotDiceError):
    """The coach or a bot cannot answer within its limits."""


class Passing(TooMuchWork):
    """A solver has failed for a reason that may pass."""


class Unkept(Passing):
    """A solution could not be saved."""


Key = tuple[str, str, int]
"""What is solved: a game, its options as text, and the number of players."""


class Worker:
    """A worker process, with so many seconds of computing for each of its jobs."""

    def __init__(self, process: asyncio.subprocess.Process, seconds: int) -> None:
        self._process = process
        self._timeout: float | None = max(_LEAST_PATIENCE, _PATIENCE * seconds) if seconds else None

    @classmethod
    async def start(cls, memory: int, seconds: int) -> Worker:
        """Start a process with limits; 0 is no limit."""
        words = (str(memory), str(seconds))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "hotdice.server.worker", *words),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=_environment(),
        )
        return cls(process, seconds)

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process.returncode is None

    async def run(self, job: Job[T]) -> Done[T] | Failed:
        """Run a job; raises ``TooMuchWork`` if the process ends or takes too long."""
        sink, source = self._process.stdin, self._process.stdout
        if sink is None or source is None:
            raise AssertionError("started with pipes")
        packed = pickle.dumps(job)
        try:
            async with asyncio.timeout(self._timeout):
                sink.write(LENGTH.pack(len(packed)) + packed)
                await sink.drain()
                size = LENGTH.unpack(await source.readexactly(LENGTH.size))[0]
                found: Done[T] | Failed = pickle.loads(await source.readexactly(size))  # noqa: S301 - from our child
        except (TimeoutError, OSError, EOFError) as error:
            await self.end()
            raise TooMuchWork("That takes too long to work out here.") from error
        return found

    async def end(self) -> None:
        """Kill the process."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class Pool:
    """A few worker processes with a queue; started when needed, ended when idle for long.

    Args:
        limits: the limits of the server.
        seconds: seconds of computing for one job; 0 is no limit.
        at_once: how many jobs run at the same time.
    """

    def __init__(self, limits: Limits, seconds: int, at_once: int = 1) -> None:
        self._limits = limits
        self._seconds = seconds
        self._queue = FairQueue(
            at_once,
            limits.questions,
            "questions",
            "Too many questions from your address at once; wait for the answers.",
        )
        self._idle: list[Worker] = []
        self._resting: asyncio.TimerHandle | None = None
        self._busy: set[asyncio.Task[object]] = set()

    async def run(self, address: str, job: Job[T]) -> T:
        """Queue and run a job.

        Raises:
            TooMany: the address has too many jobs.
            TooMuchWork: the job takes too much time or memory.
            HotDiceError: the job failed.
        """
        await self._queue.acquire(address)
        # Shielded: a cancelled caller must not leave an unread result in the pipe.
        task = asyncio.create_task(self._run(address, job))
        self._busy.add(task)
        task.add_done_callback(self._done)
        found = await asyncio.shield(task)
        if not isinstance(found, Failed):
            return found.value
        if found.error in ("slow", "large"):
            raise TooMuchWork("These rules take too long to work out here.")
        raise HotDiceError(found.error)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._busy.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.warning("a worker process was given up: %s", error)

    async def _run(self, address: str, job: Job[T]) -> Done[T] | Failed:
        worker: Worker | None = None
        try:
            while worker is None or not worker.is_alive:
                worker = self._idle.pop() if self._idle else await self._started()
            found = await worker.run(job)
            most = self._limits.thinking_memory
            ran_out = isinstance(found, Failed) and found.error == "large"
            if ran_out or (most and found.megabytes > most):
                await worker.end()
            return found
        finally:
            if worker is not None and worker.is_alive:
                self._rest(worker)
            self._queue.release(address)

    def _rest(self, worker: Worker) -> None:
        """Keep a worker for the next job, until there has been none for long."""
        self._idle.append(worker)
        if self._resting is not None:
            self._resting.cancel()
        self._resting = asyncio.get_running_loop().call_later(_IDLE, self._end_idle)

    def _end_idle(self) -> None:
        idle, self._idle = self._idle, []
        for worker in idle:
            task: asyncio.Task[object] = asyncio.create_task(worker.end())
            self._busy.add(task)
            task.add_done_callback(self._done)

    async def _started(self) -> Worker:
        try:
            return await Worker.start(self._limits.thinking_memory, self._seconds)
        except OSError as error:  # no more processes, descriptors or memory
            raise TooMuchWork("The server is too busy to think now; try again.") from error

    async def close(self) -> None:
        """End all processes."""
        await end(*self._busy)
        if self._resting is not None:
            self._resting.cancel()
        for worker in self._idle:
            await worker.end()
        self._idle.clear()


class Thinker:
    """Does the expensive work of a server process.

    A kind of work that can take long has a pool of its own: *coach* is asked about positions, at
    tables and elsewhere; *bots* choose; *pages* are what somebody waits for with an empty page,
    none of which is long; *analysts* are for whole games.
    """

    def __init__(
        self, limits: Limits | None = None, steady: Callable[[], float] = time.monotonic
    ) -> None:
        """``steady`` are monotonic seconds."""
        self.limits, self._steady = limits or Limits(), steady
        seconds = self.limits.thinking_seconds
        self._coach, self._bots = Pool(self.limits, seconds), Pool(self.limits, seconds)
        self._pages = Pool(self.limits, self.limits.page_seconds)
        self._analysts = Pool(self.limits, self.limits.analysing_seconds)
        self._solvers: dict[Key, Solver] = {}
        self._given_up: OrderedDict[Key, tuple[float, HotDiceError]] = OrderedDict()
        self._queue = FairQueue(
            1, self.limits.solving, "solving", "Too many games are being solved for your address."
        )

    async def close(self) -> None:
        """End all processes."""
        for solver in list(self._solvers.values()):
            await solver.stop()
        for pool in (self._coach, self._bots, self._pages, self._analysts):
            await pool.close()

    async def advise(self, address: str, game: AnyGame, state: object) -> Advice:
        """The coach's advice."""
        return await self._coach.run(address, AdviseJob(game.slug, game.options.text(), state))

    async def choose(self, address: str, thought: Thought) -> Choice:
        """The choice of a bot."""
        level, game, state, seed = thought
        job = ChooseJob(game.slug, game.options.text(), state, level, seed)
        return await self._bots.run(address, job)

    async def read_record(self, address: str, text: str) -> RecordGame:
        """Whose record a text is; raises ``HotDiceError`` if it is none."""
        return await self._pages.run(address, ReadJob(text))

    async def analyse(self, address: str, text: str, objective: str) -> dict[str, object]:
        """The analysis of a record, with what is solved by now."""
        return await self._analysts.run(address, AnalyseJob(text, objective))

    async def careers(self, address: str, games: tuple[Entered, ...]) -> list[dict[str, object]]:
        """The careers in finished games."""
        return await self._pages.run(address, CareersJob(games))

    async def position(
        self, address: str, slug: str, options: str, text: str, objective: str
    ) -> Position:
        """A position from its text, with the coach's ranking."""
        return await self._coach.run(address, PositionJob(slug, options, text, objective))

    async def learn(self, address: str, job: Job[T]) -> T:
        """Something to learn from."""
        return await self._pages.run(address, job)

    async def is_ready(
        self, address: str, game: AnyGame, players: int, *, page: bool = False
    ) -> bool:
        """Whether everything that playing to win needs is solved, for a bot or for a page."""
        pool = self._pages if page else self._bots
        return await pool.run(address, ReadyJob(game.slug, game.options.text(), players))

    @asynccontextmanager
    async def preparing(
        self, address: str, game: AnyGame, players: int, progress: Progress
    ) -> AsyncIterator[Solver]:
        """The solver of a game, shared by all who wait for it; stopped when nobody does.

        Raises why the game could not be solved before: at once, and for a while if that may pass.
        """
        key = (game.slug, game.options.text(), players)
        until, error = self._given_up.get(key, (0.0, None))
        if error is not None and self._steady() < until:
            raise type(error)(str(error))
        solver = self._solvers.get(key)
        if solver is None:
            solver = Solver(self._queue, self.limits, self._steady, address, *key)
            solver.task.add_done_callback(partial(self._solved, key))
            self._solvers[key] = solver
        solver.listeners.append(progress)
        try:
            yield solver
        finally:
            solver.listeners.remove(progress)
            if not solver.listeners:
                self._solvers.pop(key, None)
                await solver.stop()

    def _solved(self, key: Key, task: asyncio.Task[None]) -> None:
        """Note whether a game can be solved."""
        error = None if task.cancelled() else task.exception()
        self._given_up.pop(key, None)
        if isinstance(error, HotDiceError) and not isinstance(error, TooMany):
            _log.info("a game could not be solved: %s", error)
            again = self._steady() + _AGAIN if isinstance(error, Passing) else math.inf
            self._given_up[key] = again, error
            if len(self._given_up) > _MOST_GIVEN_UP:
                self._given_up.popitem(last=False)

    @property
    def problems(self) -> list[str]:
        """The problems of solvers, one sentence each."""
        found, now = [], self._steady()
        if any(solver.is_stuck() for solver in self._solvers.values()):
            found.append(f"A solver makes no progress; {_MEANWHILE}")
        failures = self._given_up.values()
        if any(now < until for until, error in failures if isinstance(error, Unkept)):
            found.append(
                f"Solved games cannot be saved, as their folder is full or read-only; {_MEANWHILE}"
            )
        return found

    @property
    def solving(self) -> int:
        """How many solvers run or wait."""
        return len(self._solvers)


class Solver:
    """A process that solves a game, queued or running."""

    def __init__(
        self,
        queue: FairQueue,
        limits: Limits,
        steady: Callable[[], float],
        address: str,
        slug: str,
        options: str,
        players: int,
    ) -> None:
        self.listeners: list[Progress] = []
        self.started = asyncio.Event()
        self._limits, self._steady = limits, steady
        self._progress_at = 0.0
        self.task = asyncio.create_task(self._run(queue, address, slug, options, players))

    async def stop(self) -> None:
        """Stop it, finished or not."""
        await end(self.task)

    def is_stuck(self) -> bool:
        """Whether it is running and has made no progress for long."""
        idle = self._steady() - self._progress_at
        return self.started.is_set() and not self.task.done() and idle > _STUCK

    async def _run(
        self, queue: FairQueue, address: str, slug: str, options: str, players: int
    ) -> None:
        try:
            await queue.acquire(address)
        except TooMany:
            self.started.set()  # it will not start: nobody should wait
            raise
        try:
            self._progress_at = self._steady()
            self.started.set()
            await self._solve(slug, options, players)
        finally:
            queue.release(address)

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
            raise Passing("The server is too busy to solve this now.") from error
        try:
            if process.stdout is None:
                raise AssertionError("started with pipes")
            while line := await self._line(process.stdout):
                self._progress_at = self._steady()
                for listener in list(self.listeners):
                    listener(min(_ALMOST, float(line)))
            _check_end(await process.wait())
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
            raise Passing("A solver made no progress and was stopped.") from None


def _check_end(code: int) -> None:
    """Raise ``HotDiceError`` if a solver ended with a code that says that it failed."""
    if code == UNKEPT:
        raise Unkept("The solution cannot be saved: the folder is full or read-only.")
    if code < 0 and code != -_SIGXCPU:
        raise Passing("A solver was stopped before it was done.")
    if code:
        raise HotDiceError("These rules take too much to be solved here.")


def _environment() -> dict[str, str]:
    """The environment of our processes: the same packages, and single-threaded libraries."""
    path = os.pathsep.join(found for found in sys.path if found)
    return {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
