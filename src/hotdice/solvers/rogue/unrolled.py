"""Unrolls a turn graph by points made: a list of positions, each after its successors.

This needs an acyclic turn, which has finitely many positions even with points at stake. Classes
share steps (``graph.share_steps``).
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.graph import Outcome, TurnGraph, share_steps

Position = tuple[Hashable, int]
"""The key of a node, or of how a turn ended, with the points made so far."""


class Unrolled(NamedTuple):
    """A turn whose values form one array: the ends first, then positions, the start last.

    Attributes:
        ends: how the turn can end, with the points it makes.
        first: where each position's steps start, and where the last one's end.
        depth: how many outcomes of the step's class come before it.
        place: the index of the value the step reads.
        weight: the chance of the class that the step completes, or 0.
    """

    ends: tuple[Position, ...]
    first: Ints
    depth: Ints
    place: Ints
    weight: Floats


def unroll(graph: TurnGraph) -> Unrolled:
    """Unroll a turn from its start with 0 points."""
    order = positions(graph)
    ends = sorted(
        {end for position in order for end in _reached(graph, position, ends=True)}, key=repr
    )
    number = {end: at for at, end in enumerate(ends)}
    placed = {position: len(ends) + at for at, position in enumerate(order)}
    steps: list[tuple[int, int, float]] = []
    first = [0]
    for key, total in order:
        sets: dict[frozenset[int], Fraction] = {}
        for chance, outcomes in graph.nodes[key]:
            found = frozenset(
                (number if outcome.ends else placed)[_after(outcome, total)] for outcome in outcomes
            )
            sets[found] = sets.get(found, Fraction(0)) + chance
        share_steps(sets, 0, steps)
        first.append(len(steps))
    depth, place, weight = zip(*steps, strict=True)
    return Unrolled(
        tuple(ends),
        np.array(first, np.int64),
        np.array(depth, np.int64),
        np.array(place, np.int64),
        np.array(weight, np.float64),
    )


def _after(outcome: Outcome, total: int) -> Position:
    return outcome.key, outcome.factor * total + outcome.add


def _reached(graph: TurnGraph, position: Position, *, ends: bool) -> set[Position]:
    key, total = position
    return {
        _after(outcome, total)
        for roll_class in graph.nodes[key]
        for outcome in roll_class.outcomes
        if outcome.ends == ends
    }


def positions(graph: TurnGraph) -> list[Position]:
    """Every position that can be reached from the start, successors first."""
    order: dict[Position, None] = {}
    waiting: list[tuple[Position, bool]] = [((graph.start, 0), False)]
    while waiting:
        position, done = waiting.pop()
        if done:
            order[position] = None
        elif position not in order:
            waiting.append((position, True))
            following = _reached(graph, position, ends=False)
            waiting += [(after, False) for after in following if after not in order]
    return list(order)
