"""Limits per address, per process and per job.

The defaults are more than a family ever needs. ``hotdice serve --limit NAME=NUMBER`` changes a
limit; 0 removes it. Clients are told when they reach a limit, and it is counted.
"""

from __future__ import annotations

import ipaddress
import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Self

from hotdice.core.errors import BadSetup
from hotdice.table.log import Refused

_MOST = 1_000_000_000
_NUMBER = re.compile(r"[0-9]{1,10}")
_ADDRESSES = 10_000
"""How many addresses are kept; of more, the least recently seen idle ones are dropped."""


class TooMany(Refused):
    """A limit is reached; ``after`` is the number of seconds before a retry."""

    def __init__(self, why: str, limit: str, after: float = 1.0) -> None:
        super().__init__(why)
        self.limit = limit
        self.after = after


def _limit(default: int, doc: str) -> int:
    made: int = field(default=default, metadata={"doc": doc})
    return made


@dataclass(frozen=True)
class Limits:
    """All limits with their defaults; 0 is no limit."""

    connections: int = _limit(250, "connections open at once from one address")
    sockets: int = _limit(150, "tables followed at once from one address")
    requests: int = _limit(50, "requests a second from one address, four times that at once")
    commands: int = _limit(50, "commands a second from one address, four times that at once")
    tables: int = _limit(300, "new tables and challenges an hour from one address")
    entries: int = _limit(36_000, "entries an hour in logs, for one address and its bots")
    answers: int = _limit(1200, "answers an hour from one address when learning")
    questions: int = _limit(
        12, "questions waiting at once from one address, for each kind of worker process"
    )
    solving: int = _limit(2, "solvers waiting or running at once for one address")
    open_tables: int = _limit(2000, "tables a process keeps in memory, besides those with clients")
    open_entries: int = _limit(
        200_000, "entries of tables without clients that a process keeps in memory"
    )
    thinking_seconds: int = _limit(3, "seconds of computing for one choice of a bot or the coach")
    thinking_memory: int = _limit(350, "megabytes for a worker process that is not a solver")
    page_seconds: int = _limit(10, "seconds of computing for a lesson, ratings or reading a record")
    analysing_seconds: int = _limit(30, "seconds of computing for the analysis of one game")
    solving_seconds: int = _limit(180, "seconds of computing for one solver")
    solving_memory: int = _limit(900, "megabytes for a solver")
    days: int = _limit(400, "days after which an unused table is deleted")

    @classmethod
    def read(cls, words: Iterable[str]) -> Self:
        """Parse ``name=number`` words; raises ``BadSetup``."""
        names = [one.name for one in fields(cls)]
        found: dict[str, int] = {}
        for word in words:
            name, _, number = word.partition("=")
            name = name.strip().replace("-", "_")
            if name not in names:
                raise BadSetup(f"There is no limit '{name[:40]}'; there are {', '.join(names)}.")
            if not _NUMBER.fullmatch(number) or int(number) > _MOST:
                raise BadSetup(f"The limit '{name}' is a whole number, 0 for none: {name}=100.")
            found[name] = int(number)
        return cls(**found)

    def text(self) -> str:
        """The limits that differ from their defaults, for ``read``."""
        plain = type(self)()
        names = [one.name for one in fields(self)]
        changed = [name for name in names if getattr(self, name) != getattr(plain, name)]
        return " ".join(f"{name}={getattr(self, name)}" for name in changed)

    @classmethod
    def describe(cls) -> dict[str, tuple[int, str]]:
        """The default and the description of every limit."""
        return {one.name: (one.default, one.metadata["doc"]) for one in fields(cls)}  # type: ignore[misc] # all have a default

    def without(self, *names: str) -> Limits:
        """The same limits, some of them removed."""
        return replace(self, **dict.fromkeys(names, 0))


class _Bucket:
    """A token bucket: refilled by ``rate`` a second up to ``size``."""

    __slots__ = ("_at", "_left", "_rate", "_size")

    def __init__(self, rate: float, size: float, now: float) -> None:
        self._rate, self._size = rate, size
        self._left, self._at = size, now

    def take(self, now: float, cost: float) -> float:
        """Take tokens and return 0; if there are too few, the seconds until there are enough."""
        self._left = min(self._size, self._left + (now - self._at) * self._rate)
        self._at = now
        cost = min(cost, self._size)
        if self._left < cost:
            return (cost - self._left) / self._rate
        self._left -= cost
        return 0.0

    def spend(self, cost: float) -> None:
        """Take tokens even if there are too few: the next ones are waited for longer."""
        self._left -= cost


class Address:
    """The connections and rates of one address."""

    __slots__ = ("_buckets", "_limits", "_steady", "connections", "sockets")

    def __init__(self, limits: Limits, steady: Callable[[], float]) -> None:
        now = steady()
        self._limits, self._steady = limits, steady
        self._buckets = {
            "requests": _Bucket(limits.requests, 4 * limits.requests, now),
            "commands": _Bucket(limits.commands, 4 * limits.commands, now),
            "tables": _Bucket(limits.tables / 3600, limits.tables, now),
            "answers": _Bucket(limits.answers / 3600, limits.answers, now),
            "entries": _Bucket(limits.entries / 3600, limits.entries, now),
        }
        self.connections = 0
        self.sockets = 0

    @property
    def is_idle(self) -> bool:
        """Whether it has no open connections."""
        return not self.connections and not self.sockets

    def take(self, what: str, cost: float = 1.0) -> None:
        """Charge for a request, a command, a table or an answer; raises ``TooMany``."""
        if not getattr(self._limits, what):
            return
        wait = self._buckets[what].take(self._steady(), cost)
        if wait:
            raise TooMany(_TOO_MANY[what], what, wait)

    def check_entries(self) -> None:
        """Check that it may cause more entries; raises ``TooMany``."""
        self.take("entries", 0.0)

    def charge_entries(self, entries: int) -> None:
        """Charge for entries that it has caused: how many is known only afterwards."""
        self._buckets["entries"].spend(entries)

    def check_sockets(self) -> None:
        """Check that one more socket may be opened; raises ``TooMany``."""
        if self._limits.sockets and self.sockets >= self._limits.sockets:
            raise TooMany("Too many tables are open from your address; close some.", "sockets", 10)


_TOO_MANY = {
    "requests": "Too many requests from your address; wait a moment.",
    "commands": "Too many messages; wait a moment.",
    "entries": "Too many moves from your address in the last hour; from here on it goes slowly.",
    "answers": "Too many answers from your address; wait a few minutes.",
    "tables": "Too many new tables from your address; wait a few minutes, or play at those.",
}


class Addresses:
    """The known addresses of a server process."""

    def __init__(
        self,
        limits: Limits,
        steady: Callable[[], float],
        refuse: Callable[[str], None] = lambda _limit: None,
    ) -> None:
        """``refuse`` counts that a limit was reached."""
        self.limits, self.refuse = limits, refuse
        self.most_connections = 0
        self.proxies: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = ()
        self._steady = steady
        self._known: OrderedDict[str, Address] = OrderedDict()
        self._open = 0

    def of(self, host: str) -> Address:
        """The address of a host; IPv6 addresses are grouped by /64 network."""
        name = network_of(host)
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = Address(self.limits, self._steady)
            for other in list(self._known)[: max(0, len(self._known) - _ADDRESSES)]:
                if self._known[other].is_idle:
                    del self._known[other]
        self._known.move_to_end(name)
        return found

    def admit(self, host: str) -> Address | None:
        """Count a new connection; ``None`` if there are too many already."""
        address, limit = self.of(host), self.limits.connections
        peer = _address(host)
        if peer is not None and any(peer in proxy for proxy in self.proxies):
            limit = 0  # a proxy connects for many clients
        if (limit and address.connections >= limit) or (
            self.most_connections and self._open >= self.most_connections
        ):
            return None
        address.connections += 1
        self._open += 1
        return address

    def leave(self, address: Address) -> None:
        """Count a connection as closed."""
        address.connections -= 1
        self._open -= 1


def network_of(host: str) -> str:
    """The unit that limits apply to: an IPv4 address, or an IPv6 /64 network."""
    address = _address(host)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((address.packed[:8] + bytes(8), 64)))
    return str(address or host)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
