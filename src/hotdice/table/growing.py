"""A list that only grows, and that several hold without copying it.

Tables and sittings are forked for every command. What has happened so far is the same for all
forks; each sees its own length of it. Whoever adds to a list that another has added to already
goes on with a copy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Growing(Sequence[T]):
    """A sequence with ``append`` and a ``fork`` that costs nothing."""

    __slots__ = ("_length", "_shared")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._shared = list(items)
        self._length = len(self._shared)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        shared = self._shared
        return (shared[at] for at in range(self._length))

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            return self._shared[: self._length][at] if at.step else self._slice(at)
        if not -self._length <= at < self._length:
            raise IndexError(at)
        return self._shared[at if at >= 0 else at + self._length]

    def _slice(self, at: slice) -> list[T]:
        start, stop, _ = at.indices(self._length)
        return self._shared[start:stop]

    def append(self, item: T) -> None:
        """Add one at the end."""
        if len(self._shared) > self._length:
            self._shared = self._shared[: self._length]
        self._shared.append(item)
        self._length += 1

    def cut(self, length: int) -> None:
        """Forget what comes after a length."""
        self._length = length

    def fork(self) -> Growing[T]:
        """The same so far, to go its own way."""
        copy: Growing[T] = object.__new__(Growing)
        copy._shared, copy._length = self._shared, self._length
        return copy
