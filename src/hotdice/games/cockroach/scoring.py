"""What dice in play are worth in Cockroach (C4, C6, C8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import prod
from typing import NamedTuple

from hotdice.core.dice import Faces, without
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


def most_points(count: int, options: CockroachOptions) -> int:
    """The most that so many dice in play can make."""
    hands = combinations_with_replacement(range(1, 6), count)
    return max(best_sequence(hand, options).points for hand in hands)


def gives_up_better(play: Faces, dice: Faces, options: CockroachOptions) -> bool:
    """Whether a re-roll of these dice takes a die that fits better than one that stays.

    Best are numbers of the sequence from 1, then others. Spare dice of a number already there fit
    worst, as do numbers too high for the dice still in play. Where a sequence may begin anywhere
    (C6), all numbers fit equally well and only spare dice do not.
    """
    counts, rest = Counter(play), Counter(without(play, dice))
    highest = 5 if options.any_start else len(play)
    fitting = [number for number in dice if not rest[number] and number <= highest]
    if not fitting:
        return False
    if any(count > 1 or number > highest for number, count in rest.items() if count):
        return True
    run = 1
    while counts[run]:
        run += 1
    return not options.any_start and min(fitting) < run < max(rest, default=0)


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
