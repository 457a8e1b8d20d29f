"""Exact win probabilities of Go 500 between two racers, by lead.

Turns are solved backwards from the last one, for all leads at once (one per vector lane) and for
all numbers of rerolls left. Leads are capped where the result is practically certain.
"""

from __future__ import annotations

from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.cores import on_all_cores
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.solver import Unsolvable
from hotdice.solve.stopwatch import Stopwatch
from hotdice.solvers.go500.compiling import CompiledSegment
from hotdice.solvers.go500.segment import SegmentLayout
from hotdice.solvers.go500.solution import Go500Solution, after_segment

if TYPE_CHECKING:  # it loads the kernels when it needs them
    from hotdice.solvers.go500.solver import Go500Solver

_LANES = 64
_CLOSE = 1e-13
_PATIENCE = 60
_CERTAIN = 1e-11
_MOST_STATES = 50_000_000
_FAST = {"nnan", "ninf", "nsz", "contract"}

Joined = tuple[Ints, ...]
"""The arrays of all hands' ways, concatenated."""


def solve_go500(solver: Go500Solver, progress: Progress = no_progress) -> Go500Solution:
    """Solve a course between two racers under the game's options.

    Leads are capped. If the result is not certain at the cap, because a leader may lose more points
    than can be won, the cap is doubled and the course solved again.
    """
    stopwatch = Stopwatch()
    compiled, segments = solver.compiled, solver.segments
    size = solver.game.options.rerolls + 1
    ways = _join(compiled)
    stopwatch.pause()
    nothing = np.zeros((size, 2 + len(compiled.punishments), 0))
    _run(solver.layout(0), ways, nothing, 0)
    stopwatch.resume()
    positions = int((compiled.high - compiled.low + 1).sum())
    half = segments * max(solver.most, compiled.bonus) + _chain(compiled, size) * compiled.bonus
    while True:
        per_lead = size * max(2 * segments * (size + 1), positions)
        if per_lead * (2 * half + 1) > _MOST_STATES:
            raise Unsolvable("With these dice totals are spread too widely to be solved exactly.")
        win = _solve_leads(solver, half, ways, progress)
        edges = win[0, :, :, 0], 1.0 - win[0, :, :, -1]
        residual = max(float(edge.max()) for edge in edges)
        if residual < _CERTAIN:
            break
        half *= 2
    return Go500Solution(win, half, residual, stopwatch.seconds(), win.size, compiled.unit)


def _solve_leads(solver: Go500Solver, half: int, ways: Joined, progress: Progress) -> Floats:
    """Solve all turns, for leads from ``-half`` to ``half``."""
    segments, size = solver.segments, solver.game.options.rerolls + 1
    win = np.full((2 * segments, size, size + 1, 2 * half + 1), 0.5)
    leads = np.arange(-half + solver.least, half + solver.most + 1)
    for turn in range(2 * segments - 1, -1, -1):
        layout = solver.layout(turn // 2)
        for theirs in range(size + 1):
            racing, out = after_segment(win, half, turn, theirs, leads, segments)
            rows = _punishments(layout, racing, out)
            win[turn, :, theirs] = _run(layout, ways, rows, 2 * half + 1)
        progress(1.0 - turn / (2 * segments))
    return win


def _chain(compiled: CompiledSegment, rolls: int) -> int:
    """How many times in a row all dice may be circled before the chance is negligible."""
    chance = float(compiled.circled.max()) * rolls
    if chance >= 1.0:
        raise Unsolvable("With these dice a segment may never end.")
    return ceil(log(_CLOSE) / log(chance)) if chance else 1


def _punishments(layout: SegmentLayout, racing: Floats, out: Floats) -> Floats:
    """The rows of the layout by rerolls left and lead: the ends, then each punishment."""
    compiled, (rerolls, width) = layout.compiled, racing.shape
    rows = np.empty((rerolls, 2 + len(compiled.punishments), width))
    rows[:, 0], rows[:, 1] = racing, out
    points = np.arange(width)
    for at, one in enumerate(compiled.punishments):
        for left in range(rerolls):
            here = np.zeros(width)
            for chance, add, to, over in zip(*one, strict=True):
                value = rows[left, to + 2 if to >= 0 else int(over)]
                value = value[np.clip(points + add, 0, width - 1)]
                here += chance * (np.maximum(value, rows[left - 1, 2 + at]) if left else value)
            rows[left, 2 + at] = here
    return rows


def _join(compiled: CompiledSegment) -> Joined:
    """Concatenate the ways of all hands."""
    hands = compiled.green
    class_first = np.cumsum([0, *(len(ways.total) for ways in hands)])
    way_first = np.cumsum([0, *(len(ways.hand) for ways in hands)])
    first = np.concatenate(
        [ways.first[:-1] + begin for ways, begin in zip(hands, way_first, strict=False)]
        + [way_first[-1:]]
    )
    return (
        class_first,
        first,
        np.concatenate([ways.total for ways in hands]),
        np.concatenate([ways.hand for ways in hands]),
        np.concatenate([ways.add for ways in hands]),
    )


def _run(layout: SegmentLayout, ways: Joined, rows: Floats, lanes: int) -> Floats:
    """The value before taking dice, by rerolls left and lead."""
    compiled = layout.compiled
    sizes = compiled.high - compiled.low + 1
    starts = np.cumsum([0, *sizes])
    flags: list[Ints | Floats] = [
        np.concatenate([one.total for one in compiled.yellow]),
        np.concatenate([one.chance for one in compiled.yellow]),
        np.cumsum([0, *(len(one.total) for one in compiled.yellow)]),
        np.concatenate([one.total for one in compiled.red]),
        np.concatenate([one.chance for one in compiled.red]),
        np.cumsum([0, *(len(one.total) for one in compiled.red)]),
    ]
    fined = np.concatenate([hand.fined.reshape(-1) // layout.size for hand in layout.hands])
    over = np.concatenate([hand.over.reshape(-1) for hand in layout.hands])
    cells = np.cumsum([0, *(hand.over.size for hand in layout.hands)])
    rerolls = len(rows)
    take = np.zeros((rerolls, lanes))
    known = np.empty((rerolls, starts[-1], lanes))
    for turn in range(_PATIENCE):
        before = take.copy()
        again = np.take(take, np.arange(lanes) + compiled.bonus, axis=1, mode="clip")
        arguments: list[Any] = [  # type-checked by Numba
            rows,
            -layout.low,
            starts,
            compiled.low,
            *ways,
            np.concatenate([one.chance for one in compiled.green]),
            over,
            fined,
            cells,
            *flags,
            compiled.yellow_due + 2,
            compiled.red_due[1] + 2,
            compiled.black,
            compiled.circled,
            again,
            len(starts) - 2 if turn else 0,
            known,
            take,
        ]
        on_all_cores(_run_lanes, -(-lanes // _LANES), *arguments)
        moved = np.abs(take - before).max(initial=0.0)
        if moved * compiled.circled.max() < _CLOSE:
            break
    return take


@njit(cache=True, nogil=True, fastmath=_FAST)
def _run_lanes(  # noqa: PLR0912 - splitting a kernel would not make it clearer
    lower: int,
    upper: int,
    rows: Floats,
    zero: int,
    starts: Ints,
    low: Ints,
    class_first: Ints,
    first: Ints,
    total: Ints,
    to: Ints,
    add: Ints,
    chance: Floats,
    over: Ints,
    fined: Ints,
    cells: Ints,
    yellow_total: Ints,
    yellow_chance: Floats,
    yellow_first: Ints,
    red_total: Ints,
    red_chance: Floats,
    red_first: Ints,
    yellow_due: int,
    red_due: int,
    black: Floats,
    circled: Floats,
    again: Floats,
    from_hand: int,
    known: Floats,
    take: Floats,
) -> None:
    """Evaluate hands from few dice to many, for a block of leads at a time.

    Only the last hand has all dice, so only its value can depend on ``again``.
    """
    rerolls, lanes = take.shape
    for block in range(lower, upper):
        begin = block * _LANES
        width = min(_LANES, lanes - begin)
        best = np.empty(width)
        for left in range(rerolls):
            for hand in range(from_hand, len(starts) - 1):
                classes = class_first[hand + 1] - class_first[hand]
                for level in range(starts[hand + 1] - starts[hand]):
                    locked = low[hand] + level
                    here = known[left, starts[hand] + level, begin : begin + width]
                    rolled = known[max(left - 1, 0), starts[hand] + level, begin : begin + width]
                    here[:] = 0.0
                    for one in range(class_first[hand], class_first[hand + 1]):
                        at = begin + zero + locked + total[one]
                        cell = cells[hand] + level * classes + one - class_first[hand]
                        ends = fined[cell] if over[cell] else 0
                        for lane in range(width):
                            best[lane] = rows[left, ends, at + lane]
                        if not over[cell]:
                            for way in range(first[one], first[one + 1]):
                                place = starts[to[way]] + locked + add[way] - low[to[way]]
                                reached = known[left, place, begin : begin + width]
                                for lane in range(width):
                                    best[lane] = max(best[lane], reached[lane])
                        if left > 0:
                            for lane in range(width):
                                best[lane] = max(best[lane], rolled[lane])
                        weight = chance[one]
                        for lane in range(width):
                            here[lane] += weight * best[lane]
                    for one in range(yellow_first[hand], yellow_first[hand + 1]):
                        at = begin + zero + locked + yellow_total[one]
                        reached = rows[left, yellow_due, at : at + width]
                        for lane in range(width):
                            value = reached[lane]
                            if left > 0:
                                value = max(value, rolled[lane])
                            here[lane] += yellow_chance[one] * value
                    for one in range(red_first[hand], red_first[hand + 1]):
                        at = begin + zero + locked + red_total[one]
                        reached = rows[left, red_due, at : at + width]
                        for lane in range(width):
                            value = reached[lane]
                            if left > 0:
                                value = max(value, rolled[lane])
                            here[lane] += red_chance[one] * value
                    for lane in range(width):
                        value = rows[left, 0, begin + zero + lane]
                        bonus = again[left, begin + lane]
                        if left > 0:
                            value = max(value, rolled[lane])
                            bonus = max(bonus, rolled[lane])
                        here[lane] += black[hand] * value + circled[hand] * bonus
            for lane in range(width):
                value = 0.0
                for hand in range(len(starts) - 1):
                    value = max(value, known[left, starts[hand] - low[hand], begin + lane])
                take[left, begin + lane] = value
