"""Exact win probabilities of Cockroach between two players.

Dice may be picked up again and again, so a turn's graph has cycles. Values are found by value
iteration over the turn's decisions, for all pairs of scores with the same sum at once, from high
sums down.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.cores import on_all_cores
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.stopwatch import Stopwatch
from hotdice.solvers.cockroach.turn import CockroachSolution, Loop, run_loop

_LANES = 32
_CLOSE = 1e-13
_PATIENCE = 4000
_FAST = {"nnan", "ninf", "nsz", "contract"}


def solve_cockroach(loop: Loop, target: int, progress: Progress = no_progress) -> CockroachSolution:
    """Solve the game between two players."""
    stopwatch = Stopwatch()
    points = np.arange(loop.most + 1)
    last = np.zeros((target + 2 * loop.most + 1, len(loop.keys)))
    for distance in range(loop.most + 1):
        last[distance], _ = run_loop(loop, (points > distance) + 0.5 * (points == distance))
    nodes = np.full((target, target, len(loop.keys)), 0.5)
    residual, done = 0.0, 0
    stopwatch.pause()
    no_scores, nothing = np.zeros(0, np.int64), np.zeros(0)
    on_all_cores(_solve_sum, 0, no_scores, 0, target, *loop[:5], loop.most, last, nodes, nothing)
    stopwatch.resume()
    for total in range(2 * (target - 1), -1, -1):
        low = max(0, total - target + 1)
        own = np.arange(low, total - low + 1)
        worst = np.zeros(-(-len(own) // _LANES))
        on_all_cores(
            _solve_sum, len(worst), own, total, target, *loop[:5], loop.most, last, nodes, worst
        )
        residual = max(residual, float(worst.max()))
        done += len(own)
        progress(done / target**2)
    return CockroachSolution(nodes, last, residual, stopwatch.seconds(), target * target)


@njit(cache=True, fastmath=_FAST)
def _sweep(
    set_first: Ints,
    outcome: Ints,
    node_first: Ints,
    decision: Ints,
    chance: Floats,
    ends: Floats,
    decisions: Floats,
    nodes: Floats,
) -> None:
    """Update every decision from the current nodes, then every node from the decisions."""
    for at in range(len(set_first) - 1):
        best = decisions[at]
        best[:] = 0.0
        for place in range(set_first[at], set_first[at + 1]):
            code = outcome[place]
            reached = ends[-1 - code] if code < 0 else nodes[code]
            for lane in range(_LANES):
                best[lane] = max(best[lane], reached[lane])
    for at in range(len(node_first) - 1):
        value = nodes[at]
        value[:] = 0.0
        for place in range(node_first[at], node_first[at + 1]):
            reached = decisions[decision[place]]
            weight = chance[place]
            for lane in range(_LANES):
                value[lane] += weight * reached[lane]


@njit(cache=True, nogil=True)
def _solve_sum(
    lower: int,
    upper: int,
    own: Ints,
    total: int,
    target: int,
    set_first: Ints,
    outcome: Ints,
    node_first: Ints,
    decision: Ints,
    chance: Floats,
    most: int,
    last: Floats,
    solved: Floats,
    worst: Floats,
) -> None:
    """Solve blocks of pairs of scores with one sum; both seatings of a pair are in the same."""
    for block in range(lower, upper):
        scores = np.empty(_LANES, np.int64)
        for lane in range(_LANES):
            # Pairs from both ends of the row, so that a lane's opposite is in the block too.
            at = block * (_LANES // 2) + lane // 2
            at = min(at, (len(own) - 1) // 2)
            scores[lane] = own[at] if lane % 2 == 0 else own[len(own) - 1 - at]
        ends = np.empty((most + 1, _LANES))
        for points in range(1, most + 1):
            for lane in range(_LANES):
                a, b = scores[lane], total - scores[lane]
                if a + points >= target:
                    ends[points, lane] = 1.0 - last[a + points - b, 0]
                else:
                    ends[points, lane] = 1.0 - solved[b, a + points, 0]
        nodes = np.full((len(node_first) - 1, _LANES), 0.5)
        decisions = np.empty((len(set_first) - 1, _LANES))
        moved = 1.0
        for _ in range(_PATIENCE):
            for lane in range(_LANES):
                ends[0, lane] = 1.0 - nodes[0, lane ^ 1]
            before = nodes[0].copy()
            _sweep(set_first, outcome, node_first, decision, chance, ends, decisions, nodes)
            moved = 0.0
            for lane in range(_LANES):
                moved = max(moved, abs(nodes[0, lane] - before[lane]))
            if moved < _CLOSE:
                break
        for at in range(len(nodes)):
            for lane in range(_LANES):
                solved[scores[lane], total - scores[lane], at] = nodes[at, lane]
        worst[block] = moved
