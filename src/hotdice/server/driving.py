"""What happens at tables without a command: bots play, clocks run out, games are solved."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from hotdice.bots import LEVELS, without_thinking
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.server.devices import PATIENCE, Devices
from hotdice.server.limits import TooMany
from hotdice.server.live import Live
from hotdice.server.messages import Problem, Working
from hotdice.server.metrics import Metrics
from hotdice.server.room import Room
from hotdice.server.thinking import Thinker
from hotdice.storage import StorageError
from hotdice.table.bots import Thought, bot_turn
from hotdice.table.commands import TimeOut
from hotdice.table.dice_commands import Begin
from hotdice.table.entries import Entry
from hotdice.table.log import Next, Refused, Stale, Table

_STALLED = 5.0
"""Seconds without a change after which this process plays for the bots of another process."""
_AUDIENCE = 2.0
"""Seconds that the bots of a new table wait for the first client."""
_RETRY = 2.0
"""Seconds before a retry."""
_PACE = 3.0
"""Seconds between turns while only bots play, so that a person can come back."""
_QUEUE = 2.0
"""Seconds that a bot waits for its solver to start; then it plays for points."""
_THOUGHT = 4.0
"""Seconds that a bot may think; then the fallback plays for the rest of the turn."""
_CHALLENGE_TRIES = 5
"""How often a bot may think so long in a challenge."""
_MOST_GIVEN_UP = 1000

Work = Callable[[Table, float], Next]
"""Computes a change of a table, given the current time."""
Commit = Callable[[Live, Work], Awaitable[list[Entry]]]
"""Commits a change and tells all clients."""
Delay = Callable[[Live], Awaitable[None]]
"""Waits until the bots of a table may start."""

_log = logging.getLogger(__name__)


class Driver:
    """Runs the bots and clocks of the tables of a process."""

    def __init__(
        self, thinker: Thinker, metrics: Metrics, commit: Commit, devices: Devices
    ) -> None:
        self._thinker, self._metrics, self._commit = thinker, metrics, commit
        self._devices = devices
        self._given_up: dict[tuple[str, str, int], None] = {}
        self.room: Room

    def resume(self, live: Live, after: Delay | None = None) -> None:
        """Start the bots that have to play, at once or after a delay, and set the alarm."""
        if live.closed:
            return
        self._set_alarm(live)
        self.expect_devices(live)
        if live.driver is not None and live.driver_waits and after is None:
            live.driver.cancel()
            live.driver = None
        if live.table.bot_due() and (live.driver is None or live.driver.done()):
            live.driver_waits = after is not None
            live.driver = self.room.spawn(self._drive(live, after))

    # Clocks -----------------------------------------------------------------------------------

    def _set_alarm(self, live: Live, at_least: float = 0.0) -> None:
        """Set the timer for the player on the clock, if there is one."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        if (deadline := live.table.deadline()) is not None and not live.closed:
            live.alarm = asyncio.get_running_loop().call_later(
                max(at_least, live.clock.grace(), deadline - live.clock.now()) + 0.05,
                lambda: self.room.spawn(self._time_out(live)),
            )

    async def _time_out(self, live: Live) -> None:
        """Let a bot sit in for the player whose time is up."""
        try:
            await self._commit(live, TimeOut().on)
        except Refused:  # too early, or another process was first
            self._set_alarm(live, at_least=_RETRY if self._is_late(live) else 0.0)
        except StorageError as error:
            _log.warning("no bot could sit in: %s", error)
            self._set_alarm(live, at_least=_RETRY)

    @staticmethod
    def _is_late(live: Live) -> bool:
        deadline = live.table.deadline()
        return deadline is not None and deadline <= live.clock.now()

    # Verified dice ----------------------------------------------------------------------------

    def expect_devices(self, live: Live) -> None:
        """Roll verified dice after a while, or at once if all devices that are left have answered.

        After a restart, devices get the same time to connect again.
        """
        if live.dice_alarm is not None:
            live.dice_alarm.cancel()
            live.dice_alarm = None
        table = live.table
        if table.drawing is None:
            return
        loop = asyncio.get_running_loop()
        if not (table.lacks_devices() and live.watchers):
            live.lacking = None
        if table.drawing.ask is not None:
            left = max(table.drawing.ask.at, live.since) + PATIENCE - live.clock.now()
            left = min(left, PATIENCE)  # clocks of processes may differ
            wait = 0.0 if self._devices.have_answered(live) else max(0.0, left)
            live.dice_alarm = loop.call_later(wait, self._draw_soon, live, table.drawing.ask.number)
        elif table.lacks_devices() and live.watchers:
            # Visitors who come, go or chat do not prolong the wait.
            live.lacking = loop.time() if live.lacking is None else live.lacking
            live.dice_alarm = loop.call_at(live.lacking + PATIENCE, self._begin_soon, live)

    def _draw_soon(self, live: Live, number: int) -> None:
        drawing = live.table.drawing
        if drawing is not None and drawing.ask is not None and drawing.ask.number == number:
            self._devices.give_up(live)
            self.room.spawn(self._try(live, _nothing))

    def _begin_soon(self, live: Live) -> None:
        self.room.spawn(self._try(live, Begin().on))

    async def _try(self, live: Live, work: Work) -> None:
        """Commit a change that the table is due for; another process may be first."""
        try:
            await self._commit(live, work)
        except Refused:
            pass
        except StorageError as error:
            _log.warning("verified dice could not be rolled: %s", error)
            await asyncio.sleep(_RETRY)
            self.expect_devices(live)

    # Bots -------------------------------------------------------------------------------------

    async def _drive(self, live: Live, after: Delay | None) -> None:
        """Play for the bots until a person has to act."""
        if after is not None:
            await after(live)
            live.driver_waits = False
        while live.table.bot_due():
            if live.table.only_bots():
                await live.watched.wait()  # with only bots, play only while somebody watches
            try:
                played = await self._turn(live)
                await self._commit(live, partial(_if_next, played))
            except Stale:
                continue
            except StorageError as error:
                _log.warning("a bot could not play: %s", error)
                await asyncio.sleep(_RETRY)
                continue
            except Refused as refused:  # the log is full
                live.tell(Problem(error=str(refused), kind=type(refused).__name__))
                return
            except Exception:  # noqa: BLE001 - the bot has to try again
                _log.exception("a bot could not play")
                await asyncio.sleep(_RETRY)
                continue
            if live.table.only_bots():
                changed = live.change()
                await asyncio.wait({changed}, timeout=_PACE)
                changed.cancel()

    async def _turn(self, live: Live) -> Next:
        """Compute the turn of a bot; raises ``Stale`` if the table has changed meanwhile."""
        table = live.table
        level = table.bot_due()
        if level and LEVELS[level].plans and not await self._solved(live):
            level = LEVELS[level].instead
        if live.table is not table or not level:
            raise Stale("The table has moved on meanwhile.")
        turn = bot_turn(table, live.clock.now())
        try:
            thought = next(turn)
            while True:
                choice = await self._thought(live, thought._replace(level=level))
                if choice is None:  # its other choices would take as long
                    level = without_thinking(level)
                    choice = thought._replace(level=level).choice()
                thought = turn.send(choice)
        except StopIteration as ended:
            after: Next = ended.value
            return after

    async def _thought(self, live: Live, thought: Thought) -> Choice | None:
        """The choice of a bot; ``None`` if it takes too long.

        In a challenge it is tried again, as everybody should meet the same bot.
        """
        if not LEVELS[thought.level].thinks:
            return thought.choice()
        for _ in range(_CHALLENGE_TRIES if live.table.setup.challenge else 1):
            try:
                async with asyncio.timeout(_THOUGHT):
                    return await self._thinker.choose(live.payer, thought)
            except (HotDiceError, TimeoutError) as error:
                self._metrics.refused.labels(getattr(error, "limit", "thinking")).inc()
        return None

    async def _solved(self, live: Live) -> bool:
        """Whether the game is solved, or could be solved while the bot waits."""
        seq, game, players = live.table.seq, live.table.game, len(live.table.seats)
        key = game.slug, game.options.text(), players
        if key in self._given_up:
            return False
        try:
            if await self._thinker.is_ready(live.payer, game, players):
                return True
        except HotDiceError:
            return False
        await live.watched.wait()  # solve nothing while nobody watches
        report = partial(_report_part, live, "The perfect bot is solving the game")
        changed = live.change()
        report(0.0)
        try:
            async with self._thinker.preparing(live.payer, game, players, report) as solver:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_QUEUE):
                        await solver.started.wait()
                if solver.started.is_set() and live.table.seq == seq:
                    await asyncio.wait({solver.task, changed}, return_when=asyncio.FIRST_COMPLETED)
                if not solver.started.is_set():
                    self.solve_in_background(live)  # it keeps its place in the queue
                if not solver.task.done():
                    return False
                solver.task.result()
        except TooMany:
            return False
        except HotDiceError as error:
            self._given_up[key] = None
            if len(self._given_up) > _MOST_GIVEN_UP:
                del self._given_up[next(iter(self._given_up))]
            live.tell(Problem(error=f"{error} It plays for points.", kind="Unsolved"))
            return False
        finally:
            changed.cancel()
            report(1.0)
        return True

    # Solving in the background ----------------------------------------------------------------

    def solve_in_background(self, live: Live) -> None:
        """Solve the game in the background, for the coach or a bot, while a client is here."""
        if live.watchers and (live.solving is None or live.solving.done()):
            live.solving = self.room.spawn(self._solve_in_background(live))

    async def _solve_in_background(self, live: Live) -> None:
        game, players = live.table.game, len(live.table.seats)
        with contextlib.suppress(HotDiceError):
            if await self._thinker.is_ready(live.payer, game, players):
                return
            report = partial(_report_part, live, "The coach is computing the chances to win")
            report(0.0)
            async with self._thinker.preparing(live.payer, game, players, report) as solver:
                while not solver.task.done() and live.watchers:
                    await asyncio.wait({solver.task}, timeout=10)
            report(1.0)


async def first_client(live: Live) -> None:
    """Wait for the first client of a table, with a timeout."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_AUDIENCE):
            await live.watched.wait()


async def stalled(live: Live) -> None:
    """Wait until a table has not changed for a while: no other process plays for its bots."""
    seq = -1
    while live.table.seq != seq:
        seq = live.table.seq
        await asyncio.sleep(_STALLED)


def _nothing(table: Table, _now: float) -> Next:
    """No change by itself; what it waits for no longer follows."""
    return Next([], table)


def _if_next(after: Next, table: Table, now: float) -> Next:
    """A change computed earlier, with the current time; raises ``Stale`` if it does not fit."""
    if after.entries and after.entries[0].seq != table.seq + 1:
        raise Stale("The table has moved on meanwhile.")
    entries = [entry._replace(at=now) for entry in after.entries]
    for entry in entries:
        table = table.add(entry)
    return Next(entries, table)


def _report_part(live: Live, what: str, part: float) -> None:
    live.tell(Working(what=what, part=part))
