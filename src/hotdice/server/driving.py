"""What happens at tables without a command: bots play, and clocks run out."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial

from hotdice.bots import LEVELS, without_thinking
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.server.devices import PATIENCE, Devices
from hotdice.server.limits import Addresses, TooMany
from hotdice.server.live import Live
from hotdice.server.messages import Problem
from hotdice.server.metrics import Metrics
from hotdice.server.room import Room
from hotdice.server.solving import Solving
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
_THOUGHT = 2.0
"""Seconds that a bot may think in a turn, which pages show in two more; then the fallback plays."""
_CHALLENGE_TRIES = 10
"""How often a bot may think so long about each choice in a challenge."""

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
        self,
        thinker: Thinker,
        metrics: Metrics,
        commit: Commit,
        devices: Devices,
        addresses: Addresses,
    ) -> None:
        self._thinker, self._metrics, self._plain_commit = thinker, metrics, commit
        self._devices, self._addresses = devices, addresses
        self.solving = Solving(thinker, metrics, self._spawn)
        self.room: Room

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        return self.room.spawn(work)

    async def _commit(self, live: Live, work: Work) -> None:
        """Commit a change that nobody commanded; whoever pays for the bots pays for it."""
        entries = await self._plain_commit(live, work)
        self._addresses.of(live.payer).charge_entries(len(entries))

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
        if (left := _time_left(live)) is not None and not live.closed:
            live.alarm = asyncio.get_running_loop().call_later(
                max(at_least, left) + 0.05,
                lambda: self.room.spawn(self._time_out(live)),
            )

    async def _time_out(self, live: Live) -> None:
        """Let a bot sit in for the player whose time is up."""
        try:
            await self._commit(live, partial(_time_out, live))
        except Refused:  # too early, or another process was first
            left = _time_left(live)
            self._set_alarm(live, at_least=_RETRY if left is not None and left <= 0 else 0.0)
        except StorageError as error:
            _log.warning("no bot could sit in: %s", error)
            self._set_alarm(live, at_least=_RETRY)

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
        told = False
        while live.table.bot_due():
            if live.table.only_bots():
                await live.watched.wait()  # with only bots, play only while somebody watches
            try:
                self._addresses.of(live.payer).check_entries()
                played = await self._turn(live)
                await self._commit(live, partial(_if_next, played))
            except Stale:
                continue
            except TooMany as error:
                self._metrics.refuse(error.limit)
                if not told:
                    live.tell(Problem(error=str(error), kind="TooMany"))
                told = True
                await asyncio.sleep(error.after)
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
        if level and LEVELS[level].plans and not await self.solving.solved(live):
            level = LEVELS[level].instead
        if live.table is not table or not level:
            raise Stale("The table has moved on meanwhile.")
        turn = bot_turn(table, live.clock.now())
        until = asyncio.get_running_loop().time() + _THOUGHT
        try:
            thought = next(turn)
            while True:
                choice = await self._thought(live, thought._replace(level=level), until)
                if choice is None:  # its other choices would take as long
                    level = without_thinking(level)
                    choice = thought._replace(level=level).choice()
                thought = turn.send(choice)
        except StopIteration as ended:
            after: Next = ended.value
            return after

    async def _thought(self, live: Live, thought: Thought, until: float) -> Choice | None:
        """The choice of a bot; ``None`` if it takes too long.

        In a challenge it may take longer, as everybody should meet the same bot.
        """
        if not LEVELS[thought.level].thinks:
            return thought.choice()
        tries = _CHALLENGE_TRIES if live.table.setup.challenge else 1
        for tried in range(tries):
            try:
                async with asyncio.timeout(_THOUGHT) if tried else asyncio.timeout_at(until):
                    return await self._thinker.choose(live.payer, thought)
            except (HotDiceError, TimeoutError) as error:
                self._metrics.refuse(getattr(error, "limit", "thinking"))
                if isinstance(error, TooMany) and tried + 1 < tries:
                    await asyncio.sleep(error.after)
        return None


def _time_left(live: Live) -> float | None:
    """Seconds until the clock of whoever has to act has run out; ``None`` if no clock runs."""
    if live.table.deadline() is None or live.table.moved is None:
        return None
    return live.clock.left(live.table.moved, live.table.setup.clock)


def _time_out(live: Live, table: Table, _now: float) -> Next:
    """Let a bot sit in, if this process has measured that the time is over."""
    return TimeOut().on(table, live.clock.judged(table.moved, table.setup.clock))


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
