"""Caches limited by total weight, or by number."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


def put(cache: dict[K, V], key: K, value: V, most: int) -> None:
    """Add to a cache, which is emptied when it is full."""
    if len(cache) >= most:
        cache.clear()
    cache[key] = value


class WeightedCache(Generic[V]):
    """A thread-safe cache that evicts the least recently used values.

    Args:
        most: the greatest total weight; the last value is kept even if it is heavier.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._weight = 0
        self._known: dict[Hashable, tuple[V, int]] = {}
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._known)

    @property
    def weight(self) -> int:
        """The total weight."""
        return self._weight

    def find(self, key: Hashable) -> V | None:
        """The value of a key; ``None`` if it is not cached."""
        with self._lock:
            found = self._known.pop(key, None)
            if found is None:
                return None
            self._known[key] = found  # now the most recently used
            return found[0]

    def keep(self, key: Hashable, value: V, weight: int) -> V:
        """Cache a value and return it."""
        with self._lock:
            before = self._known.pop(key, None)
            self._weight += weight - (before[1] if before else 0)
            self._known[key] = value, weight
            while self._weight > self._most and len(self._known) > 1:
                _, gone = self._known.pop(next(iter(self._known)))
                self._weight -= gone
        return value

    def obtain(self, key: Hashable, make: Callable[[], V], weigh: Callable[[V], int]) -> V:
        """The value of a key, computed and cached if necessary."""
        found = self.find(key)
        if found is None:
            made = make()
            return self.keep(key, made, weigh(made))
        return found
