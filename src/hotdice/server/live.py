"""A table that somebody has open, and who follows it."""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from hotdice.core.game import Over
from hotdice.server.clocks import TableClock, Timepiece
from hotdice.server.messages import Message
from hotdice.server.showing import show_news, show_sentences
from hotdice.storage import Addition, Key, Scored, Stored
from hotdice.table.log import Next, Stale, Table
from hotdice.table.summary import summarize

_WAITING = 256


def hashed(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest() if secret else ""


class Visitor:
    """Somebody who comes with secrets and perhaps a player key."""

    def __init__(self, secrets: Iterable[str] = (), player: str = "") -> None:
        self._hashes = {hashed(secret) for secret in secrets if secret}
        self.owner = hashed(player)

    def has(self, key: Key) -> bool:
        """Whether they can open what this key opens."""
        return key.secret in self._hashes or (bool(self.owner) and key.owner == self.owner)


class Step(NamedTuple):
    """What a command leads to, and how it is told, worked out before it is committed."""

    next: Next
    sentences: list[str]
    news: str


class Watcher:
    """Messages for one who follows a table; ``None`` ends them.

    Whoever acts takes their own messages along with the answer: waking another task for that
    would cost as much as working the answer out.
    """

    def __init__(self) -> None:
        self.texts: deque[str | None] = deque()
        self.acting = False
        self._wake: asyncio.Future[None] | None = None

    def put(self, text: str | None) -> None:
        """Leave a message; wake whoever waits for one."""
        self.texts.append(text)
        if self._wake is not None and not self._wake.done() and not self.acting:
            self._wake.set_result(None)

    async def get(self) -> str | None:
        """The next message, waited for."""
        while not self.texts:
            self._wake = asyncio.get_running_loop().create_future()
            await self._wake
        return self.texts.popleft()


@dataclass(eq=False)
class Live:
    """A table that somebody has open.

    Attributes:
        id: its id.
        table: how it stands.
        host: what opens the host's chair.
        keys: what opens the seats.
        told: a sentence for each entry of its log.
        clock: the time at this table.
        payer: the address that what is worked out for this table is charged to.
        lock: held by whoever changes it.
        watchers: who follows it.
        watched: set while somebody follows it.
        awaited: done when anything happens.
        hinted: how long its log is said to be; a hint, which may be wrong.
        catching_up: who adds what others have committed.
        unread: the length at which its log could not be read here.
        driver: who plays for its bots.
        driver_waits: whether that one has not begun yet.
        wish: who solves what its coach would like.
        alarm: rings when a clock runs out.
    """

    id: str
    table: Table
    host: Key
    keys: dict[int, Key]
    clock: TableClock
    payer: str = ""
    told: list[str] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    watched: asyncio.Event = field(default_factory=asyncio.Event)
    awaited: list[asyncio.Future[None]] = field(default_factory=list)
    hinted: int = 0
    catching_up: asyncio.Task[None] | None = None
    unread: int = 0
    driver: asyncio.Task[None] | None = None
    driver_waits: bool = False
    wish: asyncio.Task[None] | None = None
    alarm: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, stored: Stored, timepiece: Timepiece) -> Live:
        """A stored table, opened."""
        last = stored.entries[-1].at if stored.entries else stored.created
        table = Table(stored.setup)
        told: list[str] = []
        for step in table.caught_up(stored.entries):
            table = step.table
            told += show_sentences(step)
        clock = TableClock(timepiece, last)
        return cls(stored.id, table, stored.host, dict(stored.keys), clock, told=told)

    def seats_of(self, visitor: Visitor) -> frozenset[int]:
        """The seats that are somebody's."""
        return frozenset(seat for seat, key in self.keys.items() if visitor.has(key))

    def is_of(self, visitor: Visitor, seat: int) -> bool:
        """Whether a seat is somebody's."""
        key = self.keys.get(seat)
        return key is not None and visitor.has(key)

    def step(self, after: Next) -> Step:
        """How what a command leads to will be told; the table stays as it is."""
        return Step(after, *show_news(after)) if after.entries else Step(after, [], "")

    def addition(self, step: Step, claim: tuple[int, Key] | None) -> Addition:
        """What has to be kept of a step: its entries, and scores where a game ends with it."""
        before, after, entries = self.table, step.next.table, step.next.entries
        was_over, is_over = isinstance(before.due(), Over), isinstance(after.due(), Over)
        if was_over == is_over or before.number != after.number:
            return Addition(self.id, entries, claim)
        scores = self._scores(after, entries[-1].at) if is_over else ()
        return Addition(self.id, entries, claim, after.number, scores)

    def _scores(self, table: Table, at: float) -> Sequence[Scored]:
        return [
            Scored(
                table.number,
                seat,
                self.keys[seat].owner if seat in self.keys else "",
                table.game.slug,
                table.names[seat],
                table.seats[seat].bot,
                at,
                summary,
            )
            for seat, summary in enumerate(summarize(table.record()))
        ]

    def take(self, step: Step) -> None:
        """Go on to where a committed step leads, and tell everybody."""
        if not step.next.entries:
            return
        self.table = step.next.table
        self.told += step.sentences
        self.tell(step.news)
        for waiting in self.awaited:
            if not waiting.done():
                waiting.set_result(None)
        self.awaited.clear()

    def change(self) -> asyncio.Future[None]:
        """Done as soon as anything happens at the table."""
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.awaited.append(waiting)
        return waiting

    def tell(self, message: str | Message) -> None:
        """Tell everybody who follows; who has not been listening is let go."""
        text = message if isinstance(message, str) else message.model_dump_json()
        for watcher in list(self.watchers):
            if len(watcher.texts) >= _WAITING:
                self.watchers.discard(watcher)
                if not self.watchers:
                    self.watched.clear()
                watcher.put(None)
            else:
                watcher.put(text)

    def let_everybody_go(self) -> None:
        """End what everybody is told; they connect again."""
        for watcher in list(self.watchers):
            watcher.put(None)

    @asynccontextmanager
    async def watch(self, seen: int, address: str = "") -> AsyncIterator[Watcher]:
        """Messages of what happens from now on."""
        if not 0 <= seen <= self.table.seq:
            raise Stale(f"The table stands at {self.table.seq}; you cannot have seen {seen}.")
        watcher = Watcher()
        self.watchers.add(watcher)
        self.payer = self.payer or address
        self.watched.set()
        try:
            yield watcher
        finally:
            self.watchers.discard(watcher)
            if not self.watchers:
                self.watched.clear()
