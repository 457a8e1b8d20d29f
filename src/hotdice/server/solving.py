"""Games are solved for the bots and the coaches of tables, while somebody watches."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from functools import partial
from weakref import WeakSet

from hotdice.core.errors import HotDiceError
from hotdice.server.limits import TooMany
from hotdice.server.live import Live
from hotdice.server.messages import Problem, Working
from hotdice.server.metrics import Metrics
from hotdice.server.thinking import Solver, Thinker
from hotdice.table.log import Stale

_QUEUE = 2.0
"""Seconds that a bot waits for its solver to start; then it plays for points."""
_RELOADING = 10.0
"""Seconds without a client after which solving for a table is given up."""
_BOT = "The perfect bot plays for points meanwhile."
_COACH = "The coach counts points meanwhile."

Spawn = Callable[[Coroutine[object, object, None]], asyncio.Task[None]]
"""Starts a background task."""


class Solving:
    """Solves the games of the tables of a process."""

    def __init__(self, thinker: Thinker, metrics: Metrics, spawn: Spawn) -> None:
        self._thinker, self._metrics, self._spawn = thinker, metrics, spawn
        self._told: WeakSet[Live] = WeakSet()

    async def solved(self, live: Live) -> bool:
        """Whether the game is solved, or could be solved while the bot waits.

        Raises ``Stale`` if everybody has left meanwhile: the bot begins anew with the next client.
        """
        seq, game, players = live.table.seq, live.table.game, len(live.table.seats)
        try:
            if await self._thinker.is_ready(live.payer, game, players):
                self._told.discard(live)
                return True
        except HotDiceError as error:
            self._excuse(live, error, _BOT)
            return False
        await live.watched.wait()  # solve nothing while nobody watches
        report = partial(_report_part, live, "The perfect bot is solving the game")
        try:
            async with self._thinker.preparing(live.payer, game, players, report) as solver:
                report(0.0)
                try:
                    await self._wait(live, seq, solver)
                finally:
                    report(1.0)
                if not solver.started.is_set():
                    self.in_background(live)  # it keeps its place in the queue
                if not solver.task.done():
                    return False
                solver.task.result()
        except Stale:
            raise
        except HotDiceError as error:
            self._excuse(live, error, _BOT)
            return False
        return True

    async def _wait(self, live: Live, seq: int, solver: Solver) -> None:
        """Wait for a solver while the table is at an entry; raises ``Stale`` if all have left."""
        changed, left = live.change(), asyncio.create_task(deserted(live))
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_QUEUE):
                    await solver.started.wait()
            if solver.started.is_set() and live.table.seq == seq:
                waited = {solver.task, changed, left}
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if left.done() and not solver.task.done():
                raise Stale("Nobody watches any more.")
        finally:
            changed.cancel()
            left.cancel()

    def in_background(self, live: Live) -> None:
        """Solve the game in the background, for the coach or a bot, while a client is here."""
        if live.watchers and (live.solving is None or live.solving.done()):
            live.solving = self._spawn(self._in_background(live))

    async def _in_background(self, live: Live) -> None:
        game, players = live.table.game, len(live.table.seats)
        report = partial(_report_part, live, "The coach is computing the chances to win")
        left = asyncio.create_task(deserted(live))
        try:
            if await self._thinker.is_ready(live.payer, game, players):
                return
            async with self._thinker.preparing(live.payer, game, players, report) as solver:
                report(0.0)
                try:
                    await asyncio.wait({solver.task, left}, return_when=asyncio.FIRST_COMPLETED)
                    if solver.task.done():
                        solver.task.result()
                finally:
                    report(1.0)
        except TooMany as error:
            self._excuse(live, error, _COACH)
        except HotDiceError:
            pass  # the coach says what it counts
        finally:
            left.cancel()

    def _excuse(self, live: Live, error: HotDiceError, instead: str) -> None:
        """Tell the clients of a table once why it is not solved, and count a limit."""
        if isinstance(error, TooMany):
            self._metrics.refuse(error.limit)
        if live not in self._told:
            self._told.add(live)
            live.tell(Problem(error=f"{error} {instead}", kind="Unsolved"))


async def deserted(live: Live) -> None:
    """Wait until a table has had no client for a while: somebody who reloads is back soon."""
    while True:
        await live.unwatched.wait()
        try:
            async with asyncio.timeout(_RELOADING):
                await live.watched.wait()
        except TimeoutError:
            return


def _report_part(live: Live, what: str, part: float) -> None:
    live.tell(Working(what=what, part=part))
