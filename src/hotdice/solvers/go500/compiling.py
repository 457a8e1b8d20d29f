"""Compiles a segment of a course by running the rules: all rolls and their consequences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil, comb, gcd, log
from typing import NamedTuple

import numpy as np

from hotdice.core.dice import Faces
from hotdice.core.events import Choice, Roll
from hotdice.games.go500 import Course, Go500, Go500State
from hotdice.solve.arrays import Bools, Floats, Ints

_OPEN = "name: open; segment: open = none"

Hand = tuple[int, int]
"""The numbers of black and green dice to roll."""
Penalty = tuple[str, int, bool, bool]
"""A penalty die that is due: its phase, rolls due, whether the second, whether out of the race."""


class Ways(NamedTuple):
    """The roll classes of a hand under a green flag, in the units of the compiled segment.

    Attributes:
        total: each class's total.
        chance: each class's chance.
        first: where each class's ways to continue start; one longer than ``total``.
        hand: the number of the hand rolled next.
        add: the points locked.
    """

    total: Ints
    chance: Floats
    first: Ints
    hand: Ints
    add: Ints


class Flagged(NamedTuple):
    """The totals of a hand under a flag that ends the segment, and their chances."""

    total: Ints
    chance: Floats


class Punishment(NamedTuple):
    """The transitions of a penalty die that is due.

    Attributes:
        chance: each face's chance.
        add: the units it adds.
        to: the punishment that follows; -1 where the segment is complete.
        out: whether it puts the racer out of the race.
    """

    chance: Floats
    add: Ints
    to: Ints
    out: Bools


class CompiledSegment(NamedTuple):
    """Everything that can happen on a segment, whatever its limit.

    Attributes:
        unit: the greatest common divisor of all points.
        hands: the hands, fewest dice first.
        low: the fewest points that can be locked before each hand.
        high: the most points that can be locked before each hand.
        green: the rolls of each hand under a green flag.
        yellow: the same under a yellow flag.
        red: the same under a red flag.
        black: each hand's chance of a black flag.
        circled: each hand's chance that all dice are circled.
        bonus: the units for all dice circled.
        punishments: the penalty dice that can be due, successors first.
        yellow_due: the punishment for a yellow flag.
        red_due: the punishment for each number of red rolls.
        names: the number of each punishment.
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
    names: Mapping[Penalty, int]


class SegmentSize(NamedTuple):
    """The size of a compiled segment, counted without compiling it.

    Attributes:
        rolls: the rolls of all hands together.
        cells: the cells of one segment's layout.
        last: the cells of the hand with all dice, which may be evaluated repeatedly.
        width: how many totals a segment can end with.
        punished: the cells of the penalty dice.
        punishments: the penalty dice that can be due.
        positions: pairs of a hand and points locked.
        repeats: how many times in a row all dice circled is taken into account.
        most: the most units of a turn without the bonus, or of the bonus alone.
    """

    rolls: int
    cells: int
    last: int
    width: int
    punished: int
    punishments: int
    positions: int
    repeats: int
    most: int


def measure_segment(rules: Go500) -> SegmentSize:
    """Estimate the size of a compiled segment and its layout from the faces of the dice.

    There are ``comb(2 n + k - 1, k)`` pairs of a roll of ``k`` dice with ``n`` values and a subset
    to lock. All of these are ways to continue, except locking nothing and locking everything.
    """
    options = rules.options
    codes = {die.name: [face.code for face in die.faces] for die in rules.dice}
    worth = {code: side.value for code, side in rules.sides.items()}
    flat = {code for code in codes["green"] if rules.sides[code].word}
    black = {worth[code] for code in codes["black"]}
    green = {worth[code] for code in codes["green"] if code not in flat}
    unit = gcd(*worth.values(), options.all_circled) or 1
    fresh = rules.start(1)
    takes = [rules.apply(fresh, choice) for choice in rules.choices(fresh)]
    hands = [(state.blacks, state.greens) for state in takes]
    blacks, greens = max(hands)
    rolls = cells = positions = last = 0
    for b, g in hands:
        rolls += comb(len(codes["black"]) + b - 1, b) * len(codes["green"] if g else "1")
        kinds = len(green) + bool(flat) if g else 1
        classes = comb(len(black) + b - 1, b) * kinds
        pairs = comb(2 * len(black) + b - 1, b) * (2 * len(green) + bool(flat) if g else 1)
        spread = (blacks - b) * (max(*black, 0) - min(*black, 0)) if b + g else 0
        if b and g < greens:
            spread += max(*green, 0, 0) - min(*green, 0, 0)
        levels = spread // unit + 1
        last = max(pairs - 2 * classes, 0) + 5 * classes
        cells += levels * last
        positions += levels
    red = [worth[code] for code in codes["red"]]
    most = max((rolls for _, rolls in options.penalties.bands), default=1)
    low = blacks * min(*black, 0) + min(*green, 0, 0) + max(most, 1) * min(red)
    width = (blacks * max(*black, 0) + max(*green, 0, 0) - low) // unit + 1
    punishments = 4 * max(most, 1)
    circled = _circled(rules, "black", codes) ** blacks * _circled(rules, "green", codes) ** greens
    repeats = 1 if circled <= 0.0 else 1000
    if 0.0 < circled < 1.0:
        repeats = min(repeats, ceil(log(1e-13) / log(circled)))
    return SegmentSize(
        rolls * len(codes["flag"]),
        cells,
        last,
        width,
        punishments * len(red) * width,
        punishments,
        positions,
        repeats,
        max(blacks * max(*black, 0) + max(*green, 0, 0), options.all_circled) // unit,
    )


def _circled(rules: Go500, kind: str, codes: Mapping[str, list[int]]) -> float:
    """The chance that a die shows a circled side."""
    sides = [code for die in rules.dice if die.name == kind for code in die.sides]
    return float(sum(rules.sides[code].circled for code in sides) / max(1, len(sides)))


def segment_rules(game: Go500) -> Go500:
    """The rules of one segment without a limit: all that a compiled segment depends on."""
    course = Course.parse(_OPEN)
    return Go500(replace(game.options, course=course, weather="good", rerolls=1))


def compile_segment(game: Go500) -> CompiledSegment:
    """Compile a segment by running the rules."""
    plain = segment_rules(game)
    options = plain.options
    fresh = plain.start(1)
    values = {code: side.value for code, side in plain.sides.items()}
    unit = gcd(*values.values(), options.all_circled) or 1
    takes = [plain.apply(fresh, choice) for choice in plain.choices(fresh)]
    hands = sorted(((s.blacks, s.greens) for s in takes), key=lambda hand: (sum(hand), hand))
    number = {hand: at for at, hand in enumerate(hands)}
    found = [_compile_hand(plain, fresh, hand, values, number, unit) for hand in hands]
    low, high = _ranges(hands, [ways for ways, _ in found])
    punishments, names = _compile_punishments(plain, fresh, unit)
    return CompiledSegment(
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
    game: Go500,
    fresh: Go500State,
    hand: Hand,
    values: Mapping[int, int],
    number: Mapping[Hand, int],
    unit: int,
) -> tuple[Ways, dict[str, dict[int, Fraction]]]:
    """The rolls of a hand: under a green flag, and under each other flag by total."""
    state = fresh._replace(phase="roll", blacks=hand[0], greens=hand[1])
    kind = {face.code: die.name for die in game.dice for face in die.faces}
    known: dict[tuple[Faces, tuple[str, ...]], tuple[int, int] | None] = {}
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
            # What is left to roll depends on the kinds of the dice rolled, not on their faces.
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
    """The fewest and most points that can be locked before each hand."""
    low, high = np.zeros(len(hands), np.int64), np.zeros(len(hands), np.int64)
    for at in range(len(hands) - 1, -1, -1):
        np.minimum.at(low, ways[at].hand, low[at] + ways[at].add)
        np.maximum.at(high, ways[at].hand, high[at] + ways[at].add)
    return low, high


def _compile_punishments(
    game: Go500, fresh: Go500State, unit: int
) -> tuple[tuple[Punishment, ...], dict[Penalty, int]]:
    """Every penalty die that can be due, successors first, and their numbers."""
    most = max((rolls for _, rolls in game.options.penalties.bands), default=1)
    plain = fresh._replace(rerolls=(0,))
    names: dict[Penalty, int] = {}
    made: list[Punishment] = []

    def number(state: Go500State) -> int:
        name = state.phase, state.rolls, state.second, state.out[0]
        if name not in names:
            rows = []
            for roll, likely in game.rolls(state):
                after = game.apply(state, roll)
                done = len(after.card[0]) > 0
                points = after.card[0][0] if done else after.total
                following = -1 if done else number(after._replace(total=0))
                rows.append((float(likely), points // unit, following, after.out[0]))
            chance, add, to, out = (np.array(column) for column in zip(*rows, strict=True))
            names[name] = len(made)
            made.append(Punishment(chance, add, to, out))
        return names[name]

    number(plain._replace(phase="yellow", rolls=1))
    for rolls in range(1, max(most, 1) + 1):
        number(plain._replace(phase="red", rolls=rolls))
    return tuple(made), names


class Limit(NamedTuple):
    """The effect of a limit on each total under a green flag, as arrays indexed by total.

    Attributes:
        low: the lowest total, at index 0.
        over: whether the total is above the limit.
        due: the punishment that follows; -1 for none.
    """

    low: int
    over: Bools
    due: Ints


def compile_limit(rules: Go500, compiled: CompiledSegment, segment: int) -> Limit:
    """Run the rules for every possible total, with its dice locked and only the flag rolled."""
    state = rules.start(1)._replace(rerolls=(0,), segment=segment, phase="roll")
    flag = next((code for code, side in rules.sides.items() if side.word == "green"), None)
    reached = _totals(rules)
    low, high = min(reached) // compiled.unit, max(reached) // compiled.unit
    over = np.zeros(high - low + 1, bool)
    due = np.full(high - low + 1, -1)
    if flag is None:
        return Limit(low, over, due)  # no green flag, no limit
    for total, dice in reached.items():
        rolled = state._replace(locked=dice, rerolls=(1,))
        called = rules.apply(rolled, Roll((flag,)))
        after = rules.apply(called, Choice("accept"))
        place = total // compiled.unit - low
        over[place] = rules.outcome(called) == "speeding"
        if after.phase == "red":
            due[place] = compiled.red_due[after.rolls]
    return Limit(low, over, due)


def _totals(game: Go500) -> dict[int, tuple[int, ...]]:
    """Example dice for each possible total of black and green dice."""
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
