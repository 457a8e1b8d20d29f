"""An open table, and the clients that follow it."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from hotdice.server.clocks import TableClock, Timepiece
from hotdice.server.messages import Message
from hotdice.server.showing import show_news, show_sentences
from hotdice.storage import Addition, Key, Scored, Stored, Try
from hotdice.table.log import Next, Stale, Table
from hotdice.table.rights import Holder
from hotdice.table.scores import changed_scores

_MOST_QUEUED = 256
"""Messages that may wait for one client; a client that reads more slowly is disconnected."""
_TORN = (
    "A part of this table's log is missing in the database, so that nobody can play on here; "
    "set up a new table."
)


def hashed(secret: str) -> str:
    """The hash that is stored instead of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


class Visitor:
    """A person, known by secrets and perhaps a player key."""

    def __init__(self, secrets: Iterable[str] = (), player: str = "") -> None:
        self._hashes = {hashed(secret) for secret in secrets if secret}
        self.owner = hashed(player)

    def has(self, key: Key) -> bool:
        """Whether one of their secrets or their player key matches."""
        return key.secret in self._hashes or (bool(self.owner) and key.owner == self.owner)


class Update(NamedTuple):
    """A change of a table with the message about it, prepared before it is committed.

    Attributes:
        next: the new entries, and the table after them.
        sentences: a sentence for each entry.
        news: the message for all clients, as JSON.
    """

    next: Next
    sentences: list[str]
    news: str


class Watcher:
    """A client that follows a table, with the queue of messages for it; ``None`` ends it.

    While a client's command is carried out, the task that does so also sends the queued messages:
    waking the sending task would cost as much as the command itself.

    Attributes:
        tip: the tip of the chain that this device announced for verified dice.
        is_full: whether it was ended because too many messages were queued.
        quiet: whether it has not answered in time since it was last heard from.
    """

    def __init__(self, visitor: Visitor, seats: frozenset[int]) -> None:
        self.visitor, self.seats = visitor, seats
        self.tip = ""
        self.quiet = self.is_full = False
        self.texts: deque[str | None] = deque()
        self.acting = False
        self._wake: asyncio.Future[None] | None = None

    def put(self, text: str | None) -> None:
        """Queue a message, and wake the task that waits for one."""
        self.texts.append(text)
        if self._wake is not None and not self._wake.done() and not self.acting:
            self._wake.set_result(None)

    async def get(self) -> str | None:
        """Wait for the next message."""
        while not self.texts:
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        return self.texts.popleft()


@dataclass(eq=False)
class Live:
    """A table that this process has open.

    Attributes:
        id: its id.
        table: its current state.
        host: the key of the host.
        keys: the keys of the seats.
        clock: the time at this table.
        payer: the address that computations for this table are charged to.
        told: a sentence for each entry of its log.
        closed: why nothing can be added to it any more; empty if it can.
        lock: held while the table is changed.
        watchers: the clients that follow it.
        watched: set while at least one client follows it; ``unwatched`` is set otherwise.
        away: the seats of people who are not connected; empty if no client follows it.
        awaited: futures that are done at the next change.
        hinted: the length of its log according to notices, which may be wrong.
        catching_up: the task that adds what other processes have committed.
        driver: the task that plays for its bots.
        driver_waits: whether that task has not started to play yet.
        solving: the task that solves the game in the background.
        alarm: the timer for the player on the clock.
        dice_alarm: the timer for devices that verified dice wait for.
        lacking: since when the first verified dice wait for devices, by the event loop's clock.
        quiet: until when chains at other processes are not waited for.
        since: when this process opened it.
    """

    id: str
    table: Table
    host: Key
    keys: dict[int, Key]
    clock: TableClock
    payer: str = ""
    told: list[str] = field(default_factory=list)
    closed: str = ""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    watched: asyncio.Event = field(default_factory=asyncio.Event)
    unwatched: asyncio.Event = field(default_factory=asyncio.Event)
    away: frozenset[int] = frozenset()
    awaited: list[asyncio.Future[None]] = field(default_factory=list)
    hinted: int = 0
    catching_up: asyncio.Task[None] | None = None
    driver: asyncio.Task[None] | None = None
    driver_waits: bool = False
    solving: asyncio.Task[None] | None = None
    alarm: asyncio.TimerHandle | None = None
    dice_alarm: asyncio.TimerHandle | None = None
    lacking: float | None = None
    quiet: dict[int, float] = field(default_factory=dict)
    since: float = field(init=False)

    def __post_init__(self) -> None:
        """Note the time, and that nobody follows it yet."""
        self.since = self.clock.now()
        self.unwatched.set()

    @classmethod
    def of(cls, stored: Stored, timepiece: Timepiece) -> Live:
        """An open table from its stored form."""
        last = stored.entries[-1].at if stored.entries else stored.created
        table = Table.of(stored.setup)
        told: list[str] = []
        for after in table.caught_up(stored.entries):
            table = after.table
            told += show_sentences(after)
        clock = TableClock(timepiece, last)
        closed = "" if stored.is_whole else _TORN
        return cls(stored.id, table, stored.host, dict(stored.keys), clock, "", told, closed)

    def trouble(self, everywhere: str) -> str:
        """The problems of the server and of this table in sentences; empty if there are none."""
        return " ".join(filter(None, (everywhere, self.closed)))

    def seats_of(self, visitor: Visitor) -> frozenset[int]:
        """The seats that a visitor may act for."""
        return frozenset(seat for seat, key in self.keys.items() if visitor.has(key))

    def holder(self, visitor: Visitor, seat: int) -> Holder:
        """Whether a visitor holds a seat, and whether they are the host."""
        return Holder(self.holds(visitor, seat), visitor.has(self.host))

    def holds(self, visitor: Visitor, seat: int) -> bool:
        """Whether a visitor holds a seat."""
        key = self.keys.get(seat)
        return key is not None and visitor.has(key)

    def update(self, after: Next) -> Update:
        """A change with the message about it; the table stays as it is."""
        return Update(after, *show_news(after)) if after.entries else Update(after, [], "")

    def addition(self, update: Update, claim: tuple[int, Key] | None) -> Addition:
        """What has to be stored: the entries, and scores if a game ends or its end is undone."""
        entries, table = update.next
        tries = self.tries(table, dict([claim]), entries[-1].at) if claim else ()
        scores = changed_scores(self.table, table)
        if scores is None:
            return Addition(self.id, entries, claim, tries=tries)
        at, slug = entries[-1].at, table.game.slug
        scored = [
            Scored(scores.game, seat, self._owner(seat), slug, name, bot, at, summary)
            for seat, name, bot, summary in scores.seats
        ]
        return Addition(self.id, entries, claim, scores.game, scored, tries=tries)

    @staticmethod
    def tries(table: Table, keys: Mapping[int, Key], at: float) -> list[Try]:
        """The tries of a challenge that begin when people get these seats; none without one."""
        if not (challenge := table.setup.challenge):
            return []
        names = table.names
        return [Try(challenge, key.owner, seat, names[seat], at) for seat, key in keys.items()]

    def _owner(self, seat: int) -> str:
        return self.keys[seat].owner if seat in self.keys else ""

    def take(self, update: Update) -> None:
        """Change to the state after a committed update, and tell all clients."""
        if not update.next.entries:
            return
        self.table = update.next.table
        self.told += update.sentences
        self.tell(update.news)
        for waiting in self.awaited:
            if not waiting.done():
                waiting.set_result(None)
        self.awaited.clear()

    def change(self) -> asyncio.Future[None]:
        """A future that is done at the next change of the table."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.awaited.append(waiting)
        return waiting

    def tell(self, message: str | Message) -> None:
        """Send a message to all clients; disconnect those whose queue is full."""
        text = message if isinstance(message, str) else message.model_dump_json()
        for watcher in list(self.watchers):
            if len(watcher.texts) >= _MOST_QUEUED:
                self._remove(watcher)
                watcher.is_full = True
                watcher.put(None)
            else:
                watcher.put(text)

    def disconnect_all(self) -> None:
        """Disconnect all clients; they connect again."""
        for watcher in list(self.watchers):
            watcher.put(None)

    @asynccontextmanager
    async def watch(self, seen: int, visitor: Visitor, address: str = "") -> AsyncIterator[Watcher]:
        """Queue what happens from now on for one client; raises ``Stale``."""
        if not 0 <= seen <= self.table.seq:
            raise Stale(f"The table is at entry {self.table.seq}; you cannot have seen {seen}.")
        watcher = Watcher(visitor, self.seats_of(visitor))
        self.watchers.add(watcher)
        if watcher.seats or not self.payer:  # a stranger pays only while no player is known
            self.payer = address or self.payer
        self.watched.set()
        self.unwatched.clear()
        try:
            yield watcher
        finally:
            self._remove(watcher)

    def _remove(self, watcher: Watcher) -> None:
        self.watchers.discard(watcher)
        if not self.watchers:
            self.watched.clear()
            self.unwatched.set()
