"""The layout of a race's turn for evaluation with NumPy, one total at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.race.program import Program


class TurnLayout(NamedTuple):
    """A program laid out for evaluating one total at a time.

    Attributes:
        reach: the index of each outcome's value, relative to the row of the total.
        first: where each class's outcomes start.
        weights: each class's chance, by node and class.
        most: the most units an outcome adds.
        hot: each node's chance that the next roll allows all dice to be set aside.
    """

    reach: Ints
    first: Ints
    weights: Floats
    most: int
    hot: Floats


def lay_out(program: Program) -> TurnLayout:
    """Expand the program's steps, which share outcomes, into separate classes."""
    nodes = len(program.keys)
    reach: list[int] = []
    first, rows = [], []
    hot = np.zeros(nodes)
    for n in range(nodes):
        path: list[int] = []
        for step in range(program.first[n], program.first[n + 1]):
            path[program.depth[step] :] = [step]
            if program.weight[step] > 0.0:
                first.append(len(reach))
                reach += [int(program.add[s] * nodes + program.node[s]) for s in path]
                rows.append((n, program.weight[step]))
                hot[n] += program.weight[step] * any(program.node[s] == nodes - 1 for s in path)
    weights = np.zeros((nodes, len(rows)))
    for at, (n, weight) in enumerate(rows):
        weights[n, at] = weight
    return TurnLayout(np.array(reach), np.array(first), weights, int(program.add.max()), hot)


def run_turn(flat: TurnLayout, bust: Floats, bank: Floats, lost: float) -> Floats:
    """The value of rolling at every total and node, given the values of banking and busting.

    Players always bank at the last ``flat.most`` totals of ``bank``.
    """
    top = len(bank) - flat.most
    nodes = len(bust)
    value = bank.copy()
    row = value.reshape(-1)
    going = np.empty((top, nodes))
    fixed = bust * lost
    reached, best = np.empty(len(flat.reach)), np.empty(len(flat.first))
    for total in range(top - 1, -1, -1):
        np.take(row[total * nodes :], flat.reach, out=reached, mode="clip")
        np.maximum.reduceat(reached, flat.first, out=best)
        here = going[total]
        np.dot(flat.weights, best, out=here)
        here += fixed
        np.maximum(here, value[total], out=value[total])
    return going
