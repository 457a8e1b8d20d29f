"""What dice in play are worth in Cockroach (C4, C6, C8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod
from typing import NamedTuple

from hotdice.core.dice import Faces
from hotdice.games.cockroach.options import CockroachOptions


class Sequence(NamedTuple):
    """Consecutive numbers among the dice, and the points they make."""

    points: int
    numbers: tuple[int, ...]

    @property
    def words(self) -> str:
        """The sequence as a player says it, for instance ``1-2-3``."""
        return "-".join(str(number) for number in self.numbers) or "no sequence"


def best_sequence(dice: Faces, options: CockroachOptions) -> Sequence:
    """The sequence that counts; without one, 0 points."""
    return max(_sequences(dice, options), key=lambda found: found.points, default=Sequence(0, ()))


def _sequences(dice: Faces, options: CockroachOptions) -> Iterator[Sequence]:
    counts = Counter(dice)
    for start in range(1, 6) if options.any_start else (1,):  # C6
        end = start
        while counts[end]:
            end += 1
            numbers = tuple(range(start, end))
            if len(numbers) >= options.shortest:
                ways = prod(counts[n] for n in numbers) if options.duplicates else 1  # C8
                yield Sequence(len(numbers) * ways, numbers)
