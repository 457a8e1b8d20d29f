"""Value iteration over the graph of an enumerated game.

Strongly connected components are solved in reverse topological order, each by Gauss-Seidel sweeps
until it converges.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hotdice.solve.arrays import Bools, Floats, Ints
from hotdice.solve.enumeration import CHANCE, END, FIRST, Nodes

_CLOSE = 1e-15
_PATIENCE = 100_000


def solve_nodes(nodes: Nodes, places: Ints, ends: Floats) -> tuple[Floats, float, bool]:
    """The values of some nodes, the residual, and whether a player can prolong the game for ever.

    Args:
        nodes: the game.
        places: the nodes whose values to return; if empty, this only JIT compiles the kernels.
        ends: the value of each end to the first seat.
    """
    kind, first, to, chance = nodes.kind, nodes.first, nodes.to, nodes.chance
    if not len(places):
        kind, first = kind[:0], first[:1]
    order, cuts = _components(first, to)
    value = np.where(nodes.kind == END, ends, 0.5) if len(places) else np.zeros(0)
    endless = _solve(kind, first, to, chance, order, cuts, value)
    residual = _residual(kind, first, to, chance, value)
    return value[places], float(residual), bool(endless)


@njit(cache=True)
def _components(first: Ints, to: Ints) -> tuple[Ints, Ints]:
    """All nodes by component in reverse topological order (Tarjan), and where each one starts."""
    size = len(first) - 1
    number = np.full(size, -1, np.int64)
    low = np.zeros(size, np.int64)
    edge = first[:-1].copy()
    on_stack = np.zeros(size, np.bool_)
    stack = np.empty(size, np.int64)
    path = np.empty(size, np.int64)
    order = np.empty(size, np.int64)
    cuts = np.zeros(size + 1, np.int64)
    stacked, done, count, components = 0, 0, 0, 0
    for start in range(size):
        if number[start] >= 0:
            continue
        depth = 0
        path[0] = start
        number[start] = low[start] = count
        count += 1
        stack[stacked] = start
        stacked += 1
        on_stack[start] = True
        while depth >= 0:
            at = path[depth]
            if edge[at] < first[at + 1]:
                after = to[edge[at]]
                edge[at] += 1
                if number[after] < 0:
                    number[after] = low[after] = count
                    count += 1
                    stack[stacked] = after
                    stacked += 1
                    on_stack[after] = True
                    depth += 1
                    path[depth] = after
                elif on_stack[after]:
                    low[at] = min(low[at], number[after])
                continue
            if low[at] == number[at]:
                while True:
                    stacked -= 1
                    member = stack[stacked]
                    on_stack[member] = False
                    order[done] = member
                    done += 1
                    if member == at:
                        break
                components += 1
                cuts[components] = done
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[at])
    return order, cuts[: components + 1]


@njit(cache=True)
def _look_ahead(at: int, kind: Ints, first: Ints, to: Ints, chance: Floats, value: Floats) -> float:
    if kind[at] == END:
        return float(value[at])
    begin, end = first[at], first[at + 1]
    if kind[at] == CHANCE:
        total = 0.0
        for place in range(begin, end):
            total += chance[place] * value[to[place]]
        return total
    best = value[to[begin]]
    for place in range(begin + 1, end):
        after = value[to[place]]
        best = max(best, after) if kind[at] == FIRST else min(best, after)
    return float(best)


@njit(cache=True)
def _solve(
    kind: Ints,
    first: Ints,
    to: Ints,
    chance: Floats,
    order: Ints,
    cuts: Ints,
    value: Floats,
) -> bool:
    """Solve all components; returns whether a player can keep the game from ending."""
    endless = False
    component = np.full(len(kind), -1, np.int64)
    stays = np.zeros(len(kind), np.bool_)
    for number in range(len(cuts) - 1):
        members = order[cuts[number] : cuts[number + 1]]
        for at in members:
            component[at] = number
        for _ in range(_PATIENCE):
            moved = 0.0
            for at in members:
                found = _look_ahead(at, kind, first, to, chance, value)
                moved = max(moved, abs(found - value[at]))
                value[at] = found
            if moved < _CLOSE or len(members) == 1:
                break
        if len(members) > 1 and not endless:
            for seat in (FIRST, FIRST + 1):
                if _can_stay(members, seat, kind, first, to, value, component, stays):
                    endless = True
    return endless


@njit(cache=True)
def _can_stay(
    members: Ints,
    seat: int,
    kind: Ints,
    first: Ints,
    to: Ints,
    value: Floats,
    component: Ints,
    stays: Bools,
) -> bool:
    """Whether the opponent of ``seat`` can stay in a component for ever against its best play.

    Removes nodes until the rest is closed: every roll stays inside, as do all of the seat's best
    choices and at least one choice of the opponent.
    """
    number = component[members[0]]
    for at in members:
        stays[at] = True
    changed = True
    while changed:
        changed = False
        for at in members:
            if not stays[at]:
                continue
            every, some, best_stays = True, False, False
            best, chosen = 0.0, False
            for place in range(first[at], first[at + 1]):
                after = to[place]
                inside = component[after] == number and stays[after]
                every = every and inside
                some = some or inside
                better = value[after] > best if seat == FIRST else value[after] < best
                if not chosen or better:
                    best, best_stays, chosen = value[after], inside, True
                elif value[after] == best:
                    best_stays = best_stays and inside
            if kind[at] == CHANCE:
                keeps = every
            elif kind[at] == seat:
                keeps = best_stays
            else:
                keeps = some
            if not keeps:
                stays[at] = False
                changed = True
    return bool(stays[members].any())


@njit(cache=True)
def _residual(kind: Ints, first: Ints, to: Ints, chance: Floats, value: Floats) -> float:
    """The largest Bellman residual."""
    worst = 0.0
    for at in range(len(kind)):
        worst = max(worst, abs(_look_ahead(at, kind, first, to, chance, value) - value[at]))
    return worst
