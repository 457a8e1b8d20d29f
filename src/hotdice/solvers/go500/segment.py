"""Evaluates one segment for one racer, given the values of its ends."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hotdice.solve.arrays import Bools, Floats, Ints
from hotdice.solve.solver import Unsolvable
from hotdice.solvers.go500.compiling import CompiledSegment, Limit, Ways

_NEVER = -1e9
_CLOSE = 1e-13
_PATIENCE = 1000


class Ends(NamedTuple):
    """The values of a segment's ends to one racer.

    Attributes:
        low: the points, in units, at index 0 of each row.
        racing: by rerolls left and points, if the racer is still in the race.
        out: by rerolls left and points, if the racer is out.
        again: by rerolls left, with all dice circled; ``None`` if values are expected points.
    """

    low: int
    racing: Floats
    out: Floats
    again: Floats | None


class SolvedSegment(NamedTuple):
    """A segment solved for one racer.

    Attributes:
        take: the value before dice are taken, by rerolls left.
        hands: the value before rolling each hand, by rerolls left and points locked.
        due: the value before rolling each punishment, by rerolls left and total.
        low: the total at index 0 of ``due``.
    """

    take: Floats
    hands: list[Floats]
    due: list[Floats]
    low: int


def least_points(compiled: CompiledSegment, limits: list[Limit]) -> int:
    """The fewest points, in units, that a segment can end with."""
    lowest: list[int] = []
    for one in compiled.punishments:
        worst = [
            int(a) + (lowest[t] if t >= 0 else 0) for a, t in zip(one.add, one.to, strict=True)
        ]
        lowest.append(min(worst))
    floor = min(0, *(limit.low for limit in limits))
    return floor + min(lowest)


class SegmentLayout(NamedTuple):
    """A segment's lookup tables: everything that does not depend on the values of its ends.

    Attributes:
        compiled: the compiled segment.
        low: the points, in units, at index 0 of each row of ends.
        size: the length of those rows.
        zero: the index of 0 points.
        hands: the layout of each hand.
        faces: for each punishment, the indices of its faces' values in the rows.
        needed: the punishments that can occur, successors first.
    """

    compiled: CompiledSegment
    low: int
    size: int
    zero: int
    hands: tuple[HandLayout, ...]
    faces: tuple[Ints, ...]
    needed: tuple[int, ...]


class HandLayout(NamedTuple):
    """The indices of the values that a hand's rolls lead to, by points locked.

    Attributes:
        stop: the end for each class under a green flag.
        over: whether its total is above the limit.
        fined: what then follows, as an index into the rows.
        speeds: whether any total is above the limit.
        going: all ways to continue, as indices into the values of all hands.
        cuts: where each class's ways start in ``going``.
        yellow: the results under a yellow flag, as indices into the rows.
        red: the same under a red flag.
    """

    stop: Ints
    over: Bools
    fined: Ints
    speeds: bool
    going: Ints
    cuts: Ints
    yellow: Ints
    red: Ints


def lay_out_segment(compiled: CompiledSegment, limit: Limit, low: int, most: int) -> SegmentLayout:
    """Build the layout of a segment whose rows range from ``low`` to ``most`` units.

    The first two rows are the ends, racing and out; then there is one for each punishment.
    """
    size = most - low + 1
    points = np.arange(size)
    faces = tuple(
        np.clip(points + one.add[:, None], 0, size - 1)
        + size * np.where(one.to >= 0, one.to + 2, one.out)[:, None]
        for one in compiled.punishments
    )
    starts = np.cumsum([1, *(compiled.high - compiled.low + 1)])
    hands = []
    for at, ways in enumerate(compiled.green):
        locked = np.arange(compiled.low[at], compiled.high[at] + 1)[:, None]
        totals = np.clip(locked + ways.total, low, most)
        inside = np.clip(totals - limit.low, 0, len(limit.over) - 1)
        over, due = limit.over[inside], limit.due[inside]
        stop = totals - low
        yellow = np.clip(locked + compiled.yellow[at].total - low, 0, size - 1)
        red = np.clip(locked + compiled.red[at].total - low, 0, size - 1)
        going, cuts = _places(starts, compiled, ways, locked)
        hands.append(
            HandLayout(
                stop,
                over,
                stop + size * np.where(due >= 0, due + 2, 0),
                bool(over.any()),
                going,
                cuts,
                yellow + size * (compiled.yellow_due + 2),
                red + size * (compiled.red_due[1] + 2),
            )
        )
    needed = _following(
        compiled, {compiled.yellow_due, compiled.red_due[1], *limit.due.tolist()} - {-1}
    )
    return SegmentLayout(compiled, low, size, -low, tuple(hands), faces, needed)


def _following(compiled: CompiledSegment, due: set[int]) -> tuple[int, ...]:
    """The given punishments and all that can follow them, in order."""
    for at in range(len(compiled.punishments) - 1, -1, -1):
        if at in due:
            due |= {int(to) for to in compiled.punishments[at].to if to >= 0}
    return tuple(sorted(due))


def _places(starts: Ints, compiled: CompiledSegment, ways: Ways, locked: Ints) -> tuple[Ints, Ints]:
    """Ways to continue as indices into the values of all hands; index 0 stands for none."""
    base = starts[ways.hand] - compiled.low[ways.hand] + ways.add
    empty = ways.first[:-1] == ways.first[1:]
    spots = np.insert(base, ways.first[:-1][empty], 0)
    some = np.insert(np.ones(len(base), bool), ways.first[:-1][empty], values=False)
    cuts = ways.first[:-1] + np.concatenate([[0], np.cumsum(empty)[:-1]])
    return np.where(some, locked + spots, 0), cuts


def run_segment(layout: SegmentLayout, ends: Ends) -> SolvedSegment:
    """The value of every position of a segment for one racer, given the values of its ends."""
    compiled, rerolls = layout.compiled, len(ends.racing)
    rows = _run_punishments(layout, ends)
    hands: list[Floats] = []
    known = np.full((rerolls, 1 + int((compiled.high - compiled.low + 1).sum())), _NEVER)
    again = np.full(rerolls, _NEVER) if ends.again is None else ends.again
    start = 1
    for at in range(len(compiled.hands)):
        value = _run_hand(layout, rows, known, at, again)
        known[:, start : start + value.shape[1]] = value
        start += value.shape[1]
        hands.append(value)
    take = np.max([value[:, -low] for value, low in zip(hands, compiled.low, strict=True)], axis=0)
    if ends.again is None:
        for _ in range(_PATIENCE):
            hands[-1] = _run_hand(layout, rows, known, len(hands) - 1, take + compiled.bonus)
            better = np.maximum(take, hands[-1][:, 0])
            moved = float(np.abs(better - take).max())
            take = better
            if moved < _CLOSE * max(1.0, float(np.abs(take).max())):
                break
        else:
            raise Unsolvable("With these dice a segment may never end.")
    due = [rows[:, 2 + at] for at in range(len(compiled.punishments))]
    return SolvedSegment(take, hands, due, layout.low)


def _run_punishments(layout: SegmentLayout, ends: Ends) -> Floats:
    """The rows of the layout: the ends and each punishment, by rerolls left and total."""
    punishments = layout.compiled.punishments
    rerolls = len(ends.racing)
    rows = np.empty((rerolls, 2 + len(punishments), layout.size))
    rows[:, 0], rows[:, 1] = ends.racing, ends.out
    for left in range(rerolls):
        for at in layout.needed:
            value = _punished(layout, rows, at, left)
            np.dot(punishments[at].chance, value, out=rows[left, 2 + at])
    return rows


def _punished(layout: SegmentLayout, rows: Floats, at: int, left: int) -> Floats:
    """The value after each face of a punishment, by total."""
    value: Floats = rows[left].reshape(-1)[layout.faces[at]]
    if left:
        np.maximum(value, rows[left - 1, 2 + at], out=value)
    return value


class Rolled(NamedTuple):
    """The values after the rolls of a hand, by points locked and class of rolls."""

    green: Floats
    yellow: Floats
    red: Floats
    black: Floats | float
    circled: Floats | float


def _run_hand(layout: SegmentLayout, rows: Floats, known: Floats, at: int, again: Floats) -> Floats:
    """The value before rolling a hand, by rerolls left and points locked."""
    compiled = layout.compiled
    value = np.empty((len(rows), len(layout.hands[at].stop)))
    for left in range(len(rows)):
        before = value[left - 1] if left else None
        found = _rolled(layout, rows[left], known[left], at, float(again[left]), before)
        value[left] = found.green @ compiled.green[at].chance
        value[left] += found.yellow @ compiled.yellow[at].chance
        value[left] += found.red @ compiled.red[at].chance
        value[left] += compiled.black[at] * found.black
        if compiled.circled[at]:
            value[left] += compiled.circled[at] * found.circled
    return value


def _rolled(
    layout: SegmentLayout,
    rows: Floats,
    known: Floats,
    at: int,
    again: float,
    before: Floats | None,
    places: slice = slice(None),
) -> Rolled:
    """The values after the rolls of a hand with these points locked.

    Args:
        layout: the segment.
        rows: the values of its ends and punishments.
        known: the values of all hands.
        at: the hand.
        again: the value of racing the segment again.
        before: the values of rolling the hand again; ``None`` without a reroll.
        places: the points locked.
    """
    hand, flat = layout.hands[at], rows.reshape(-1)
    best = flat[hand.stop[places]]
    if len(layout.compiled.green[at].hand):
        reached = np.take(known, hand.going[places], mode="clip")
        np.maximum(best, np.maximum.reduceat(reached, hand.cuts, axis=1), out=best)
    if hand.speeds:
        best = np.where(hand.over[places], flat[hand.fined[places]], best)
    found = Rolled(
        best, flat[hand.yellow[places]], flat[hand.red[places]], flat[layout.zero], again
    )
    if before is None:
        return found
    least = before[places]
    return Rolled(
        *(np.maximum(value, least[:, None]) for value in found[:3]),
        *(np.maximum(value, least) for value in found[3:]),
    )


def hand_variance(
    layout: SegmentLayout, ends: Ends, solved: SolvedSegment, at: int, left: int, place: int
) -> float:
    """The variance of the value after rolling a hand, at a place among the points locked."""
    compiled = layout.compiled
    rows = _run_punishments(layout, ends)
    known = np.concatenate([[_NEVER], *(hand[left] for hand in solved.hands)])
    again = solved.take + compiled.bonus if ends.again is None else ends.again
    before = solved.hands[at][left - 1] if left else None
    found = _rolled(
        layout, rows[left], known, at, float(again[left]), before, slice(place, place + 1)
    )
    mean = solved.hands[at][left, place]
    whole = (found.green[0] - mean) ** 2 @ compiled.green[at].chance
    whole += (found.yellow[0] - mean) ** 2 @ compiled.yellow[at].chance
    whole += (found.red[0] - mean) ** 2 @ compiled.red[at].chance
    for chance, value in (
        (compiled.black[at], found.black),
        (compiled.circled[at], found.circled),
    ):
        whole += chance * (np.ravel(value)[0] - mean) ** 2 if chance else 0.0
    return float(whole)


def punishment_variance(layout: SegmentLayout, ends: Ends, at: int, left: int, place: int) -> float:
    """The variance of the value after rolling a punishment, at a place among the totals."""
    rows = _run_punishments(layout, ends)
    value = _punished(layout, rows, at, left)[:, place]
    return float(layout.compiled.punishments[at].chance @ (value - rows[left, 2 + at, place]) ** 2)
