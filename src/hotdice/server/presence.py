"""Which seats of people have no client connected, at the tables that clients follow.

Several processes can serve one table, so each keeps telling the others which seats are connected
to it. A notice may be lost and a process may hang, and then nobody is called away: a seat is away
only if this process and all others that are known have been heard since, some seconds after it was
last connected anywhere. Nothing of this is stored.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from hotdice.server.clocks import Timepiece
from hotdice.server.live import Live
from hotdice.server.messages import PresenceShown
from hotdice.storage import StorageError, Store

_BEAT = 2.0
"""Seconds between looks at all tables that clients follow, and between notices about them."""
_PAUSE = 0.1
"""Seconds between notices about new clients."""
_GRACE = 5.0
"""Seconds that a seat may be without a client before it is away."""
_DOUBT = 8.0
"""Seconds without a sign of another process, or of our own notices, until nobody is away."""
_SILENT = 30.0
"""Seconds of silence after which another process has ended."""
_NOTICE = re.compile(
    r"([0-9a-f]{16}) (\d+\.\d+)((?: [\w-]{1,64}:(?:\d{1,3}(?:,\d{1,3})*)?)*)", re.ASCII
)
_LONGEST_NOTICE = 7000
"""Characters; PostgreSQL allows 8,000 bytes."""

_log = logging.getLogger(__name__)


class Elsewhere(NamedTuple):
    """The seats of a table that are connected to another process, and when it said so."""

    seats: frozenset[int]
    at: float


@dataclass(eq=False)
class Attendance:
    """Who is connected at a table that clients of this process follow.

    Attributes:
        live: the table.
        keys: how many seats had a key when the seats of its clients were last determined.
        elsewhere: what other processes have said about it, by their names.
        since: the seats of people without a client, and since when.
    """

    live: Live
    keys: int = 0
    elsewhere: dict[str, Elsewhere] = field(default_factory=dict)
    since: dict[int, float] = field(default_factory=dict)

    def here(self) -> frozenset[int]:
        """The seats that are connected to this process."""
        live = self.live
        if self.keys != len(live.keys):  # somebody has joined, perhaps one of its clients
            self.keys = len(live.keys)
            for watcher in live.watchers:
                watcher.seats = live.seats_of(watcher.visitor)
        return frozenset[int]().union(*(watcher.seats for watcher in live.watchers))

    def look(self, now: float, sure: float) -> None:
        """Find out who is away and tell the clients; until ``sure`` all connections are known."""
        self.elsewhere = {
            name: other for name, other in self.elsewhere.items() if now - other.at < _SILENT
        }
        connected = self.here().union(*(other.seats for other in self.elsewhere.values()))
        table = self.live.table
        self.since = {
            seat: self.since.get(seat, now)
            for seat in table.people
            if seat not in connected and not table.seats[seat].bot
        }
        away = frozenset(seat for seat, at in self.since.items() if at + _GRACE <= sure)
        if away != self.live.away:
            self.live.away = away
            self.live.tell(PresenceShown(away=sorted(away)))


class Presence:
    """Keeps track of who is away at all tables that clients of this process follow."""

    def __init__(self, store: Store, timepiece: Timepiece) -> None:
        self._store, self._now = store, timepiece.steady
        self._name = secrets.token_hex(8)
        self._attended: dict[str, Attendance] = {}
        self._changed: set[str] = set()
        self._soon = asyncio.Event()
        self._is_known = False
        self._echo = -math.inf
        self._others: dict[str, float] = {}

    # Clients ----------------------------------------------------------------------------------

    def came(self, live: Live) -> None:
        """A client has begun to follow a table."""
        attendance = self._attended.get(live.id)
        if attendance is None or attendance.live is not live:
            attendance = self._attended[live.id] = Attendance(live)
        self._look(attendance)
        if self._store.is_postgres:
            self._changed.add(live.id)
            self._soon.set()

    def went(self, live: Live) -> None:
        """A client no longer follows a table."""
        attendance = self._attended.get(live.id)
        if attendance is None or attendance.live is not live:
            return
        if live.watchers:
            self._look(attendance)
        else:
            del self._attended[live.id]
            live.away = frozenset()
        if self._store.is_postgres:
            self._changed.add(live.id)

    def elsewhere(self, live: Live) -> frozenset[int]:
        """The seats of a table that are connected to other processes."""
        attendance = self._attended.get(live.id)
        if attendance is None or not attendance.elsewhere:
            return frozenset()
        recent = self._now() - _SILENT
        others = (one.seats for one in attendance.elsewhere.values() if one.at > recent)
        return frozenset[int]().union(*others)

    # Looking ----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Look at all tables again and again."""
        loop = asyncio.get_running_loop()
        due = loop.time() + _BEAT
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._soon.wait()
            try:
                if loop.time() < due:
                    await self.announce(self._changed)
                    await asyncio.sleep(_PAUSE)
                else:
                    due = loop.time() + _BEAT
                    await self.beat()
            except StorageError:  # reported by the health check; meanwhile nobody is away
                pass
            except Exception:  # noqa: BLE001 - the next look has to come
                _log.exception("could not find out who is away")

    async def beat(self) -> None:
        """Look at all tables that clients follow, and tell other processes about them."""
        now = self._now()
        self._others = {name: at for name, at in self._others.items() if now - at < _SILENT}
        sure = self._sure(now)
        for attendance in list(self._attended.values()):
            attendance.look(now, sure)
        if self._store.is_postgres:
            await self.announce({*self._attended, *self._changed})

    def _look(self, attendance: Attendance) -> None:
        now = self._now()
        attendance.look(now, self._sure(now))

    def _sure(self, now: float) -> float:
        """The time up to which this process knows who was connected anywhere."""
        if not self._store.is_postgres:
            return now
        sure = min([self._echo, *self._others.values()])
        return sure if now - sure < _DOUBT else -math.inf

    # Other processes --------------------------------------------------------------------------

    async def announce(self, table_ids: Collection[str]) -> None:
        """Tell other processes which seats of these tables are connected to this one.

        Once clients follow no table here any more, they are told so. Raises ``StorageError``.
        """
        seats = {
            table_id: self._attended[table_id].here() if table_id in self._attended else ()
            for table_id in table_ids
        }
        self._changed.clear()
        self._soon.clear()
        if not seats and not self._is_known:
            return
        self._is_known = bool(seats)
        await self._store.announce(list(_notices(f"{self._name} {self._now():.6f}", seats)))

    def hear(self, notice: str) -> None:
        """Take in a notice of any process, this one included."""
        found = _NOTICE.fullmatch(notice)
        if found is None:
            return
        name, sent, rest = found.groups()
        if name == self._name:
            self._echo = max(self._echo, float(sent))
        elif not rest:
            self._others.pop(name, None)
        else:
            self._others[name] = now = self._now()
            for table_id, _, seats in (one.partition(":") for one in rest.split()):
                if attendance := self._attended.get(table_id):
                    connected = frozenset(int(seat) for seat in seats.split(",") if seat)
                    attendance.elsewhere[name] = Elsewhere(connected, now)
                    self._look(attendance)


def _notices(head: str, seats: Mapping[str, Collection[int]]) -> Iterator[str]:
    """Notices that say which seats of tables are connected, none of them too long."""
    notice = head
    for table_id, connected in seats.items():
        part = f" {table_id}:{','.join(map(str, sorted(connected)))}"
        if len(notice) + len(part) > _LONGEST_NOTICE:
            yield notice
            notice = head
        notice += part
    yield notice
