"""Solves Rogue by plain value iteration over all states.

It shares nothing with the solver but the rules, which it plays through one turn. Tests compare the
solver's results with it, and benchmarks its speed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit

from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame

_ON, _PLAIN, _EXTRA, _OUT = range(4)

Place = tuple[int, int, int]
"""A position in a turn: dice to roll, lone rogues, points."""


def solve_rounds_naively(game: AnyGame, highest: int, *, change: float = 1e-12) -> Any:
    """Win chances at the start of a turn: by place in the round, own and other score.

    Place 0 is the first to move in the round, 1 the second. Once the target is reached, leads
    are capped at ``highest``.
    """
    options = game.options
    return _sweeps(options.target, options.war_at, highest, change, *_turn(game))


def _turn(game: AnyGame) -> tuple[Any, ...]:
    """One turn in war as a list of positions, fewest dice first, each with its classes of rolls."""
    relaxed = type(game)(replace(game.options, target=1_000_000, war_at=1))
    begin = relaxed.start(2)._replace(scores=(1, 1))
    found: dict[Place, dict[frozenset[tuple[int, Any]], Fraction]] = {}
    waiting = [begin]
    while waiting:
        state = waiting.pop()
        place = _place(state)
        if place in found:
            continue
        found[place] = defaultdict(Fraction)
        for roll, chance in relaxed.rolls(state):
            after = relaxed.apply(state, roll)
            ends = [after]
            if isinstance(relaxed.due(after), ToChoose) and after.phase == "choose":
                ends = [relaxed.apply(after, choice) for choice in relaxed.choices(after)]
            waiting += [end for end in ends if _kind(relaxed, end) == _ON]
            found[place][frozenset(_outcome(relaxed, end) for end in ends)] += chance
    return _rows(found)


def _place(state: Any) -> Place:
    return 6 - len(state.kept), state.lone, state.total


def _kind(game: AnyGame, state: Any) -> int:
    if isinstance(game.due(state), Over):
        return _OUT
    if state.phase == "extra":
        return _EXTRA
    return _PLAIN if state.seat else _ON


def _outcome(game: AnyGame, state: Any) -> tuple[int, Any]:
    kind = _kind(game, state)
    return kind, _place(state) if kind == _ON else state.scores[0] - 1


def _rows(found: dict[Place, dict[frozenset[tuple[int, Any]], Fraction]]) -> tuple[Any, ...]:
    places = sorted(found)
    number = {place: at for at, place in enumerate(places)}
    first, ends, kinds, points, weights = [0], [0], [], [], []
    for place in places:
        for outcomes, chance in found[place].items():
            for kind, what in sorted(outcomes, key=repr):
                kinds.append(kind)
                points.append(number[what] if kind == _ON else what)
            ends.append(len(kinds))
            weights.append(float(chance))
        first.append(len(weights))
    ints = [np.array(numbers, np.int64) for numbers in (first, ends, kinds, points)]
    return (*ints, np.array(weights))


@njit(cache=True)
def _sweeps(  # noqa: PLR0912, PLR0915 - plain is the point
    target: int,
    war: int,
    highest: int,
    change: float,
    first: Any,
    ends: Any,
    kinds: Any,
    points: Any,
    weights: Any,
) -> Any:
    places = len(first) - 1
    start = places - 1
    # going[r, a, b, p]: moving as r in the round with a against b, the turn being at p;
    # ahead[l, p], behind[l, p]: the same with the target reached, leading as first, trailing as
    # second by l
    going = np.full((2, target, target, places), 0.5)
    ahead = np.full((highest + 1, places), 0.5)
    behind = np.full((highest + 1, places), 0.5)
    moved = 1.0
    while moved > change:
        moved = 0.0
        for lead in range(highest + 1):
            for p in range(places):
                value = 0.0
                for c in range(first[p], first[p + 1]):
                    best = 0.0
                    for o in range(ends[c], ends[c + 1]):
                        if kinds[o] == _OUT:
                            here = 1.0
                        elif kinds[o] == _ON:
                            here = ahead[lead, points[o]]
                        else:
                            reached = min(highest, lead + points[o])
                            here = 1.0 - behind[reached, start]
                            if kinds[o] == _EXTRA:
                                here = max(here, ahead[reached, start])
                        best = max(best, here)
                    value += weights[c] * best
                moved = max(moved, abs(ahead[lead, p] - value))
                ahead[lead, p] = value
        for lag in range(highest + 1):
            for p in range(places):
                value = 0.0
                for c in range(first[p], first[p + 1]):
                    best = 0.0
                    for o in range(ends[c], ends[c + 1]):
                        if kinds[o] == _ON:
                            here = behind[lag, points[o]]
                        elif kinds[o] == _OUT or points[o] > lag:
                            here = 1.0
                        else:
                            here = 1.0 - ahead[0, start] if points[o] == lag else 0.0
                            if kinds[o] == _EXTRA:
                                here = max(here, behind[lag - points[o], start])
                        best = max(best, here)
                    value += weights[c] * best
                moved = max(moved, abs(behind[lag, p] - value))
                behind[lag, p] = value
        for r in range(2):
            for a in range(target):
                for b in range(target):
                    for p in range(places):
                        value = 0.0
                        for c in range(first[p], first[p + 1]):
                            best = 0.0
                            for o in range(ends[c], ends[c + 1]):
                                if kinds[o] == _OUT:
                                    here = 1.0
                                elif kinds[o] == _ON:
                                    here = going[r, a, b, points[o]]
                                else:
                                    s = a + points[o]
                                    if s < target:
                                        here = 1.0 - going[1 - r, b, s, start]
                                        again = going[r, s, b, start]
                                    elif r == 0:
                                        here = 1.0 - behind[min(highest, s - b), start]
                                        again = ahead[min(highest, s - b), start]
                                    else:
                                        here = again = 1.0
                                    if kinds[o] == _EXTRA and max(a, b) >= war:
                                        here = max(here, again)
                                best = max(best, here)
                            value += weights[c] * best
                        moved = max(moved, abs(going[r, a, b, p] - value))
                        going[r, a, b, p] = value
    return going[:, :, :, start]
