"""Exact win probabilities of a banking race between two players.

A bust changes no score, so a pair of scores depends only on pairs with a higher sum and on itself
with the seats exchanged. The win probability at score ``a`` against ``b`` is a convex,
piecewise-linear function of the value of a bust; the fixed point of the two players' functions is
found by the secant method. All pairs with the same sum are independent and are solved in parallel,
across vector lanes and threads.

Reaching the target wins, or gives the other player one last turn, whose value depends only on the
distance; ties then share the win. Totals that are reached with a chance below about 1e-12 are
always banked.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.cores import on_all_cores
from hotdice.solve.race.program import Program
from hotdice.solve.race.rules import RaceTerms
from hotdice.solve.race.solution import RaceSolution
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.stopwatch import Stopwatch

_LANES = 32
_HALF = _LANES // 2
_DEEPEST = 32
_NUDGE = 1e-8
_PATIENCE = 60
_CLOSE = 1e-12
_FAST = {"nnan", "ninf", "nsz", "contract"}
_RARE = 1e-12


def solve_race(
    program: Program, terms: RaceTerms, progress: Progress = no_progress
) -> RaceSolution:
    """Solve a race between two players."""
    stopwatch = Stopwatch()
    target = -(-terms.target // program.unit)
    entry = -(-terms.entry // program.unit)
    stopwatch.pause()
    _last_turns(1, *program[2:])
    stopwatch.resume()
    last = _last_turn(program, target)
    top = int(np.argmax(last[-1] < _RARE))
    scores = [0, *range(max(entry, 1), target)]
    known = set(scores)
    win = np.full((target, target), 0.5)
    slopes = np.full((target, target), 0.4)
    offers, offer_at = _offer_space(target, len(program.keys) - 1)
    residual, states = 0.0, 0

    def settle(pairs: Ints, worst: Floats) -> None:
        on_all_cores(
            _solve_pairs,
            len(worst),
            pairs,
            target,
            entry,
            top,
            *program[2:],
            win,
            offers,
            offer_at,
            last,
            int(terms.carry_over),
            int(terms.last_lap),
            slopes,
            worst,
        )

    stopwatch.pause()
    settle(np.zeros((0, 2), np.int64), np.zeros(0))
    stopwatch.resume()
    for total in range(2 * (target - 1), -1, -1):
        pairs = [(a, total - a) for a in scores if a <= total - a and total - a in known]
        if not pairs:
            continue
        _guess(win, slopes, pairs)
        worst = np.zeros(-(-len(pairs) // _HALF))
        settle(np.array(pairs, np.int64), worst)
        residual = max(residual, float(worst.max()))
        states += len({*pairs, *((b, a) for a, b in pairs)})
        progress(states / len(scores) ** 2)
    return RaceSolution(
        win, offers, offer_at, last, top, residual, stopwatch.seconds(), states, program.unit
    )


def _guess(win: Floats, slopes: Floats, pairs: list[tuple[int, int]]) -> None:
    """Extrapolate starting values linearly from the neighbours with higher scores."""
    size = len(win)
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            if a + 1 < size and b + 1 < size:
                win[a, b] = win[a + 1, b] + win[a, b + 1] - win[a + 1, b + 1]
                slopes[a, b] = slopes[a + 1, b + 1]


def _offer_space(target: int, nodes: int) -> tuple[Floats, Ints]:
    """Allocate the values of offers, and index them by sum of scores and banked total.

    An offer is made by a player who had score ``a``, banks a total and leaves a node's dice.
    """
    at = np.full((2 * target, target), -1, np.int64)
    size = 0
    for total in range(2 * target - 1):
        for banked in range(1, min(target, total + 1)):
            at[total, banked] = size
            size += (min(target - 1, total) - banked + 1) * nodes
    return np.zeros(size), at


def _last_turn(program: Program, target: int) -> Floats:
    """The best chance to gain more than a distance in one turn; ties count half."""
    longest = target
    while True:
        longest *= 2
        found = _last_turns(longest, *program[2:])
        if found[-1, -1] < _RARE / 100:
            return found


@njit(cache=True)
def _last_turns(
    longest: int,
    first: Ints,
    depth: Ints,
    node: Ints,
    add: Ints,
    weight: Floats,
    bust: Floats,
) -> Floats:
    nodes = len(bust)
    found = np.zeros((nodes, longest + 1))
    best = np.zeros(_DEEPEST + 1)
    for distance in range(longest + 1):
        for n in range(nodes):
            value = 0.0
            for step in range(first[n], first[n + 1]):
                left = distance - add[step]
                if left < 0:
                    reach = 1.0
                elif left == 0:
                    reach = max(0.5, found[node[step], 0])
                else:
                    reach = found[node[step], left]
                best[depth[step] + 1] = max(best[depth[step]], reach)
                value += weight[step] * best[depth[step] + 1]
            found[n, distance] = value
    return found


@njit(cache=True)
def _bank_values(
    own: Ints,
    other: Ints,
    target: int,
    entry: int,
    bank: Floats,
    bust: Floats,
    win: Floats,
    offers: Floats,
    offer_at: Ints,
    last: Floats,
    carry: int,
    lap: int,
) -> None:
    """The value of banking each total, which does not depend on the value of a bust."""
    nodes = len(bust)
    for total in range(bank.shape[0]):
        for n in range(nodes):
            for lane in range(_LANES):
                a, b = own[lane], other[lane]
                offered = carry > 0 and b > 0 and n < nodes - 1
                if total == 0 or (a == 0 and total < entry):
                    value = -1.0
                elif a + total < target:
                    if offered:
                        place = offer_at[b + a + total, total] + a * (nodes - 1) + n
                        value = 1.0 - offers[place]
                    else:
                        value = 1.0 - win[b, a + total]
                elif lap == 0:
                    value = 1.0
                else:
                    away = a + total - b
                    reach = last[nodes - 1, away] if away < last.shape[1] else 0.0
                    if offered:
                        short = last[n, a - b] if a >= b else 1.0 - bust[n]
                        reach = max(reach, short)
                    value = 1.0 - reach
                bank[total, n, lane] = value


@njit(cache=True, fastmath=_FAST)
def _sweep(
    lost: Floats,
    top: int,
    first: Ints,
    depth: Ints,
    node: Ints,
    add: Ints,
    weight: Floats,
    bust: Floats,
    bank: Floats,
    value: Floats,
    going: Floats,
    best: Floats,
) -> None:
    """The value of every node and total, from high totals down, given the value of a bust."""
    for total in range(top + 1, len(bank)):
        for n in range(len(bust)):
            for lane in range(_LANES):
                value[total, n, lane] = bank[total, n, lane]
    for total in range(top, -1, -1):
        for n in range(len(bust)):
            here = going[total, n]
            for lane in range(_LANES):
                here[lane] = bust[n] * lost[lane]
            for step in range(first[n], first[n + 1]):
                reached = value[total + add[step], node[step]]
                before = best[depth[step]]
                after = best[depth[step] + 1]
                for lane in range(_LANES):
                    after[lane] = max(before[lane], reached[lane])
                chance = weight[step]
                if chance > 0.0:
                    for lane in range(_LANES):
                        here[lane] += chance * after[lane]
            banked = bank[total, n]
            out = value[total, n]
            for lane in range(_LANES):
                out[lane] = max(here[lane], banked[lane])


@njit(cache=True, nogil=True)
def _solve_pairs(
    lower: int,
    upper: int,
    pairs: Ints,
    target: int,
    entry: int,
    top: int,
    first: Ints,
    depth: Ints,
    node: Ints,
    add: Ints,
    weight: Floats,
    bust: Floats,
    win: Floats,
    offers: Floats,
    offer_at: Ints,
    last: Floats,
    carry: int,
    lap: int,
    slopes: Floats,
    worst: Floats,
) -> None:
    """Solve blocks of pairs of scores with one sum; both seatings of a pair are in the same."""
    nodes = len(bust)
    rows = top + add.max() + 1
    for block in range(lower, upper):
        own = np.empty(_LANES, np.int64)
        other = np.empty(_LANES, np.int64)
        for i in range(_HALF):
            pair = min(block * _HALF + i, len(pairs) - 1)
            own[i] = other[i + _HALF] = pairs[pair, 0]
            other[i] = own[i + _HALF] = pairs[pair, 1]
        bank = np.empty((rows, nodes, _LANES))
        value = np.empty((rows, nodes, _LANES))
        going = np.empty((top + 1, nodes, _LANES))
        best = np.zeros((_DEEPEST + 1, _LANES))
        _bank_values(own, other, target, entry, bank, bust, win, offers, offer_at, last, carry, lap)
        lost = np.empty(_LANES)
        slope = np.empty(_LANES)
        tried = np.empty(_LANES)
        found = np.empty(_LANES)
        for lane in range(_LANES):
            lost[lane] = 1.0 - win[other[lane], own[lane]]
            slope[lane] = slopes[own[lane], other[lane]]
        for turn in range(_PATIENCE):
            _sweep(lost, top, first, depth, node, add, weight, bust, bank, value, going, best)
            start = going[0, nodes - 1]
            for lane in range(_LANES):
                moved = lost[lane] - tried[lane] if turn else 0.0
                if abs(moved) > _NUDGE:
                    slope[lane] = (start[lane] - found[lane]) / moved
                tried[lane], found[lane] = lost[lane], start[lane]
            error = 0.0
            for i in range(_HALF):
                j = i + _HALF
                # x = start_i + slope_i (1 - y - lost_i), y = start_j + slope_j (1 - x - lost_j)
                f = start[i] + slope[i] * (1.0 - lost[i])
                g = start[j] + slope[j] * (1.0 - lost[j])
                x = (f - slope[i] * g) / (1.0 - slope[i] * slope[j])
                y = g - slope[j] * x
                error = max(error, abs(1.0 - y - lost[i]), abs(1.0 - x - lost[j]))
                lost[i], lost[j] = 1.0 - y, 1.0 - x
            if error < _CLOSE:
                break
        for lane in range(_LANES):
            slopes[own[lane], other[lane]] = slope[lane]
        for lane in range(_LANES):
            win[other[lane], own[lane]] = 1.0 - lost[lane]
        gap = 0.0
        for lane in range(_LANES):
            gap = max(gap, abs(going[0, nodes - 1, lane] - win[own[lane], other[lane]]))
        worst[block] = gap
        if carry:
            _note_offers(own, other, entry, going, win, offers, offer_at)


@njit(cache=True)
def _note_offers(
    own: Ints,
    other: Ints,
    entry: int,
    going: Floats,
    win: Floats,
    offers: Floats,
    offer_at: Ints,
) -> None:
    """Store the value of each offer to its receiver, who accepts or declines it."""
    nodes = going.shape[1]
    for lane in range(_LANES):
        a, b = own[lane], other[lane]
        for total in range(1, b + 1):
            place = offer_at[a + b, total] + (b - total) * (nodes - 1)
            for n in range(nodes - 1):
                taken = going[total, n, lane] if total < going.shape[0] else 0.0
                offers[place + n] = max(taken, win[a, b])
