"""Positions to learn from, found in worker processes, a few of every game ahead of time.

A position has a name: what it is judged by and a number, such as ``win-17``, or a date. The same
name is the same position on every server. Until a game is solved, new positions are judged by
points; a position judged by chances to win has to wait, so that it is the same everywhere.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from datetime import date
from typing import Generic, NamedTuple, TypeVar

from hotdice.analysis.training import usual_players
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import load_game
from hotdice.server.lessons import LessonFound, LessonJob, WagerFound, WagerJob
from hotdice.server.limits import TooMany
from hotdice.server.thinking import Thinker, TooMuchWork
from hotdice.storage.listening import end

_NUMBERED = re.compile(r"(win|points)-([1-9]\d{0,5})", re.ASCII)
_DATED = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_HIGHEST = 999_999
_AHEAD = 2
"""Positions of each game that are found ahead of time."""
_KEPT = 200
"""Positions and rolls that are kept for whoever asks for them next."""
_OWN = "the tutor"
"""The address in whose name positions are found ahead of time."""
T = TypeVar("T")


class Unnamed(HotDiceError):
    """No position has this name."""


class StillSolving(HotDiceError):
    """The game has to be solved first; ``part`` of that is done."""

    def __init__(self, part: float) -> None:
        super().__init__("The chances to win are still being computed; try again in a minute.")
        self.part = part


class Named(NamedTuple):
    """A position by what it is judged by, and its seed; ``daily`` says whether that is a day."""

    objective: str
    seed: str
    daily: bool


class Ready(NamedTuple):
    """A position with its name."""

    name: str
    found: LessonFound


def read_name(name: str, today: date) -> Named:
    """What a name means; raises ``Unnamed``, also for days to come."""
    if match := _NUMBERED.fullmatch(name):
        return Named(match[1], match[2], daily=False)
    if _DATED.fullmatch(name):
        try:
            day = date.fromisoformat(name)
        except ValueError:
            day = date.max
        if day <= today:
            return Named("", name, daily=True)
        raise Unnamed("There is a position for every day until today.")
    raise Unnamed("There is no such position; its name is like win-17, or a date.")


class Recent(Generic[T]):
    """The values asked for last."""

    def __init__(self) -> None:
        self._values: OrderedDict[tuple[str, str], T] = OrderedDict()

    async def obtain(self, key: tuple[str, str], find: Callable[[], Awaitable[T]]) -> T:
        """The value of a key, found if it is not known."""
        found = self._values.get(key)
        if found is None:
            found = await find()
            self.keep(key, found)
        else:
            self._values.move_to_end(key)
        return found

    def keep(self, key: tuple[str, str], value: T) -> None:
        """Keep a value, and drop the oldest of too many."""
        self._values[key] = value
        while len(self._values) > _KEPT:
            self._values.popitem(last=False)


class _Solving:
    """A game that is being solved for learners: the task, and the part that is done."""

    def __init__(self, thinker: Thinker, address: str, slug: str) -> None:
        self.part = 0.0
        self.task = asyncio.create_task(self._run(thinker, address, slug))

    async def _run(self, thinker: Thinker, address: str, slug: str) -> None:
        game = load_game(slug)
        players = usual_players(game)
        async with thinker.preparing(address, game, players, self._progress) as solver:
            await asyncio.wait({solver.task})
            solver.task.result()

    def _progress(self, part: float) -> None:
        self.part = part


class Tutor:
    """Finds positions and rolls for all who learn at a server process."""

    def __init__(self, thinker: Thinker, refuse: Callable[[str], None]) -> None:
        """``refuse`` counts that a limit was reached."""
        self._thinker, self._refuse = thinker, refuse
        self._lessons: Recent[LessonFound] = Recent()
        self._wagers: Recent[WagerFound] = Recent()
        self._solved: set[str] = set()
        self._solving: dict[str, _Solving] = {}
        self._ahead: dict[tuple[str, bool], deque[Ready]] = {}
        self._filling: dict[str, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Stop everything that goes on in the background."""
        solving = [one.task for one in self._solving.values()]
        await end(*self._filling.values(), *solving)

    async def lesson(self, address: str, slug: str, named: Named) -> LessonFound:
        """A position by its name; raises ``StillSolving``."""
        if named.objective != "points" and not await self._is_solved(address, slug):
            raise StillSolving(self._solve(address, slug))
        key = slug, f"{named.objective}-{named.seed}"
        job = LessonJob(slug, named.seed, named.objective)
        return await self._lessons.obtain(key, lambda: self._thinker.learn(address, job))

    async def fresh(self, address: str, slug: str) -> Ready:
        """Any position of a game; raises ``HotDiceError`` if there is none.

        Raises ``StillSolving`` if only a solution tells what choices are worth.
        """
        solved = await self._is_solved(address, slug)
        part = 1.0 if solved else self._solve(address, slug)
        waiting = self._ahead.setdefault((slug, solved), deque())
        try:
            found = waiting.popleft() if waiting else await self._find(address, slug, solved=solved)
        except (TooMany, TooMuchWork):
            raise
        except HotDiceError as error:
            if solved:
                raise
            raise StillSolving(part) from error
        if slug not in self._filling:
            self._filling[slug] = asyncio.create_task(self._fill(slug, waiting, solved=solved))
        return found

    async def wager(self, address: str, slug: str, name: str) -> WagerFound:
        """A roll by its name; raises ``HotDiceError`` if the game has none."""
        job = WagerJob(slug, name)
        return await self._wagers.obtain((slug, name), lambda: self._thinker.learn(address, job))

    async def _find(self, address: str, slug: str, *, solved: bool) -> Ready:
        seed = str(1 + secrets.randbelow(_HIGHEST))
        job = LessonJob(slug, seed, "" if solved else "points")
        found = await self._thinker.learn(address, job)
        name = f"{found.advice.objective}-{seed}"
        self._lessons.keep((slug, name), found)
        return Ready(name, found)

    async def _fill(self, slug: str, waiting: deque[Ready], *, solved: bool) -> None:
        try:
            while len(waiting) < _AHEAD:
                waiting.append(await self._find(_OWN, slug, solved=solved))
        except HotDiceError:
            pass  # whoever asks next is told
        finally:
            del self._filling[slug]

    async def _is_solved(self, address: str, slug: str) -> bool:
        """Whether a game is solved as far as it can be."""
        if slug not in self._solved:
            game = load_game(slug)
            if await self._thinker.is_ready(address, game, usual_players(game), page=True):
                self._solved.add(slug)
        return slug in self._solved

    def _solve(self, address: str, slug: str) -> float:
        """Solve a game in the background; returns the part that is done."""
        solving = self._solving.get(slug)
        if solving is None:
            solving = self._solving[slug] = _Solving(self._thinker, address, slug)
            solving.task.add_done_callback(lambda task: self._ended(slug, task))
        return solving.part

    def _ended(self, slug: str, task: asyncio.Task[None]) -> None:
        del self._solving[slug]
        error = None if task.cancelled() else task.exception()
        if isinstance(error, TooMany):
            self._refuse(error.limit)
        elif isinstance(error, HotDiceError) and not isinstance(error, TooMuchWork):
            self._solved.add(slug)  # as far as it can be on this server
