"""A queue for something that few can do at once, fair between addresses."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque

from hotdice.server.limits import TooMany


class FairQueue:
    """A semaphore whose waiters are served round-robin by address."""

    def __init__(self, at_once: int, per_address: int, limit: str, refusal: str) -> None:
        """At most ``per_address`` wait or run for one address; 0 is no limit."""
        self._free = at_once
        self._most = per_address
        self._limit, self._refusal = limit, refusal
        self._waiting: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        self._of: Counter[str] = Counter()

    async def acquire(self, address: str) -> None:
        """Wait for a free slot; raises ``TooMany``."""
        if self._most and self._of[address] >= self._most:
            raise TooMany(self._refusal, self._limit)
        self._of[address] += 1
        if self._free:
            self._free -= 1
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.done() and not waiter.cancelled():  # acquired just now: pass it on
                self.release(address)
            else:
                self._leave(address)
            raise

    def release(self, address: str) -> None:
        """Free a slot, and give it to the next waiter."""
        self._leave(address)
        while self._waiting:
            name, waiters = self._waiting.popitem(last=False)
            waiter = waiters.popleft()
            if waiters:
                self._waiting[name] = waiters  # behind all other addresses
            if not waiter.done():
                waiter.set_result(None)
                return
        self._free += 1

    def _leave(self, address: str) -> None:
        self._of[address] -= 1
        if not self._of[address]:
            del self._of[address]

    @property
    def waiting(self) -> int:
        """How many wait."""
        return sum(not waiter.done() for waiters in self._waiting.values() for waiter in waiters)
