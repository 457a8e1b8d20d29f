"""The turn of a banking race as flat arrays that a kernel runs through.

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
        keys: the nodes; the last one starts a turn.
        unit: the points that one step of a total stands for.
        first: where each node's steps begin, and where the last one's end.
        depth: how many outcomes of the step's class came before it.
        node: the node whose dice the outcome leaves.
        add: the units the outcome adds.
        weight: the chance of the class the step completes, or 0.
        bust: each node's chance to lose everything.
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
    """The program of a turn graph; raises ``ValueError`` if its turn is of another kind.

    Every outcome must be offered both ways, going on and ending the turn, and count all points
    of the turn so far; a class without outcomes to choose from must lose them all.
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
    """Each outcome as the dice it leaves and the units it adds; going on and ending must agree.

    Where nothing is left to the next player, all ends leave the dice a turn starts with.
    """
    going = {(number[o.key], o.add // unit) for o in outcomes if not o.ends}
    ending = {(number.get(o.key, -1), o.add // unit) for o in outcomes if o.ends}
    nothing_left = {(len(number) - 1, add) for _, add in going}
    if ending not in (going, nothing_left) or any(outcome.factor != 1 for outcome in outcomes):
        raise ValueError("this turn is not one of adding up and banking")
    return frozenset(going)
