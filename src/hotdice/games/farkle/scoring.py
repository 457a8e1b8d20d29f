"""What dice of one roll are worth in Farkle (F3 to F6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hotdice.core.dice import Faces, selections
from hotdice.core.keeping import Worth
from hotdice.core.words import listed
from hotdice.games.farkle.options import FarkleOptions

DICE = 6
_COUNT = {1: "a", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def worth(dice: Faces, options: FarkleOptions) -> Worth | None:
    """The best reading in which every die scores (F4); ``None`` if there is none."""
    return max(_ways_to_score(dice, options), key=lambda reading: reading.points, default=None)


def _ways_to_score(dice: Faces, options: FarkleOptions) -> Iterator[Worth]:
    counts = Counter(dice)
    shape = sorted(counts.values())
    if shape == [1, 1, 1, 1, 1, 1]:
        yield Worth(options.straight, "a straight")
    if shape == [2, 2, 2]:
        yield Worth(options.three_pairs, "three pairs")  # F5
    if shape == [2, 4] and options.four_and_pair:
        yield Worth(options.three_pairs, "four and a pair")
    parts = [_alike(face, count, options) for face, count in sorted(counts.items())]
    found = [part for part in parts if part is not None]
    if len(found) == len(parts):
        yield Worth(sum(p.points for p in found), listed([p.words for p in found]))


def _alike(face: int, count: int, options: FarkleOptions) -> Worth | None:
    """The best reading of equal dice, as groups, singles or both."""
    best = None
    for groups in _splits(count):
        singles = count - sum(groups)
        single = {1: options.one, 5: options.five}.get(face)
        if singles and single is None:
            continue
        points = sum(_group_points(face, size, options) for size in groups)
        points += singles * (single or 0)
        if best is None or points > best.points:
            best = Worth(points, listed([_named(face, n) for n in (*groups, singles) if n]))
    return best


def _splits(count: int) -> Iterator[tuple[int, ...]]:
    """Ways to put some of ``count`` equal dice into groups of three or more."""
    yield ()
    for size in range(3, count + 1):
        yield (size,)
    if count == 6:
        yield (3, 3)


def _group_points(face: int, size: int, options: FarkleOptions) -> int:
    three = options.three_ones if face == 1 else options.three_times * face
    times = {3: 1, 4: options.four_times, 5: options.five_times, 6: options.six_times}
    return three * times[size]


def _named(face: int, count: int) -> str:
    return f"{_COUNT[count]} {face}{'s' if count > 1 else ''}"


class Worths(dict[Faces, Worth | None]):
    """What sets of dice are worth under some options, computed on first use."""

    def __init__(self, options: FarkleOptions) -> None:
        super().__init__()
        self._options = options

    def __missing__(self, dice: Faces) -> Worth | None:
        found = self[dice] = worth(dice, self._options)
        return found

    def keeps_of(self, roll: Faces) -> dict[Faces, Worth]:
        """Every set that may be set aside from the roll with its worth (F4)."""
        return {dice: found for dice in selections(roll) if (found := self[dice]) is not None}
