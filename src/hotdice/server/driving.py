"""What happens at tables of itself: bots play, clocks run out, the coach's wishes are solved."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from hotdice.bots import LEVELS
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.server.limits import TooMany
from hotdice.server.live import Live
from hotdice.server.messages import Problem, Working
from hotdice.server.metrics import Metrics
from hotdice.server.room import Room
from hotdice.server.thinking import Thinker
from hotdice.storage import StorageError
from hotdice.table.log import Entry, Next, Refused, Stale, Table
from hotdice.table.sitting import Thought

_STALLED = 5.0
"""Seconds after which a process plays on for a bot that another process was to play for."""
_AUDIENCE = 2.0
"""Seconds that the bots of a new table wait for somebody to look at what they do."""
_AGAIN = 2.0
"""Seconds after which something is tried again that was refused."""
_PACE = 3.0
"""Seconds between the turns of bots where no person plays: somebody may want to come back."""
_QUEUE = 2.0
"""Seconds that a bot waits for a solver to begin; then it plays for points."""
_THOUGHT = 4.0
"""Seconds that a bot thinks, on a machine however busy; then it plays at a pinch."""
_MOST_GIVEN_UP = 1000
_INSTEAD = "sharp"
"""The level that plays for one whose game is not solved."""
_AT_A_PINCH = "greedy"
"""The level that plays for one that cannot think within its bounds; it needs no thought."""

Work = Callable[[Table, float], Next]
"""What a command does: what it leads to on a table, at a time."""
Commit = Callable[[Live, Work], Awaitable[list[Entry]]]
"""Carries a command out."""
Delay = Callable[[Live], Awaitable[None]]
"""What the bots of a table wait for."""

_log = logging.getLogger(__name__)


class Driver:
    """Drives the bots and clocks of a process's tables."""

    def __init__(self, thinker: Thinker, metrics: Metrics, commit: Commit) -> None:
        self._thinker, self._metrics, self._commit = thinker, metrics, commit
        self._given_up: dict[tuple[str, str, int], None] = {}
        self.room: Room

    def go_on(self, live: Live, after: Delay | None = None) -> None:
        """See to it that bots play, at once or after something, and that clocks run out."""
        self._set_alarm(live)
        if live.driver is not None and live.driver_waits and after is None:
            live.driver.cancel()
            live.driver = None
        if live.table.bot_due() and (live.driver is None or live.driver.done()):
            live.driver_waits = after is not None
            live.driver = self.room.spawn(self._drive(live, after))

    # Clocks -----------------------------------------------------------------------------------

    def _set_alarm(self, live: Live, at_least: float = 0.0) -> None:
        """Ring when the clock of whoever has to act runs out, if there is one."""
        if live.alarm is not None:
            live.alarm.cancel()
            live.alarm = None
        if (deadline := live.table.deadline()) is not None:
            live.alarm = asyncio.get_running_loop().call_later(
                max(at_least, live.clock.grace(), deadline - live.clock.now()) + 0.05,
                lambda: self.room.spawn(self._time_out(live)),
            )

    async def _time_out(self, live: Live) -> None:
        """A bot sits in for whoever has let the clock run out, if it has not been set again."""
        try:
            await self._commit(live, Table.time_out)
        except Refused:  # it rang too early, or another process was first
            self._set_alarm(live, at_least=_AGAIN if self._is_late(live) else 0.0)
        except StorageError as error:
            _log.warning("nobody could sit in: %s", error)
            self._set_alarm(live, at_least=_AGAIN)

    @staticmethod
    def _is_late(live: Live) -> bool:
        deadline = live.table.deadline()
        return deadline is not None and deadline <= live.clock.now()

    # Bots -------------------------------------------------------------------------------------

    async def _drive(self, live: Live, after: Delay | None) -> None:
        """Play for the bots until a person has to act."""
        if after is not None:
            await after(live)
            live.driver_waits = False
        while live.table.bot_due():
            if live.table.only_bots():
                await live.watched.wait()  # nobody plays, so nothing happens unseen
            try:
                played = await self._turn(live)
                await self._commit(live, partial(_if_next, played))
            except Stale:
                continue
            except StorageError as error:
                _log.warning("a bot could not play: %s", error)
                await asyncio.sleep(_AGAIN)
                continue
            except Refused as refused:  # the log is full
                live.tell(Problem(error=str(refused), kind=type(refused).__name__))
                return
            except Exception:  # noqa: BLE001 - whatever it is, a bot that is due plays on
                _log.exception("a bot could not play")
                await asyncio.sleep(_AGAIN)
                continue
            if live.table.only_bots():
                changed = live.change()
                await asyncio.wait({changed}, timeout=_PACE)
                changed.cancel()

    async def _turn(self, live: Live) -> Next:
        """A bot's turn, worked out; raises ``Stale`` if the table has changed meanwhile."""
        table = live.table
        level = table.bot_due()
        if level and LEVELS[level].plans and not await self._solved(live):
            level = _INSTEAD
        if live.table is not table or not level:
            raise Stale("The table has moved on meanwhile.")
        turn = table.bot_turn(live.clock.now())
        try:
            thought = next(turn)
            while True:
                choice = await self._choice(live, thought._replace(level=level))
                thought = turn.send(choice)
        except StopIteration as ended:
            after: Next = ended.value
            return after

    async def _choice(self, live: Live, thought: Thought) -> Choice:
        """What a bot chooses; one that would have to think for too long takes what there is."""
        if not LEVELS[thought.level].thinks:
            return thought.choice()
        try:
            async with asyncio.timeout(_THOUGHT):
                return await self._thinker.choose(live.payer, thought)
        except (HotDiceError, TimeoutError) as error:
            self._metrics.refused.labels(getattr(error, "limit", "thinking")).inc()
            return thought._replace(level=_AT_A_PINCH).choice()

    async def _solved(self, live: Live) -> bool:
        """Whether a bot that plans can: its game is solved, or is solved now while it waits."""
        seq, game, players = live.table.seq, live.table.game, len(live.table.seats)
        key = game.slug, game.options.text(), players
        if key in self._given_up:
            return False
        try:
            if await self._thinker.is_ready(live.payer, game, players):
                return True
        except HotDiceError:
            return False
        await live.watched.wait()  # what nobody watches is not solved
        told = partial(_tell_part, live, "The perfect player works out its tables")
        changed = live.change()
        told(0.0)
        try:
            async with self._thinker.preparing(live.payer, game, players, told) as work:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_QUEUE):
                        await work.started.wait()
                if work.started.is_set() and live.table.seq == seq:
                    await asyncio.wait({work.task, changed}, return_when=asyncio.FIRST_COMPLETED)
                if not work.started.is_set():
                    self.wish(live)  # which keeps its place among those who wait
                if not work.task.done():
                    return False
                work.task.result()
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
            told(1.0)
        return True

    # The coach's wishes -----------------------------------------------------------------------

    def wish(self, live: Live) -> None:
        """Have solved what the coach would like, for as long as somebody is here."""
        if live.watchers and (live.wish is None or live.wish.done()):
            live.wish = self.room.spawn(self._wished(live))

    async def _wished(self, live: Live) -> None:
        game, players = live.table.game, len(live.table.seats)
        with contextlib.suppress(HotDiceError):
            if await self._thinker.is_ready(live.payer, game, players):
                return
            told = partial(_tell_part, live, "The coach works out the chances to win")
            told(0.0)
            async with self._thinker.preparing(live.payer, game, players, told) as work:
                while not work.task.done() and live.watchers:
                    await asyncio.wait({work.task}, timeout=10)
            told(1.0)


async def looked_at(live: Live) -> None:
    """Wait until somebody looks at a table, but not for ever."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_AUDIENCE):
            await live.watched.wait()


async def stalled(live: Live) -> None:
    """Wait until whoever was to play for the bots of a table does so no more."""
    seq = -1
    while live.table.seq != seq:
        seq = live.table.seq
        await asyncio.sleep(_STALLED)


def _if_next(after: Next, table: Table, now: float) -> Next:
    """What was worked out before, if the table still stands where it begins; it happens now."""
    if after.entries and after.entries[0].seq != table.seq + 1:
        raise Stale("The table has moved on meanwhile.")
    entries = [entry._replace(at=now) for entry in after.entries]
    return Next(entries, table.fork(entries))


def _tell_part(live: Live, what: str, part: float) -> None:
    live.tell(Working(what=what, part=part))
