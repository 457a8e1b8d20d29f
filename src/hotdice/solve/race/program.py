"""The turn of a banking race as flat arrays for a kernel.

A node's roll classes become a list of steps (``graph.share_steps``). A step that completes a class
adds its best outcome, weighted, to the node's value.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.graph import Outcome, TurnGraph, share_steps


class Program(NamedTuple):
    """A turn in which points add up and a bust loses them, in units of ``unit`` points.

    Attributes:
        keys: the nodes; the last one is the start of a turn.
        unit: the points per unit of a total.
        first: where each node's steps start; one longer than ``keys``.
        depth: how many outcomes of the step's class come before it.
        node: the node that the outcome leads to.
        add: the units that the outcome adds.
        weight: the chance of the class that the step completes, or 0.
        bust: each node's chance of a bust.
    """

    keys: tuple[Hashable, ...]
    unit: int
    first: Ints
    depth: Ints
    node: Ints
    add: Ints
    weight: Floats
    bust: Floats


def write_program(graph: TurnGraph) -> Program:
    """The program of a turn graph; raises ``ValueError`` if this is not a banking race's turn.

    Every outcome must be offered both with rolling on and with ending the turn, and keep all points
    of the turn so far; any other roll must lose them all.
    """
    others = sorted((key for key in graph.nodes if key != graph.start), key=repr)
    keys = (*others, graph.start)
    number = {key: at for at, key in enumerate(keys)}
    unit = gcd(*(outcome.add for outcome in graph.outcomes()))
    steps: list[tuple[int, tuple[int, int], float]] = []
    first, bust = [0], []
    for key in keys:
        sets: dict[frozenset[tuple[int, int]], Fraction] = {}
        lost = Fraction(0)
        for roll_class in graph.nodes[key]:
            if all(outcome.ends and not outcome.factor for outcome in roll_class.outcomes):
                lost += roll_class.chance
                continue
            found = _both_ways(roll_class.outcomes, number, unit)
            sets[found] = sets.get(found, Fraction(0)) + roll_class.chance
        share_steps(sets, 0, steps)
        first.append(len(steps))
        bust.append(float(lost))
    depth, outcomes, weight = zip(*steps, strict=True)
    node, add = zip(*outcomes, strict=True)
    return Program(
        keys,
        unit,
        np.array(first, np.int64),
        np.array(depth, np.int64),
        np.array(node, np.int64),
        np.array(add, np.int64),
        np.array(weight, np.float64),
        np.array(bust, np.float64),
    )


def _both_ways(
    outcomes: tuple[Outcome, ...], number: Mapping[Hashable, int], unit: int
) -> frozenset[tuple[int, int]]:
    """Each outcome as its node and the units it adds; rolling on and ending must agree.

    Where the next player cannot take over the dice, all ends lead to the start node.
    """
    going = {(number[o.key], o.add // unit) for o in outcomes if not o.ends}
    ending = {(number.get(o.key, -1), o.add // unit) for o in outcomes if o.ends}
    nothing_left = {(len(number) - 1, add) for _, add in going}
    if ending not in (going, nothing_left) or any(outcome.factor != 1 for outcome in outcomes):
        raise ValueError("this is not the turn of a banking race")
    return frozenset(going)
