"""Courses: segments raced one after the other, with limits, flags, penalties and rerolls.

Players do not touch each other, so points are a matter of one racer alone. Between two the
difference of their totals is all that counts, and the values are exact. With more, what a segment
leads to is estimated from the chances against each of the others alone.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import gcd
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame
from hotdice.solve.program import Floats, Ints
from hotdice.solve.solver import (
    Odds,
    Question,
    Sheet,
    Solution,
    Solver,
    Unsolvable,
    settled,
    trust_in,
)
from hotdice.solve.store import Progress, load_table, no_progress, obtain_table

_OPEN = "name: open; segment: open = none"
_MOST_REROLLS = 6
"""The most rerolls for which two racers are solved exactly."""
_NEVER = -1e9
_CLOSE = 1e-13
_PATIENCE = 1000

Hand = tuple[int, int]


class Ways(NamedTuple):
    """What a hand of dice can show under a green flag, in the units of the stage.

    Attributes:
        total: each class's total.
        chance: its chance.
        first: where its ways to go on begin, and where the last one's end.
        hand: the number of the hand a way rolls next.
        add: the points it locks.
    """

    total: Ints
    chance: Floats
    first: Ints
    hand: Ints
    add: Ints


class Flagged(NamedTuple):
    """What a hand can show under a flag that ends the segment: totals and their chances."""

    total: Ints
    chance: Floats


class Punishment(NamedTuple):
    """A penalty die about to be rolled: where each face leads.

    Attributes:
        chance: each face's chance.
        add: what it adds, in units.
        to: the punishment that follows; -1 where the segment is complete.
        out: whether the race is over with it.
    """

    chance: Floats
    add: Ints
    to: Ints
    out: npt.NDArray[np.bool_]


class Stage(NamedTuple):
    """Everything that can happen on a segment, whatever its limit.

    Attributes:
        unit: the points all numbers are multiples of.
        hands: black and green dice about to be rolled, few dice first.
        low: the least points locked with each hand still to roll.
        high: the most.
        green: what each hand can show under a green flag.
        yellow: the same under a yellow flag.
        red: the same under a red flag.
        black: each hand's chance of a black flag.
        circled: each hand's chance that all dice are circled.
        bonus: the units those are worth.
        punishments: the penalty dice that can be due, those that follow first.
        yellow_due: the punishment for a yellow flag.
        red_due: the punishment for each number of red rolls.
        names: the number of each punishment: phase, rolls due, whether the second, out or not.
    """

    unit: int
    hands: tuple[Hand, ...]
    low: Ints
    high: Ints
    green: tuple[Ways, ...]
    yellow: tuple[Flagged, ...]
    red: tuple[Flagged, ...]
    black: Floats
    circled: Floats
    bonus: int
    punishments: tuple[Punishment, ...]
    yellow_due: int
    red_due: Mapping[int, int]
    names: Mapping[Any, int]


@dataclass(frozen=True)
class CourseTable:
    """Two racers solved.

    Attributes:
        win: chance to win of who is about to race a segment, by turn, own rerolls, the other's
            rerolls (the last entry for an other whose race is over) and lead.
        half: the place of no lead.
        residual: what the greatest leads leave to chance.
        seconds: how long it took.
        states: how many values were solved.
        unit: points per unit of the lead.
    """

    win: Floats
    half: int
    residual: float
    seconds: float
    states: int
    unit: int

    def value(self, turn: int, own: int, other: int, lead: int) -> float:
        """The chance to win before a turn; turns count through the segments, two to each."""
        place = np.clip(lead // self.unit + self.half, 0, 2 * self.half)
        return float(self.win[turn, own, other, place])


# Compiling --------------------------------------------------------------------------------------


def compile_stage(game: AnyGame) -> Stage:
    """A segment, compiled by driving the rules."""
    course = type(game.options.course).parse(_OPEN)
    options = replace(game.options, course=course, weather="good", rerolls=1)
    plain: Any = type(game)(options)
    fresh = plain.start(1)
    values = {code: side.value for code, side in plain.sides.items()}
    unit = gcd(*values.values(), options.all_circled) or 1
    takes = [plain.apply(fresh, choice) for choice in plain.choices(fresh)]
    hands = sorted(((s.blacks, s.greens) for s in takes), key=lambda hand: (sum(hand), hand))
    number = {hand: at for at, hand in enumerate(hands)}
    found = [_compile_hand(plain, fresh, hand, values, number, unit) for hand in hands]
    low, high = _ranges(hands, [ways for ways, _ in found])
    punishments, names = _compile_punishments(plain, fresh, unit)
    return Stage(
        unit,
        tuple(hands),
        low,
        high,
        tuple(ways for ways, _ in found),
        tuple(_flagged(flags["yellow"]) for _, flags in found),
        tuple(_flagged(flags["red"]) for _, flags in found),
        np.array([float(sum(flags["black"].values())) for _, flags in found]),
        np.array([float(sum(flags["bonus"].values())) for _, flags in found]),
        options.all_circled // unit,
        punishments,
        names["yellow", 1, False, False],
        {name[1]: at for name, at in names.items() if name[0] == "red" and not any(name[2:])},
        names,
    )


def _compile_hand(
    game: Any,
    fresh: Any,
    hand: Hand,
    values: Mapping[int, int],
    number: Mapping[Hand, int],
    unit: int,
) -> tuple[Ways, dict[str, dict[int, Fraction]]]:
    """What a hand can show: under a green flag, and under all others by total."""
    state = fresh._replace(phase="roll", blacks=hand[0], greens=hand[1])
    kind = {face.code: die.name for die in game.dice for face in die.faces}
    known: dict[Any, tuple[int, int] | None] = {}
    green: dict[tuple[int, frozenset[tuple[int, int]]], Fraction] = defaultdict(Fraction)
    flags: dict[str, dict[int, Fraction]] = {
        name: defaultdict(Fraction) for name in ("yellow", "red", "black", "bonus")
    }
    for roll, chance in game.rolls(state):
        called = game.apply(state, roll)
        outcome, total = game.outcome(called), game.total(called) // unit
        if outcome in flags:
            flags[outcome][total] += chance
            continue
        locks = [choice for choice in game.choices(called) if choice.verb == "lock"]
        kinds = tuple(
            kind[code] for code in max((lock.dice for lock in locks), key=len, default=())
        )
        going = set()
        for lock in locks:
            # What is left to roll hangs on the kinds of dice that lie there, not on their numbers.
            if (lock.dice, kinds) not in known:
                after = game.apply(called, lock)
                locked = sum(values[code] for code in lock.dice) // unit
                left = after.blacks, after.greens
                known[lock.dice, kinds] = (number[left], locked) if after.phase == "roll" else None
            if way := known[lock.dice, kinds]:
                going.add(way)
        green[total, frozenset(going)] += chance
    return _lay_out(green), flags


def _lay_out(green: Mapping[tuple[int, frozenset[tuple[int, int]]], Fraction]) -> Ways:
    first, hand, add = [0], [], []
    for _, going in green:
        for to, locked in sorted(going):
            hand.append(to)
            add.append(locked)
        first.append(len(hand))
    return Ways(
        np.array([total for total, _ in green], np.int64),
        np.array([float(chance) for chance in green.values()]),
        np.array(first, np.int64),
        np.array(hand, np.int64),
        np.array(add, np.int64),
    )


def _flagged(found: Mapping[int, Fraction]) -> Flagged:
    return Flagged(np.array(list(found), np.int64), np.array([float(c) for c in found.values()]))


def _ranges(hands: list[Hand], ways: list[Ways]) -> tuple[Ints, Ints]:
    """The least and the most points that can be locked before each hand."""
    low, high = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.int64)
    for at in range(len(hands) - 1, -1, -1):
        np.minimum.at(low, ways[at].hand, low[at] + ways[at].add)
        np.maximum.at(high, ways[at].hand, high[at] + ways[at].add)
    return low, high


def _compile_punishments(
    game: Any, fresh: Any, unit: int
) -> tuple[tuple[Punishment, ...], dict[Any, int]]:
    """Every penalty die that can be due, by what is due, numbered after all it leads to."""
    most = max((rolls for _, rolls in game.options.penalties.bands), default=1)
    plain = fresh._replace(rerolls=(0,))
    names: dict[Any, int] = {}
    made: list[Punishment] = []

    def number(state: Any) -> int:
        name = state.phase, state.rolls, state.second, state.out[0]
        if name not in names:
            rows = []
            for roll, chance in game.rolls(state):
                after = game.apply(state, roll)
                done = len(after.card[0]) > 0
                points = after.card[0][0] if done else after.total
                following = -1 if done else number(after._replace(total=0))
                rows.append((float(chance), points // unit, following, after.out[0]))
            chance, add, to, out = (np.array(column) for column in zip(*rows, strict=True))
            names[name] = len(made)
            made.append(Punishment(chance, add, to, out))
        return names[name]

    number(plain._replace(phase="yellow", rolls=1))
    for rolls in range(1, max(most, 1) + 1):
        number(plain._replace(phase="red", rolls=rolls))
    return tuple(made), names


@dataclass(frozen=True)
class StageTable:
    """A stage as it is kept: what it has of a kind in one row, and how many belong together."""

    hands: Ints
    low: Ints
    high: Ints
    black: Floats
    circled: Floats
    classes: Ints
    total: Ints
    chance: Floats
    ways: Ints
    hand: Ints
    add: Ints
    yellows: Ints
    yellow_total: Ints
    yellow_chance: Floats
    reds: Ints
    red_total: Ints
    red_chance: Floats
    faces: Ints
    face_chance: Floats
    face_add: Ints
    face_to: Ints
    face_out: Ints
    names: list[list[Any]]
    unit: int
    bonus: int


def pack(stage: Stage) -> StageTable:
    """A stage in rows."""
    green, punishments = stage.green, stage.punishments
    return StageTable(
        np.array(stage.hands),
        stage.low,
        stage.high,
        stage.black,
        stage.circled,
        np.array([len(ways.total) for ways in green]),
        np.concatenate([ways.total for ways in green]),
        np.concatenate([ways.chance for ways in green]),
        np.concatenate([np.diff(ways.first) for ways in green]),
        np.concatenate([ways.hand for ways in green]),
        np.concatenate([ways.add for ways in green]),
        np.array([len(one.total) for one in stage.yellow]),
        np.concatenate([one.total for one in stage.yellow]),
        np.concatenate([one.chance for one in stage.yellow]),
        np.array([len(one.total) for one in stage.red]),
        np.concatenate([one.total for one in stage.red]),
        np.concatenate([one.chance for one in stage.red]),
        np.array([len(one.chance) for one in punishments]),
        np.concatenate([one.chance for one in punishments]),
        np.concatenate([one.add for one in punishments]),
        np.concatenate([one.to for one in punishments]),
        np.concatenate([one.out for one in punishments]).astype(np.int64),
        [list(name) for name in stage.names],
        stage.unit,
        stage.bonus,
    )


def unpack(kept: StageTable) -> Stage:
    """The stage that rows were made of."""
    at = np.cumsum(kept.classes)[:-1]
    counts = np.split(kept.ways, at)
    of_hand = np.cumsum([int(count.sum()) for count in counts])[:-1]
    green = tuple(
        Ways(total, chance, np.concatenate([[0], np.cumsum(count)]), hand, add)
        for total, chance, count, hand, add in zip(
            np.split(kept.total, at),
            np.split(kept.chance, at),
            counts,
            np.split(kept.hand, of_hand),
            np.split(kept.add, of_hand),
            strict=True,
        )
    )
    names = {tuple(name): at for at, name in enumerate(kept.names)}
    faces = np.cumsum(kept.faces)[:-1]
    punishments = tuple(
        Punishment(chance, add, to, out.astype(bool))
        for chance, add, to, out in zip(
            np.split(kept.face_chance, faces),
            np.split(kept.face_add, faces),
            np.split(kept.face_to, faces),
            np.split(kept.face_out, faces),
            strict=True,
        )
    )
    return Stage(
        kept.unit,
        tuple((int(blacks), int(greens)) for blacks, greens in kept.hands),
        np.array(kept.low),
        np.array(kept.high),
        green,
        _unpack_flags(kept.yellows, kept.yellow_total, kept.yellow_chance),
        _unpack_flags(kept.reds, kept.red_total, kept.red_chance),
        np.array(kept.black),
        np.array(kept.circled),
        kept.bonus,
        punishments,
        names["yellow", 1, False, False],
        {name[1]: at for name, at in names.items() if name[0] == "red" and not any(name[2:])},
        names,
    )


def _unpack_flags(counts: Ints, total: Ints, chance: Floats) -> tuple[Flagged, ...]:
    at = np.cumsum(counts)[:-1]
    pairs = zip(np.split(total, at), np.split(chance, at), strict=True)
    return tuple(Flagged(*pair) for pair in pairs)


class Limit(NamedTuple):
    """What a limit makes of a total under a green flag, from the least total up.

    Attributes:
        low: the least total.
        over: whether it is above the limit.
        due: the punishment that follows; -1 for none.
    """

    low: int
    over: npt.NDArray[np.bool_]
    due: Ints


def compile_limit(game: AnyGame, stage: Stage, segment: int) -> Limit:
    """Drive the rules with the flag die alone and every total that dice can make locked."""
    rules: Any = game
    state = rules.start(1)._replace(rerolls=(0,), segment=segment, phase="roll")
    flag = next((code for code, side in rules.sides.items() if side.word == "green"), None)
    reached = _totals(rules)
    low, high = min(reached) // stage.unit, max(reached) // stage.unit
    over = np.zeros(high - low + 1, bool)
    due = np.full(high - low + 1, -1)
    if flag is None:
        return Limit(low, over, due)  # no green flag, no limit
    for total, dice in reached.items():
        rolled = state._replace(locked=dice, rerolls=(1,))
        called = rules.apply(rolled, Roll((flag,)))
        after = rules.apply(called, Choice("accept"))
        place = total // stage.unit - low
        over[place] = rules.outcome(called) == "speeding"
        if after.phase == "red":
            due[place] = stage.red_due[after.rolls]
    return Limit(low, over, due)


def _totals(game: Any) -> dict[int, tuple[int, ...]]:
    """Some dice for each total that black and green dice can make."""
    kinds = {die.name: [face.code for face in die.faces] for die in game.dice}
    worth = {code: side.value for code, side in game.sides.items()}
    most = max(len(choice.dice) for choice in game.choices(game.start(1))) - 1
    found: dict[int, tuple[int, ...]] = {0: ()}
    distinct = {worth[code]: code for code in kinds["black"]}
    for count in range(most + 1):
        for blacks in combinations_with_replacement(sorted(distinct.values()), count):
            for green in ((), *((code,) for code in kinds["green"])):
                dice = (*blacks, *green)
                found.setdefault(sum(worth[code] for code in dice), dice)
    return found


# Running ----------------------------------------------------------------------------------------


class Ends(NamedTuple):
    """What a segment's end is worth to one racer.

    Attributes:
        low: the points, in units, that the first entry of each row stands for.
        racing: by rerolls left and points, while the race goes on.
        out: by rerolls left and points, if it is over.
        again: by rerolls left, with all dice circled; ``None`` if points count for themselves.
    """

    low: int
    racing: Floats
    out: Floats
    again: Floats | None


class Segment(NamedTuple):
    """A segment solved for one racer.

    Attributes:
        take: the value before dice are taken, by rerolls left.
        hands: the value of each hand about to be rolled, by rerolls left and points locked.
        due: the value of each punishment about to be rolled, by rerolls left and total.
        low: the total that the first entry of ``due`` stands for.
    """

    take: Floats
    hands: list[Floats]
    due: list[Floats]
    low: int


def least_points(stage: Stage, limits: list[Limit]) -> int:
    """The fewest points, in units, that a segment can end with."""
    lowest: list[int] = []
    for one in stage.punishments:
        worst = [
            int(a) + (lowest[t] if t >= 0 else 0) for a, t in zip(one.add, one.to, strict=True)
        ]
        lowest.append(min(worst))
    floor = min(0, *(limit.low for limit in limits))
    return floor + min(lowest)


class Layout(NamedTuple):
    """A segment laid out for one run: everything that does not hang on what its end is worth.

    Attributes:
        stage: what can happen.
        low: the points, in units, that the first entry of each row of ends stands for.
        size: how long those rows are.
        zero: the entry for no points.
        hands: the layout of each hand.
        faces: for each punishment, where the values of its faces stand among all rows.
        needed: the punishments that can come up, those that follow first.
    """

    stage: Stage
    low: int
    size: int
    zero: int
    hands: tuple[HandLayout, ...]
    faces: tuple[Ints, ...]
    needed: tuple[int, ...]


class HandLayout(NamedTuple):
    """A hand by points locked: where the values stand that its rolls lead to.

    Attributes:
        stop: the end for each class under a green flag.
        over: whether that is above the limit.
        fined: where the value of what then follows stands among all rows.
        speeds: whether anything is above the limit.
        going: where the values of all ways to go on stand in one row of all hands.
        cuts: where each class's begin.
        yellow: where the values under a yellow flag stand among all rows.
        red: the same under a red flag.
    """

    stop: Ints
    over: npt.NDArray[np.bool_]
    fined: Ints
    speeds: bool
    going: Ints
    cuts: Ints
    yellow: Ints
    red: Ints


def lay_out_segment(stage: Stage, limit: Limit, low: int, most: int) -> Layout:
    """Lay a segment out; rows of ends reach from ``low`` to ``most`` units.

    Among all rows those of the ends come first, racing and out, then the punishments'.
    """
    size = most - low + 1
    points = np.arange(size)
    faces = tuple(
        np.clip(points + one.add[:, None], 0, size - 1)
        + size * np.where(one.to >= 0, one.to + 2, one.out)[:, None]
        for one in stage.punishments
    )
    starts = np.cumsum([1, *(stage.high - stage.low + 1)])
    hands = []
    for at, ways in enumerate(stage.green):
        locked = np.arange(stage.low[at], stage.high[at] + 1)[:, None]
        totals = np.clip(locked + ways.total, low, most)
        inside = np.clip(totals - limit.low, 0, len(limit.over) - 1)
        over, due = limit.over[inside], limit.due[inside]
        stop = totals - low
        yellow = np.clip(locked + stage.yellow[at].total - low, 0, size - 1)
        red = np.clip(locked + stage.red[at].total - low, 0, size - 1)
        going, cuts = _places(starts, stage, ways, locked)
        hands.append(
            HandLayout(
                stop,
                over,
                stop + size * np.where(due >= 0, due + 2, 0),
                bool(over.any()),
                going,
                cuts,
                yellow + size * (stage.yellow_due + 2),
                red + size * (stage.red_due[1] + 2),
            )
        )
    needed = _following(stage, {stage.yellow_due, stage.red_due[1], *limit.due.tolist()} - {-1})
    return Layout(stage, low, size, -low, tuple(hands), faces, needed)


def _following(stage: Stage, due: set[int]) -> tuple[int, ...]:
    """Punishments and all that they lead to, in their order."""
    for at in range(len(stage.punishments) - 1, -1, -1):
        if at in due:
            due |= {int(to) for to in stage.punishments[at].to if to >= 0}
    return tuple(sorted(due))


def _places(starts: Ints, stage: Stage, ways: Ways, locked: Ints) -> tuple[Ints, Ints]:
    """Where ways to go on stand in one row of all hands, whose first entry is for no way."""
    base = starts[ways.hand] - stage.low[ways.hand] + ways.add
    empty = ways.first[:-1] == ways.first[1:]
    spots = np.insert(base, ways.first[:-1][empty], 0)
    some = np.insert(np.ones(len(base), bool), ways.first[:-1][empty], values=False)
    cuts = ways.first[:-1] + np.concatenate([[0], np.cumsum(empty)[:-1]])
    return np.where(some, locked + spots, 0), cuts


def run_segment(layout: Layout, ends: Ends) -> Segment:
    """The value of every position of a segment for one racer, given what its end is worth."""
    stage, rerolls = layout.stage, len(ends.racing)
    rows = _run_punishments(layout, ends)
    hands: list[Floats] = []
    known = np.full((rerolls, 1 + int((stage.high - stage.low + 1).sum())), _NEVER)
    again = np.full(rerolls, _NEVER) if ends.again is None else ends.again
    start = 1
    for at in range(len(stage.hands)):
        value = _run_hand(layout, rows, known, at, again)
        known[:, start : start + value.shape[1]] = value
        start += value.shape[1]
        hands.append(value)
    take = np.max([value[:, -low] for value, low in zip(hands, stage.low, strict=True)], axis=0)
    if ends.again is None:
        for _ in range(_PATIENCE):
            hands[-1] = _run_hand(layout, rows, known, len(hands) - 1, take + stage.bonus)
            better = np.maximum(take, hands[-1][:, 0])
            moved = float(np.abs(better - take).max())
            take = better
            if moved < _CLOSE * max(1.0, float(np.abs(take).max())):
                break
        else:
            raise Unsolvable("With these dice a segment may never end.")
    due = [rows[:, 2 + at] for at in range(len(stage.punishments))]
    return Segment(take, hands, due, layout.low)


def _run_punishments(layout: Layout, ends: Ends) -> Floats:
    """All rows: the ends and each punishment, by rerolls left and total."""
    punishments = layout.stage.punishments
    rerolls = len(ends.racing)
    rows = np.empty((rerolls, 2 + len(punishments), layout.size))
    rows[:, 0], rows[:, 1] = ends.racing, ends.out
    for left in range(rerolls):
        flat = rows[left].reshape(-1)
        for at in layout.needed:
            kept = flat[layout.faces[at]]
            if left:
                np.maximum(kept, rows[left - 1, 2 + at], out=kept)
            np.dot(punishments[at].chance, kept, out=rows[left, 2 + at])
    return rows


def _run_hand(layout: Layout, rows: Floats, known: Floats, at: int, again: Floats) -> Floats:
    """The value of one hand about to be rolled, by rerolls left and points locked."""
    stage, hand = layout.stage, layout.hands[at]
    ways, yellow, red = stage.green[at], stage.yellow[at], stage.red[at]
    value = np.empty((len(rows), len(hand.stop)))
    for left in range(len(rows)):
        flat = rows[left].reshape(-1)
        best = flat[hand.stop]
        if len(ways.hand):
            reached = np.take(known[left], hand.going, mode="clip")
            going = np.maximum.reduceat(reached, hand.cuts, axis=1)
            np.maximum(best, going, out=best)
        if hand.speeds:
            best = np.where(hand.over, flat[hand.fined], best)
        yellows, reds = flat[hand.yellow], flat[hand.red]
        black, circled = flat[layout.zero], again[left]
        if left:
            rolled = value[left - 1]
            np.maximum(best, rolled[:, None], out=best)
            np.maximum(yellows, rolled[:, None], out=yellows)
            np.maximum(reds, rolled[:, None], out=reds)
            black, circled = np.maximum(black, rolled), np.maximum(circled, rolled)
        value[left] = best @ ways.chance + yellows @ yellow.chance + reds @ red.chance
        value[left] += stage.black[at] * black
        if stage.circled[at]:
            value[left] += stage.circled[at] * circled
    return value


# The solver -------------------------------------------------------------------------------------


class CourseSheet(Sheet):
    """One segment: the value of every position in it."""

    def __init__(self, solver: CourseSolver, segment: Segment, ends: Ends, players: int) -> None:
        super().__init__(players)
        if not players:
            self.basis = "Exact expected points of the rest of the race."
        self._solver, self._segment, self._ends = solver, segment, ends

    def _in_points(self, value: Any) -> float:
        """Chances as they are; expected points, which are solved in units, as points."""
        return float(value) * (self._solver.stage.unit if self._ends.again is None else 1)

    def going(self, state: Any) -> float:
        """The value of dice about to be rolled."""
        stage, solved = self._solver.stage, self._segment
        left = state.rerolls[state.seat]
        if state.phase == "roll":
            at = self._solver.number[state.blacks, state.greens]
            locked = self._solver.locked(state) - stage.low[at]
            return self._in_points(solved.hands[at][left, locked])
        name = self._solver.punishment(state)
        layout = self._solver.layout(state.segment)
        if name not in layout.needed:  # nothing here leads to it, but a state may say so
            everything = tuple(range(len(stage.punishments)))
            solved = run_segment(layout._replace(needed=everything), self._ends)
        place = np.clip(state.total // stage.unit - solved.low, 0, solved.due[name].shape[1] - 1)
        return self._in_points(solved.due[name][left, place])

    def ending(self, before: Any, after: Any) -> float:
        """The value of a completed segment, or of racing it again."""
        seat, ends, unit = before.seat, self._ends, self._solver.stage.unit
        left = after.rerolls[seat]
        if len(after.card[seat]) == len(before.card[seat]):
            again = self._segment.take + self._solver.stage.bonus
            return self._in_points((again if ends.again is None else ends.again)[left])
        points = (after.card[seat][-1] - before.bonus) // unit
        row = (ends.out if after.out[seat] else ends.racing)[left]
        return self._in_points(row[np.clip(points - ends.low, 0, len(row) - 1)])

    def odds(self, state: Any) -> tuple[Odds, ...]:
        """Flags that end the segment, and a total above the limit."""
        if state.phase != "roll":
            return ()
        stage = self._solver.stage
        at = self._solver.number[state.blacks, state.greens]
        limit = self._solver.limit(state.segment)
        ways = stage.green[at]
        totals = self._solver.locked(state) + ways.total - limit.low
        over = limit.over[np.clip(totals, 0, len(limit.over) - 1)]
        found = [Odds("black flag", float(stage.black[at]))]
        if over.any():
            found.append(Odds("above the limit", float(over @ ways.chance)))
        return tuple(found)


class CourseSolver(Solver):
    """Solves races over a course."""

    objectives: ClassVar[Mapping[str, str]] = {
        "points": "expected points of a race driven for points alone",
        "win": "chance to win for who is about to race the first segment, equal totals half",
    }

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._table: CourseTable | None = None
        self._sheet = lru_cache(maxsize=1024)(self._new_win_sheet)
        self._points_sheet = lru_cache(maxsize=1024)(self._new_points_sheet)
        self._limits: dict[int | None, Limit] = {}
        self._layouts: dict[int | None, Layout] = {}

    @cached_property
    def stage(self) -> Stage:
        """What can happen on a segment; compiling it takes longer than reading it."""
        kept = obtain_table(
            self.game, "stage", StageTable, lambda _: pack(compile_stage(self.game))
        )
        return unpack(kept)

    @cached_property
    def number(self) -> dict[Hand, int]:
        """The number of each hand."""
        return {hand: at for at, hand in enumerate(self.stage.hands)}

    @cached_property
    def segments(self) -> int:
        """How many segments the course has."""
        return len(self._rules.limits)

    @property
    def _rules(self) -> Any:
        return self.game

    def limit(self, segment: int) -> Limit:
        """The limit of a segment; segments with equal limits share it."""
        limit = self._rules.limits[segment]
        if limit not in self._limits:
            self._limits[limit] = compile_limit(self.game, self.stage, segment)
        return self._limits[limit]

    def layout(self, segment: int) -> Layout:
        """A segment laid out; segments with equal limits share it."""
        limit = self._rules.limits[segment]
        if limit not in self._layouts:
            self._layouts[limit] = lay_out_segment(
                self.stage, self.limit(segment), self.least, self.most
            )
        return self._layouts[limit]

    @cached_property
    def least(self) -> int:
        """The fewest points, in units, that a segment can end with."""
        return least_points(self.stage, [self.limit(s) for s in range(self.segments)])

    @cached_property
    def most(self) -> int:
        """The most points, in units, that a turn without circles can end with."""
        limit = self.limit(0)
        return max(limit.low + len(limit.over) - 1, 0)

    def locked(self, state: Any) -> int:
        """The points locked, in units."""
        points: int = sum(self._rules.sides[code].value for code in state.locked)
        return points // self.stage.unit

    def punishment(self, state: Any) -> int:
        """The number of the penalty die that is due."""
        name = state.phase, state.rolls, state.second, state.out[state.seat]
        if name not in self.stage.names:
            raise Unsolvable("No segment comes to these penalty rolls.")
        return self.stage.names[name]

    # Points ---------------------------------------------------------------------------------

    @cached_property
    def _expected(self) -> list[Floats]:
        """Expected units from each segment on, by rerolls left."""
        values = [np.zeros(self.game.options.rerolls + 1)]
        for segment in range(self.segments - 1, -1, -1):
            solved = run_segment(self.layout(segment), self._points_ends(values[-1]))
            values.append(solved.take)
        return values[::-1]

    def _points_ends(self, later: Floats) -> Ends:
        points = np.arange(self.least, self.most + 1, dtype=float)
        racing = points + later[:, None]
        return Ends(self.least, racing, np.repeat(points[None], len(later), axis=0), None)

    def _new_points_sheet(self, segment: int) -> CourseSheet:
        ends = self._points_ends(self._expected[segment + 1])
        return CourseSheet(self, run_segment(self.layout(segment), ends), ends, 0)

    # Winning --------------------------------------------------------------------------------

    def _solvable(self) -> bool:
        return int(self.game.options.rerolls) <= _MOST_REROLLS

    def table(self) -> CourseTable | None:
        """Two racers, if they have been solved before."""
        if self._table is None and self._solvable():
            self._table = load_table(self.game, "win", CourseTable)
        return self._table

    def ready(self, players: int) -> bool:
        """Whether it is solved, or never will be; alone there is nothing to win but points."""
        return players < 2 or not self._solvable() or self.table() is not None

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Solve two racers if they are not yet."""
        if players < 2 or not self._solvable():
            return False
        if self.table() is None:
            self._table = obtain_table(self.game, "win", CourseTable, self._compute, progress)
        return True

    def _compute(self, progress: Progress) -> CourseTable:
        from hotdice.solve.course import solve_course  # noqa: PLC0415 - loads the compiler

        return solve_course(self, progress)

    def sheet(self, state: Any, objective: str) -> CourseSheet | None:
        """The values of the segment under way."""
        if objective == "points" or len(state.card) == 1:
            return self._points_sheet(state.segment)
        if self.table() is None:
            return None
        totals = tuple(sum(raced) for raced in state.card)
        seat = state.seat
        # A sheet holds for any number of one's own rerolls; only the others' matter.
        rerolls = (*state.rerolls[:seat], 0, *state.rerolls[seat + 1 :])
        return self._sheet(totals, rerolls, state.out, state.segment, seat, state.bonus)

    def _new_win_sheet(
        self,
        totals: tuple[int, ...],
        rerolls: tuple[int, ...],
        out: tuple[bool, ...],
        segment: int,
        seat: int,
        bonus: int,
    ) -> CourseSheet:
        table = self._table
        if table is None:
            raise AssertionError("the table is there")
        players = len(totals)
        points = np.arange(self.least, self.most + 1)
        size = int(self.game.options.rerolls) + 1
        last = segment == self.segments - 1
        others = [other for other in range(players) if other != seat]
        done = [o for o in others if players > 2 and last and (out[o] or o < seat)]
        waiting = [o for o in others if o not in done]
        trust = trust_in(len(waiting) + 1)
        final = [(totals[o] - totals[seat] - bonus) // table.unit for o in done]
        racing = np.repeat(settled(points, final)[None], size, axis=0)
        over = racing.copy()
        again = np.full(size, settled(self.stage.bonus, final), float)
        for other in waiting:
            lead = (totals[seat] + bonus - totals[other]) // table.unit
            theirs = size if out[other] else rerolls[other]
            turn = 2 * segment + (other < seat)
            found = after_segment(table, turn, theirs, lead + points, self.segments)
            racing, over = racing * found[0] ** trust, over * found[1] ** trust
            place = np.clip(lead + self.stage.bonus + table.half, 0, 2 * table.half)
            again *= table.win[turn, :, theirs, place] ** trust
        ends = Ends(self.least, racing, over, again)
        solved = run_segment(self.layout(segment), ends)
        return CourseSheet(self, solved, ends, players if waiting else 1)

    # Answers --------------------------------------------------------------------------------

    def solve(self, question: Question, progress: Progress = no_progress) -> Solution:
        """The value of a race alone, or between two."""
        if question.scores:
            raise Unsolvable("A race is solved from its start; leave --scores out.")
        about = self.objectives[question.objective]
        began = time.perf_counter()
        if question.objective == "points":
            value = float(self._expected[0][-1]) * self.stage.unit
            positions = int((self.stage.high - self.stage.low + 1).sum())
            states = self.segments * len(self._expected[0]) * positions
            return Solution(value, 0.0, states, time.perf_counter() - began, about)
        if not self._solvable():
            raise Unsolvable(f"Two racers are solved with up to {_MOST_REROLLS} rerolls each.")
        self.prepare(2, progress)
        table = self._table
        if table is None:
            raise AssertionError("the table has just been made")
        full = int(self.game.options.rerolls)
        value = table.value(0, full, full, 0)
        return Solution(value, table.residual, table.states, table.seconds, about)


def after_segment(
    table: Any, turn: int, theirs: int, leads: Ints, segments: int
) -> tuple[Floats, Floats]:
    """What leads after a turn are worth, by own rerolls left: still racing, and out of the race.

    Args:
        table: the solved turns, as far as the following ones.
        turn: the turn that ends.
        theirs: the other's rerolls, or one more than all of them if their race is over.
        leads: the leads, in units.
        segments: how many there are.
    """
    win, half = table.win, table.half
    turns, size = 2 * segments, win.shape[1]
    place = np.clip(leads + half, 0, 2 * half)
    final = np.repeat(((leads > 0) + 0.5 * (leads == 0))[None], size, axis=0)
    if theirs == size:
        following = turn + 2
        return (win[following, :, size][:, place] if following < turns else final), final
    if turn + 1 == turns:
        return final, final
    mirrored = 2 * half - place
    racing = 1.0 - win[turn + 1, theirs, :size][:, mirrored]
    out = np.repeat(1.0 - win[turn + 1, theirs, size, mirrored][None], size, axis=0)
    return np.maximum(racing, 0.0), np.maximum(out, 0.0)
