"""Evaluates Peruke One for many vectors of end values at once, one per lane."""

from __future__ import annotations

import numpy as np
from numba import njit

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.cores import on_all_cores
from hotdice.solvers.peruke_one.chart import Chart

_FAST = {"nnan", "ninf", "nsz", "contract"}


def run_lanes(chart: Chart, ends: Floats) -> Floats:
    """The value of a game at its start for each lane of end values."""
    values = ends
    for one in reversed(chart.rounds):
        last = np.append(one.first[1:], len(one.turning))
        found = np.zeros_like(ends)
        rows = one.discs, one.to, one.turning, one.first, last, one.chance
        on_all_cores(_run_round, len(one.discs), *rows, ends, values, found)
        values = found
    return np.asarray(values[0])


@njit(cache=True, nogil=True, fastmath=_FAST)
def _run_round(
    lower: int,
    upper: int,
    discs: Ints,
    to: Ints,
    turning: Ints,
    first: Ints,
    last: Ints,
    chance: Floats,
    ends: Floats,
    values: Floats,
    found: Floats,
) -> None:
    lanes = ends.shape[1]
    for row in range(lower, upper):
        here = found[discs[row]]
        best = np.empty(lanes)
        for one in range(len(first)):
            start = values[to[row, turning[first[one]]]]
            for lane in range(lanes):
                best[lane] = start[lane]
            stuck = True
            for place in range(first[one] + 1, last[one]):
                after = to[row, turning[place]]
                if after < 0:
                    continue
                stuck = False
                reached = values[after]
                for lane in range(lanes):
                    best[lane] = max(best[lane], reached[lane])
            if stuck:
                for lane in range(lanes):
                    best[lane] = ends[discs[row], lane]
            weight = chance[one]
            for lane in range(lanes):
                here[lane] += weight * best[lane]
