"""A table that somebody has open, and who follows it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from hotdice.core.game import Over
from hotdice.server.messages import LogLine, Message
from hotdice.server.showing import show_lines, show_news
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
    lines: list[LogLine]
    news: str


Watcher = asyncio.Queue[str | None]
"""Messages for one who follows a table; ``None`` ends it."""


@dataclass(eq=False)
class Live:
    """A table that somebody has open."""

    id: str
    table: Table
    host: Key
    keys: dict[int, Key]
    lines: list[LogLine] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    watchers: set[Watcher] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    driver: asyncio.Task[None] | None = None
    wish: asyncio.Task[None] | None = None
    alarm: asyncio.TimerHandle | None = None

    @classmethod
    def of(cls, stored: Stored) -> Live:
        """A stored table, opened."""
        table = Table(stored.setup)
        lines: list[LogLine] = []
        for step in table.caught_up(stored.entries):
            table = step.table
            lines += show_lines(step)
        return cls(stored.id, table, stored.host, dict(stored.keys), lines)

    def seats_of(self, visitor: Visitor) -> frozenset[int]:
        """The seats that are somebody's."""
        return frozenset(seat for seat, key in self.keys.items() if visitor.has(key))

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
        self.lines += step.lines
        self.tell(step.news)
        self.changed.set()
        self.changed = asyncio.Event()

    def tell(self, message: str | Message) -> None:
        """Tell everybody who follows; who has not been listening is let go."""
        text = message if isinstance(message, str) else message.model_dump_json()
        for watcher in list(self.watchers):
            if watcher.qsize() >= _WAITING:
                self.watchers.discard(watcher)
                watcher.put_nowait(None)
            else:
                watcher.put_nowait(text)

    @asynccontextmanager
    async def watch(self, seen: int) -> AsyncIterator[Watcher]:
        """A queue of what happens from now on."""
        if not 0 <= seen <= self.table.seq:
            raise Stale(f"The table stands at {self.table.seq}; you cannot have seen {seen}.")
        queue: Watcher = asyncio.Queue()
        self.watchers.add(queue)
        try:
            yield queue
        finally:
            self.watchers.discard(queue)
