"""Compiles Peruke One: which discs the rolls of each round can turn.

The uses of a roll are found by running the rules with no disc turned yet, which allows the most
uses. At other positions a use is legal if no disc goes beyond its last side; if none is legal the
game ends. The position of all discs is encoded as a number with one digit per disc.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from hotdice.core.dice import Faces
from hotdice.core.due import Over, ToChoose
from hotdice.core.events import Choice
from hotdice.games.peruke_one import PerukeOne, PerukeOneState
from hotdice.solve.arrays import Floats, Ints

_SIDES = 3
_NEVER = -1e9

Turned = tuple[int, ...]
_Used = tuple[Turned, Faces, int]


class Round(NamedTuple):
    """The transitions of a round.

    Attributes:
        discs: the positions that are reachable at its start.
        to: the position after each turning; -1 where it is illegal.
        turning: the turnings of each roll class, concatenated; the first of a class turns no disc.
        first: where each class's turnings start.
        chance: the chance of each class.
    """

    discs: Ints
    to: Ints
    turning: Ints
    first: Ints
    chance: Floats


class Chart(NamedTuple):
    """A compiled game: its rounds, and for each position its score and whether it wins."""

    rounds: tuple[Round, ...]
    scores: Ints
    wins: Floats


def number_of(discs: Turned) -> int:
    """The number that encodes a position."""
    number = 0
    for side in reversed(discs):
        number = _SIDES * number + side
    return number


def compile_game(game: PerukeOne) -> Chart:
    """Compile one game by running the rules."""
    single = PerukeOne(replace(game.options, games=1))
    fresh = single.start(1)
    size = len(fresh.discs)
    everything = [_sides(number, size) for number in range(_SIDES**size)]
    uses: dict[_Used, frozenset[Turned]] = {}
    reachable = {fresh.discs}
    rounds = []
    number = fresh.round
    while True:
        state = fresh._replace(round=number)
        classes: dict[frozenset[Turned], Fraction] = defaultdict(Fraction)
        for roll, chance in single.rolls(state):
            classes[_turnings(single, single.apply(state, roll), uses)] += chance
        rounds.append(_lay_out(reachable, classes))
        to = np.unique(rounds[-1].to)
        reachable = {everything[after] for after in to[to >= 0].tolist()}
        rolled = single.apply(state, single.rolls(state)[0][0])
        following = single.apply(rolled, Choice("pass"))
        if isinstance(single.due(following), Over):
            break
        number = following.round
    scores = [single.at_stake(fresh._replace(discs=discs), 0) for discs in everything]
    wins = [
        _is_won(single, _ended(fresh, discs, number + 1, score))
        for discs, score in zip(everything, scores, strict=True)
    ]
    return Chart(tuple(rounds), np.array(scores), np.array(wins, float))


def _ended(state: PerukeOneState, discs: Turned, number: int, score: int) -> PerukeOneState:
    return state._replace(discs=discs, past=(score,), round=number, phase="over")


def _is_won(game: PerukeOne, ended: PerukeOneState) -> bool:
    due = game.due(ended)
    return isinstance(due, Over) and bool(due.result.winners)


def _sides(number: int, size: int) -> Turned:
    sides = []
    for _ in range(size):
        number, side = divmod(number, _SIDES)
        sides.append(side)
    return tuple(sides)


def _turnings(
    game: PerukeOne, state: PerukeOneState, known: dict[_Used, frozenset[Turned]]
) -> frozenset[Turned]:
    """The positions that the uses of a roll can lead to."""
    same = state.discs, state.tray, state.used
    if same not in known:
        found: set[Turned] = set()
        for choice in game.choices(state):
            after = game.apply(state, choice)
            if after.round == state.round and isinstance(game.due(after), ToChoose):
                found |= _turnings(game, after, known)
            else:
                found.add(after.discs)
        known[same] = frozenset(found)
    return known[same]


def _lay_out(discs: set[Turned], classes: Mapping[frozenset[Turned], Fraction]) -> Round:
    turnings = sorted({turning for found in classes for turning in found}, key=sum)
    at = {turning: place for place, turning in enumerate(turnings)}
    rows = sorted(discs)
    after = np.array(rows)[:, None, :] + np.array(turnings)[None, :, :]
    digits = _SIDES ** np.arange(after.shape[2])
    to = np.where(after.max(axis=2) < _SIDES, after @ digits, -1)
    turning: list[int] = []
    first = []
    for found in classes:
        first.append(len(turning))
        turning += sorted(at[one] for one in found)
    return Round(
        np.array([number_of(row) for row in rows]),
        to,
        np.array(turning),
        np.array(first),
        np.array([float(chance) for chance in classes.values()]),
    )


def run_game(chart: Chart, ends: Floats) -> list[Floats]:
    """The values of positions before each round and after the last, given the values of ends."""
    values = [ends]
    for one in reversed(chart.rounds):
        value = np.full(len(ends), np.nan)
        value[one.discs] = after_rolls(one, values[-1], ends) @ one.chance
        values.append(value)
    return values[::-1]


def after_rolls(one: Round, later: Floats, ends: Floats, places: slice = slice(None)) -> Floats:
    """The values after the rolls of a round, by position at its start and class of rolls.

    Args:
        one: the round.
        later: the values of positions after it.
        ends: the values of positions at the end of the game.
        places: where the positions are in ``one.discs``.
    """
    to = one.to[places]
    after = later[to]
    after[to < 0] = _NEVER
    best = np.maximum.reduceat(after[:, one.turning], one.first, axis=1)
    used = np.where(np.arange(after.shape[1]) == 0, _NEVER, after)
    stuck = np.maximum.reduceat(used[:, one.turning], one.first, axis=1) == _NEVER
    return np.where(stuck, ends[one.discs[places], None], best)
