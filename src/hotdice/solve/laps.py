"""Two players, one last lap, and turns that may come back to where they were: exact values.

In such a turn nothing is at stake until it ends with so many points; dice may be taken up again
and again (Cockroach). Values are found by sweeping over the turn's decisions until nothing moves,
for all pairs of scores with one sum at once, from high sums down.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange

from hotdice.core.game import AnyGame
from hotdice.solve.graph import Outcome, TurnGraph, compile_turn
from hotdice.solve.program import Floats, Ints
from hotdice.solve.race import RaceTable

_LANES = 32
_CLOSE = 1e-13
_PATIENCE = 4000
_FAST = {"nnan", "ninf", "nsz", "contract"}


class Loop(NamedTuple):
    """A turn as decisions and nodes, all of them numbered.

    Attributes:
        set_first: where each decision's outcomes begin, and where the last one's end.
        outcome: an outcome: a node to go on at, or ``-1 - points`` where the turn ends.
        node_first: where each node's decisions begin, and where the last one's end.
        decision: the decision a roll leads to.
        chance: the chance of that.
        most: the most points a turn can end with.
    """

    set_first: Ints
    outcome: Ints
    node_first: Ints
    decision: Ints
    chance: Floats
    most: int


def loop_of(game: AnyGame) -> Loop:
    """The turn of a game, compiled with its target out of the way."""
    options = replace(game.options, target=100_000, starts="seat")
    relaxed: Any = type(game)(options)
    return _lay_out(compile_turn(relaxed, relaxed.start(2)))


def _lay_out(graph: TurnGraph) -> Loop:
    """Number the nodes, the start first, and share decisions with the same outcomes."""
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
    )


def best_points(game: AnyGame) -> float:
    """The most points a turn is worth on average."""
    loop = loop_of(game)
    ends = np.repeat(np.arange(loop.most + 1.0)[:, None], _LANES, axis=1)
    nodes = np.zeros((len(loop.node_first) - 1, _LANES))
    decisions = np.zeros((len(loop.set_first) - 1, _LANES))
    for _ in range(_PATIENCE):
        before = nodes[0, 0]
        _sweep(*loop[:5], ends, decisions, nodes)
        if nodes[0, 0] - before < _CLOSE:
            break
    return float(nodes[0, 0])


def solve_laps(game: AnyGame) -> RaceTable:
    """Solve a game between two players under its options."""
    began = time.perf_counter()
    loop = loop_of(game)
    target = int(game.options.target)
    size = target + loop.most
    last = _last_turns(loop, size)
    win = np.full((target, target), 0.5)
    residual = 0.0
    for total in range(2 * (target - 1), -1, -1):
        low = max(0, total - target + 1)
        own = np.arange(low, total - low + 1)
        worst = np.zeros(-(-len(own) // _LANES))
        _solve_sum(own, total, target, *loop[:5], loop.most, last, win, worst)
        residual = max(residual, float(worst.max()))
    return RaceTable(win, 1, residual, time.perf_counter() - began, target * target)


def _last_turns(loop: Loop, size: int) -> Floats:
    """The best chance to gain more than a distance in one turn, equal counting half."""
    found = np.zeros(size + 1)
    points = np.arange(loop.most + 1)
    for begin in range(0, size + 1, _LANES):
        distance = np.minimum(np.arange(begin, begin + _LANES), size)
        ends = (points[:, None] > distance) + 0.5 * (points[:, None] == distance)
        nodes = np.zeros((len(loop.node_first) - 1, _LANES))
        decisions = np.zeros((len(loop.set_first) - 1, _LANES))
        for _ in range(_PATIENCE):
            before = nodes[0].copy()
            _sweep(*loop[:5], ends, decisions, nodes)
            if np.abs(nodes[0] - before).max() < _CLOSE:
                break
        found[distance] = nodes[0]
    return found


@njit(cache=True, fastmath=_FAST)
def _sweep(
    set_first: Ints,
    outcome: Ints,
    node_first: Ints,
    decision: Ints,
    chance: Floats,
    ends: Floats,
    decisions: Floats,
    nodes: Floats,
) -> None:
    """Every decision from the nodes as they are, then every node from the decisions."""
    for at in range(len(set_first) - 1):
        best = decisions[at]
        best[:] = 0.0
        for place in range(set_first[at], set_first[at + 1]):
            code = outcome[place]
            reached = ends[-1 - code] if code < 0 else nodes[code]
            for lane in range(_LANES):
                best[lane] = max(best[lane], reached[lane])
    for at in range(len(node_first) - 1):
        value = nodes[at]
        value[:] = 0.0
        for place in range(node_first[at], node_first[at + 1]):
            reached = decisions[decision[place]]
            weight = chance[place]
            for lane in range(_LANES):
                value[lane] += weight * reached[lane]


@njit(cache=True, parallel=True)
def _solve_sum(
    own: Ints,
    total: int,
    target: int,
    set_first: Ints,
    outcome: Ints,
    node_first: Ints,
    decision: Ints,
    chance: Floats,
    most: int,
    last: Floats,
    win: Floats,
    worst: Floats,
) -> None:
    """Solve all pairs of scores with one sum; a block holds both seatings of its pairs."""
    blocks = len(worst)
    for block in prange(blocks):
        scores = np.empty(_LANES, np.int64)
        for lane in range(_LANES):
            # Pairs from both ends of the row, so that a lane's opposite is in the block too.
            at = block * (_LANES // 2) + lane // 2
            at = min(at, (len(own) - 1) // 2)
            scores[lane] = own[at] if lane % 2 == 0 else own[len(own) - 1 - at]
        ends = np.empty((most + 1, _LANES))
        for points in range(1, most + 1):
            for lane in range(_LANES):
                a, b = scores[lane], total - scores[lane]
                if a + points >= target:
                    ends[points, lane] = 1.0 - last[a + points - b]
                else:
                    ends[points, lane] = 1.0 - win[b, a + points]
        nodes = np.full((len(node_first) - 1, _LANES), 0.5)
        decisions = np.empty((len(set_first) - 1, _LANES))
        moved = 1.0
        for _ in range(_PATIENCE):
            for lane in range(_LANES):
                ends[0, lane] = 1.0 - nodes[0, lane ^ 1]
            before = nodes[0].copy()
            _sweep(set_first, outcome, node_first, decision, chance, ends, decisions, nodes)
            moved = 0.0
            for lane in range(_LANES):
                moved = max(moved, abs(nodes[0, lane] - before[lane]))
            if moved < _CLOSE:
                break
        for lane in range(_LANES):
            win[scores[lane], total - scores[lane]] = nodes[0, lane]
        worst[block] = moved
