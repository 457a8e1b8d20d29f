"""Solves a race by plain value iteration over all states.

It shares nothing with the solver but the scoring of rolls. Tests compare the solver's results with
it, and benchmarks its speed.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit

from hotdice.core.dice import Faces, chances
from hotdice.core.game import AnyGame


def solve_naively(game: AnyGame, highest: int, *, change: float = 1e-12) -> Any:
    """Win chances by own and other score, in units of 5.

    Totals above ``highest`` are banked, and offers of them declined.
    """
    options = game.options
    return _sweeps(
        -(-options.target // 5),
        -(-options.entry // 5),
        highest // 5,
        int(options.carry_over),
        change,
        *_classes(game),
    )


def _classes(game: AnyGame) -> tuple[Any, ...]:
    first, ends, adds, lefts, weights, busts = [0], [0], [], [], [], []
    for count in range(1, 7):
        found: defaultdict[tuple[tuple[int, int], ...], Fraction] = defaultdict(Fraction)
        for faces, chance in chances((game.dice[0],) * count):
            found[_options(game, faces)] += chance
        busts.append(float(found.pop((), 0)))
        for options, chance in found.items():
            for points, left in options:
                adds.append(points // 5)
                lefts.append(left or 6)
            ends.append(len(adds))
            weights.append(float(chance))
        first.append(len(weights))
    ints = [np.array(numbers, np.int64) for numbers in (first, ends, adds, lefts)]
    return (*ints, np.array(weights), np.array(busts))


def _options(game: AnyGame, faces: Faces) -> tuple[tuple[int, int], ...]:
    return tuple(sorted({(keep.points, keep.left) for keep in game.keeps(faces)}))


@njit(cache=True)
def _sweeps(  # noqa: PLR0912 - plain is the point
    target: int,
    entry: int,
    highest: int,
    carry: int,
    change: float,
    first: Any,
    ends: Any,
    adds: Any,
    lefts: Any,
    weights: Any,
    busts: Any,
) -> Any:
    top = highest + 200
    # going[a, b, n, t]: about to roll n dice with t; closing: the same on the last turn against b
    going = np.full((target, target, 7, top), 0.5)
    closing = np.full((target, target + top, 7, top), 0.5)
    # The last turn depends on nothing but itself, so one sweep settles it.
    moved, sweep = 1.0, 0
    while moved > change or sweep < 2:
        moved = 0.0
        for a in range(target):
            for b in range(target, target + top) if sweep == 0 else range(target):
                last = b >= target
                for t in range(highest, -1, -1):
                    for n in range(1, 7):
                        busted = 0.0 if last else 1.0 - going[b, a, 6, 0]
                        value = busts[n - 1] * busted
                        for c in range(first[n - 1], first[n]):
                            best = 0.0
                            for o in range(ends[c], ends[c + 1]):
                                s, left = t + adds[o], lefts[o]
                                held = -1.0
                                if a > 0 or s >= entry:
                                    if last:
                                        held = 1.0 if a + s > b else 0.5 if a + s == b else 0.0
                                    elif a + s >= target:
                                        held = closing[b, a + s, 6, 0]
                                        if carry and b > 0 and left < 6 and s <= highest:
                                            held = max(held, closing[b, a + s, left, s])
                                        held = 1.0 - held
                                    else:
                                        held = going[b, a + s, 6, 0]
                                        if carry and b > 0 and left < 6 and s <= highest:
                                            held = max(held, going[b, a + s, left, s])
                                        held = 1.0 - held
                                rolled = -1.0
                                if s <= highest:
                                    rolled = (
                                        closing[a, b, left, s] if last else going[a, b, left, s]
                                    )
                                best = max(best, held, rolled)
                            value += weights[c] * best
                        if last:
                            moved = max(moved, abs(closing[a, b, n, t] - value))
                            closing[a, b, n, t] = value
                        else:
                            moved = max(moved, abs(going[a, b, n, t] - value))
                            going[a, b, n, t] = value
        sweep += 1
    return going[:, :, 6, 0]
