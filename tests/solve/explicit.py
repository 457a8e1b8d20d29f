"""A small game between two solved state by state, from nothing but the rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hotdice.core.game import AnyGame, Over, ToRoll


def first_seat_wins(
    game: AnyGame, *, same: Callable[[Any], Any] = lambda state: state, change: float = 1e-12
) -> float:
    """The first seat's chance to win when both play as well as possible.

    Args:
        game: the rules.
        same: a state that stands for the given one, where many come to the same.
        change: sweeping ends when no value moves by more.
    """
    states: list[Any] = [game.start(2)]
    number = {states[0]: 0}
    rolls: list[tuple[int, list[int], list[float]]] = []
    turns: tuple[list[tuple[int, list[int]]], ...] = ([], [])
    value = [0.5]
    for at, state in enumerate(states):
        due = game.due(state)
        if isinstance(due, Over):
            value[at] = (0 in due.result.winners) / len(due.result.winners)
            continue
        roll = isinstance(due, ToRoll)
        offered: list[tuple[Any, Any]] = list(game.rolls(state))
        offered = offered if roll else [(choice, 0) for choice in game.choices(state)]
        reached = []
        for event, _ in offered:
            after = same(game.apply(state, event))
            if after not in number:
                number[after] = len(states)
                states.append(after)
                value.append(0.5)
            reached.append(number[after])
        if roll:
            rolls.append((at, reached, [float(chance) for _, chance in offered]))
        else:
            turns[due.seat].append((at, reached))
    return _sweep(np.array(value), rolls, turns, change)


def _sweep(value: Any, rolls: Any, turns: Any, change: float) -> float:
    weights = np.concatenate([np.array(chances) for _, _, chances in rolls])
    roll_at, roll_to, roll_cut = _flat([(at, to) for at, to, _ in rolls])
    best = [(np.maximum, *_flat(turns[0])), (np.minimum, *_flat(turns[1]))]
    while True:
        before = value.copy()
        for pick, at, to, cut in best:
            value[at] = pick.reduceat(value[to], cut)
        value[roll_at] = np.add.reduceat(weights * value[roll_to], roll_cut)
        if np.abs(value - before).max() < change:
            return float(value[0])


def _flat(rows: list[tuple[int, list[int]]]) -> tuple[Any, Any, Any]:
    at = np.array([place for place, _ in rows])
    to = np.concatenate([np.array(reached) for _, reached in rows])
    cut = np.cumsum([0, *(len(reached) for _, reached in rows)])[:-1]
    return at, to, cut
