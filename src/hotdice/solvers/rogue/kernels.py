"""Exact win probabilities of Rogue between two players.

A pair of scores depends on pairs with a higher sum and, because a turn may make 0 points, on
itself: the values of moving first and second in the round depend on each other, but so weakly that
a few iterations converge. Once the target is reached only the lead matters; a tie then starts
another round. Leads are capped where only six rogues in a row can still beat them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.cores import on_all_cores
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.stopwatch import Stopwatch
from hotdice.solvers.rogue.turn import RogueSolution, how_it_ends
from hotdice.solvers.rogue.unrolled import Unrolled

_LANES = 64
_DEEPEST = 64
_CLOSE = 1e-13
_PATIENCE = 200
_FAST = {"nnan", "ninf", "nsz", "contract"}
_PLAIN, _EXTRA, _OUT = range(3)
_KINDS = {"roll": _PLAIN, "extra": _EXTRA, "over": _OUT}


def solve_rogue(
    turn: Unrolled, target: int, war: int, progress: Progress = no_progress
) -> RogueSolution:
    """Solve the game between two players."""
    stopwatch = Stopwatch()
    kinds = np.array([_KINDS[how_it_ends(end)] for end in turn.ends], np.int64)
    gains = np.array([points for _, points in turn.ends], np.int64)
    stopwatch.pause()
    _solve_end(1, kinds, gains, *turn[1:])
    stopwatch.resume()
    longest = target + 3 * int(gains.max())
    behind, ahead = _solve_end(longest, kinds, gains, *turn[1:])
    while behind[longest // 2] - behind[longest] > _CLOSE:
        longest *= 2
        behind, ahead = _solve_end(longest, kinds, gains, *turn[1:])
    first = np.full((2 * target, target), 0.5)
    second = np.full((2 * target, target), 0.5)
    residual, done = 0.0, 0

    def settle(total: int, low: int, count: int, worst: Floats) -> None:
        on_all_cores(
            _solve_sum,
            len(worst),
            total,
            low,
            count,
            target,
            war,
            kinds,
            gains,
            *turn[1:],
            behind,
            ahead,
            first,
            second,
            worst,
        )

    stopwatch.pause()
    settle(0, 0, 0, np.zeros(0))
    stopwatch.resume()
    for total in range(2 * (target - 1), -1, -1):
        low = max(0, total - target + 1)
        count = min(total, target - 1) - low + 1
        worst = np.zeros(-(-count // _LANES))
        settle(total, low, count, worst)
        residual = max(residual, float(worst.max()))
        done += count
        progress(done / target**2)
    seconds = stopwatch.seconds()
    return RogueSolution(first, second, behind, ahead, residual, seconds, 2 * target * target)


@njit(cache=True, fastmath=_FAST)
def _run(
    ends: int,
    first: Ints,
    depth: Ints,
    place: Ints,
    weight: Floats,
    values: Floats,
    best: Floats,
) -> None:
    """The value of every position, given the ends; the last one is the start of the turn."""
    for position in range(len(first) - 1):
        here = values[ends + position]
        here[:] = 0.0
        for step in range(first[position], first[position + 1]):
            reached = values[place[step]]
            before = best[depth[step]]
            after = best[depth[step] + 1]
            for lane in range(len(here)):
                after[lane] = max(before[lane], reached[lane])
            chance = weight[step]
            if chance > 0.0:
                for lane in range(len(here)):
                    here[lane] += chance * after[lane]


@njit(cache=True)
def _solve_end(  # noqa: PLR0912 - splitting a kernel would not make it clearer
    longest: int,
    kinds: Ints,
    gains: Ints,
    first: Ints,
    depth: Ints,
    place: Ints,
    weight: Floats,
) -> tuple[Floats, Floats]:
    """Values of the last round: moving second and behind, and moving first and ahead, by lead.

    A lead depends on others only through additional turns, so as many neighbours are evaluated at
    once as the least of these gains points.
    """
    ends, lanes = len(kinds), _LANES
    for end in range(ends):
        if kinds[end] == _EXTRA:
            lanes = min(lanes, max(1, gains[end]))
    values = np.zeros((ends + len(first) - 1, lanes))
    best = np.zeros((_DEEPEST + 1, lanes))
    behind, ahead = np.zeros(longest + 1), np.ones(longest + 1)
    again = 0.5
    for _ in range(_PATIENCE):
        for begin in range(0, longest + 1, lanes):
            for end in range(ends):
                gain = gains[end]
                for lane in range(lanes):
                    lag, value = min(begin + lane, longest), 0.0
                    if kinds[end] == _OUT or gain > lag:
                        value = 1.0
                    elif gain == lag:
                        value = 1.0 - again
                        if kinds[end] == _EXTRA:
                            value = max(value, behind[0])
                    elif kinds[end] == _EXTRA:
                        value = behind[lag - gain]
                    values[end, lane] = value
            _run(ends, first, depth, place, weight, values, best)
            for lane in range(min(lanes, longest + 1 - begin)):
                behind[begin + lane] = values[-1, lane]
        for begin in range(longest, -1, -lanes):
            for end in range(ends):
                for lane in range(lanes):
                    reached = min(longest, max(0, begin - lane) + gains[end])
                    value = 1.0 - behind[reached]
                    if kinds[end] == _EXTRA and reached < longest:
                        value = max(value, ahead[reached])
                    values[end, lane] = 1.0 if kinds[end] == _OUT else value
            _run(ends, first, depth, place, weight, values, best)
            for lane in range(min(lanes, begin + 1)):
                ahead[begin - lane] = values[-1, lane]
        moved = abs(ahead[0] - again)
        again = ahead[0]
        if moved < _CLOSE:
            break
    return behind, ahead


@njit(cache=True, nogil=True)
def _solve_sum(  # noqa: PLR0912 - splitting a kernel would not make it clearer
    lower: int,
    upper: int,
    total: int,
    low: int,
    count: int,
    target: int,
    war: int,
    kinds: Ints,
    gains: Ints,
    first: Ints,
    depth: Ints,
    place: Ints,
    weight: Floats,
    behind: Floats,
    ahead: Floats,
    firsts: Floats,
    seconds: Floats,
    worst: Floats,
) -> None:
    """Solve blocks of pairs with one sum: ``a`` moves first in the round, ``b`` second."""
    ends = len(kinds)
    for block in range(lower, upper):
        moving = np.empty((ends + len(first) - 1, _LANES))
        waiting = np.empty((ends + len(first) - 1, _LANES))
        best = np.zeros((_DEEPEST + 1, _LANES))
        guess = np.empty(_LANES)
        nothing = -1
        for end in range(ends):
            gain, extra = gains[end], kinds[end] == _EXTRA
            if gain == 0 and kinds[end] == _PLAIN:
                nothing = end
                continue
            for lane in range(_LANES):
                a = low + min(block * _LANES + lane, count - 1)
                b = total - a
                if kinds[end] == _OUT:
                    moving[end, lane] = waiting[end, lane] = 1.0
                    continue
                fighting = extra and max(a, b) >= war
                if a + gain >= target:
                    value = 1.0 - behind[a + gain - b]
                    again = ahead[a + gain - b]
                else:
                    value = 1.0 - seconds[total + gain, b]
                    again = firsts[total + gain, a + gain]
                moving[end, lane] = max(value, again) if fighting else value
                if b + gain >= target:
                    value = again = 1.0
                else:
                    value = 1.0 - firsts[total + gain, a]
                    again = seconds[total + gain, b + gain]
                waiting[end, lane] = max(value, again) if fighting else value
        for lane in range(_LANES):
            b = total - (low + min(block * _LANES + lane, count - 1))
            guess[lane] = seconds[total + 1, b] if total + 1 < len(seconds) else 0.5
        moved = 1.0
        for _ in range(_PATIENCE):
            if nothing >= 0:
                for lane in range(_LANES):
                    moving[nothing, lane] = 1.0 - guess[lane]
            _run(ends, first, depth, place, weight, moving, best)
            if nothing >= 0:
                for lane in range(_LANES):
                    waiting[nothing, lane] = 1.0 - moving[-1, lane]
            _run(ends, first, depth, place, weight, waiting, best)
            moved = 0.0
            for lane in range(_LANES):
                moved = max(moved, abs(waiting[-1, lane] - guess[lane]))
                guess[lane] = waiting[-1, lane]
            if moved < _CLOSE:
                break
        for lane in range(_LANES):
            a = low + min(block * _LANES + lane, count - 1)
            firsts[total, a] = moving[-1, lane]
            seconds[total, total - a] = guess[lane]
        worst[block] = moved
