"""Cockroach's turn, compiled from the rules, and the solution computed from it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hotdice.games.cockroach import Cockroach, CockroachState
from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.graph import Outcome, TurnGraph, compile_turn

_FAR = 100_000
_CLOSE = 1e-13
_PATIENCE = 4000


@dataclass(frozen=True)
class CockroachSolution:
    """The solved game.

    Attributes:
        nodes: chance to win by own score, other score and node of the turn; node 0 is its start.
        last: the same on the last turn, by the distance to the other's score and node.
        residual: the largest change of a value in the last sweep.
        seconds: how long solving took.
        states: how many pairs of scores were solved.
    """

    nodes: Floats
    last: Floats
    residual: float
    seconds: float
    states: int

    def value(self, own: int, other: int) -> float:
        """The chance to win at the start of a turn."""
        return float(self.nodes[own, other, 0])


class Loop(NamedTuple):
    """A turn as a graph of decisions and nodes, with cycles, in compressed sparse rows.

    Attributes:
        set_first: where each decision's outcomes start in ``outcome``.
        outcome: the node it continues at, or ``-1 - points`` where the turn ends.
        node_first: where each node's decisions start in ``decision``.
        decision: the decision a roll leads to.
        chance: the probability of that roll.
        most: the most points a turn can end with.
        keys: the nodes' keys, the start first.
    """

    set_first: Ints
    outcome: Ints
    node_first: Ints
    decision: Ints
    chance: Floats
    most: int
    keys: tuple[Hashable, ...]


def loop_of(game: Cockroach) -> Loop:
    """The turn, compiled without the effect of the target."""
    relaxed = Cockroach(replace(game.options, target=_FAR))
    return lay_out(compile_turn(relaxed, CockroachState((0, 0))))


def lay_out(graph: TurnGraph) -> Loop:
    """Number the nodes, the start first, and merge decisions with the same outcomes."""
    others = sorted((key for key in graph.nodes if key != graph.start), key=repr)
    number: dict[Hashable, int] = {key: at for at, key in enumerate([graph.start, *others])}
    known: dict[tuple[Outcome, ...], int] = {}
    set_first, outcome, node_first, decision, chance = [0], [], [0], [], []
    for key in number:
        for roll_class in graph.nodes[key]:
            if roll_class.outcomes not in known:
                known[roll_class.outcomes] = len(known)
                for found in roll_class.outcomes:
                    if found.factor:
                        raise ValueError("this turn has points at stake before it ends")
                    outcome.append(-1 - found.add if found.ends else number[found.key])
                set_first.append(len(outcome))
            decision.append(known[roll_class.outcomes])
            chance.append(float(roll_class.chance))
        node_first.append(len(decision))
    return Loop(
        np.array(set_first, np.int64),
        np.array(outcome, np.int64),
        np.array(node_first, np.int64),
        np.array(decision, np.int64),
        np.array(chance),
        max(-1 - code for code in outcome if code < 0),
        tuple(number),
    )


def run_loop(loop: Loop, ends: Floats) -> tuple[Floats, float]:
    """The value of every node, given the value of ending with each number of points.

    Also returns the largest change of a value in the last sweep.
    """
    size = len(loop.keys)
    values = np.zeros(size + loop.most + 1)
    values[size:] = ends
    place = np.where(loop.outcome < 0, size - 1 - loop.outcome, loop.outcome)
    moved = 1.0
    for _ in range(_PATIENCE):
        best = np.maximum.reduceat(values[place], loop.set_first[:-1])
        nodes = np.add.reduceat(loop.chance * best[loop.decision], loop.node_first[:-1])
        moved = float(np.abs(nodes - values[:size]).max())
        values[:size] = nodes
        if moved < _CLOSE:
            break
    return values[:size], moved
