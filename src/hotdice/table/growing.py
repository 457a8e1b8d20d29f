"""An append-only list whose versions share their storage.

Tables and sittings are immutable, and every entry makes a new one. Their history is the same list
apart from its end, so all versions share one list and each knows its own length. Growing a version
that is not the longest one copies the part that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Growing(Sequence[T]):
    """An immutable sequence with a cheap ``grown`` and ``cut``."""

    __slots__ = ("_length", "_shared")
    __hash__ = None  # type: ignore[assignment] # compared by its items, which may be many

    def __init__(self, shared: list[T], length: int) -> None:
        """The first ``length`` items of a list that others may append to; see ``of``."""
        self._shared = shared
        self._length = length

    @classmethod
    def of(cls, items: Iterable[T] = ()) -> Growing[T]:
        """A sequence of these items."""
        shared = list(items)
        return cls(shared, len(shared))

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Growing):
            return NotImplemented
        return self._length == other._length and self[:] == other[:]

    def __iter__(self) -> Iterator[T]:
        shared = self._shared
        return (shared[at] for at in range(self._length))

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        length = self._length
        if isinstance(at, slice):
            return self._shared[:length][at] if at.step else self._slice(at)
        if not -length <= at < length:
            raise IndexError(at)
        return self._shared[at if at >= 0 else at + length]

    def _slice(self, at: slice) -> list[T]:
        start, stop, _ = at.indices(self._length)
        return self._shared[start:stop]

    def last(self, count: int) -> list[T]:
        """The last items."""
        return self._shared[self._length - count : self._length]

    def grown(self, item: T) -> Growing[T]:
        """The sequence with one more item at its end."""
        shared, length = self._shared, self._length
        if len(shared) > length:  # another version has grown already
            shared = shared[:length]
        shared.append(item)
        return Growing(shared, length + 1)

    def cut(self, length: int) -> Growing[T]:
        """The first items of the sequence."""
        return Growing(self._shared, min(length, self._length))
