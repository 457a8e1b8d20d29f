"""Solves small two-player games in exact fractions, with a proof of optimality.

The graph of a game is built from the rules alone. Value iteration in floats suggests the choices of
both seats. Policy iteration in fractions then solves a linear system for the chances that follow
from them and switches to better choices, until there are none. If, moreover, neither seat can keep
the game from ending while the other sticks to its choices, the chances are those of optimal play.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

import numpy as np

from hotdice.core.due import Over, ToRoll
from hotdice.core.events import Roll
from hotdice.core.game import AnyGame

_CHANGE = 1e-14
_SWEEPS = 20_000
_SECOND_THOUGHTS = 50
_OFTEN = 8
_ONE = -1
"""The key of the constant in a linear form; the other keys are nodes."""

Form = dict[int, Fraction]
"""A chance as a linear form: a constant, and unsolved nodes with their factors."""


class Chance(NamedTuple):
    """A roll: the nodes it leads to, each with its number of ways, and the total of ways."""

    to: dict[int, int]
    ways: int


class Decision(NamedTuple):
    """A seat chooses between nodes."""

    seat: int
    to: tuple[int, ...]


class End(NamedTuple):
    """The game is over: the first seat's share of the win."""

    share: Fraction


Node = Chance | Decision | End


class Solved(NamedTuple):
    """The first seat's exact chance to win at every node, and the node of every state."""

    value: list[Fraction]
    number: dict[Any, int]
    same: Callable[[Any], Any]

    def at(self, state: Any) -> Fraction:
        """The first seat's chance to win, from a solved state."""
        return self.value[self.number[self.same(state)]]


def solve_exactly(
    game: AnyGame,
    states: Iterable[Any],
    *,
    same: Callable[[Any], Any] = lambda state: state,
    alike: Callable[[Roll], Hashable] = lambda roll: roll,
) -> Solved:
    """The first seat's chances to win under optimal play.

    Args:
        game: the rules.
        states: where to begin.
        same: maps equivalent states to one of them.
        alike: a key that is equal for rolls with the same options in every state.
    """
    graph = _Graph(game, same, alike)
    for state in states:
        graph.refer(same(state))
    graph.expand()
    return Solved(settle(graph.nodes), graph.number, same)


class _Graph:
    def __init__(
        self, game: AnyGame, same: Callable[[Any], Any], alike: Callable[[Roll], Hashable]
    ) -> None:
        self.game, self.same, self.alike = game, same, alike
        self.nodes: list[Node] = [
            End(Fraction(0)),
            End(Fraction(1)),
        ]  # certain wins of seats 1 and 0
        self.number: dict[Any, int] = {}
        self._shares = {Fraction(0): 0, Fraction(1): 1}
        self._decisions: dict[Decision, int] = {}
        self._waiting: list[tuple[int, Any]] = []
        self._rolls: dict[Any, list[tuple[Roll, int]]] = {}

    def refer(self, state: Any) -> int:
        """The node of a canonical state, created if there is none yet."""
        found = self.number.get(state)
        if found is None:
            found = self.number[state] = self._make(state)
        return found

    def _make(self, state: Any) -> int:
        due = self.game.due(state)
        if isinstance(due, Over):
            winners = due.result.winners
            return self._end(Fraction(int(0 in winners), len(winners)))
        if isinstance(due, ToRoll):
            self._waiting.append((len(self.nodes), state))
            self.nodes.append(Chance({}, 1))
            return len(self.nodes) - 1
        return self._decide(state, due.seat)

    def _end(self, share: Fraction) -> int:
        if share not in self._shares:
            self._shares[share] = len(self.nodes)
            self.nodes.append(End(share))
        return self._shares[share]

    def _decide(self, state: Any, seat: int) -> int:
        """Merge choices that lead to the same node; a certain win beats all others."""
        game, same = self.game, self.same
        sure = 1 - seat
        following = {same(game.apply(state, choice)) for choice in game.choices(state)}
        later = []
        found: set[int] = set()
        for after in following:
            if not isinstance(game.due(after), ToRoll):
                found.add(self.refer(after))
            else:
                later.append(after)
        if sure in found:
            return sure
        found.update(map(self.refer, later))
        if len(found) == 1:
            return found.pop()
        decision = Decision(seat, tuple(sorted(found)))
        if decision not in self._decisions:
            self._decisions[decision] = len(self.nodes)
            self.nodes.append(decision)
        return self._decisions[decision]

    def expand(self) -> None:
        """Add all rolls of all states, until no state is left."""
        while self._waiting:
            at, state = self._waiting.pop()
            to: Counter[int] = Counter()
            for roll, ways in self._ways(state):
                to[self.refer(self.same(self.game.apply(state, roll)))] += ways
            self.nodes[at] = Chance(dict(to), to.total())

    def _ways(self, state: Any) -> list[tuple[Roll, int]]:
        """One roll of each kind, with the number of ways to roll that kind."""
        dice = self.game.due(state).dice  # type: ignore[union-attr]
        if dice not in self._rolls:
            rolls = self.game.rolls(state)
            whole = lcm(*(chance.denominator for _, chance in rolls))
            first: dict[Hashable, Roll] = {}
            ways: Counter[Hashable] = Counter()
            for roll, chance in rolls:
                kind = self.alike(roll)
                first.setdefault(kind, roll)
                ways[kind] += int(chance * whole)
            self._rolls[dice] = [(first[kind], count) for kind, count in ways.items()]
        return self._rolls[dice]


def settle(nodes: list[Node]) -> list[Fraction]:
    """Exact chances under optimal play; raises if they cannot be proved."""
    chosen = _suggest(nodes)
    for _ in range(_SECOND_THOUGHTS):
        value = _evaluate(nodes, chosen)
        better = dict(_better(nodes, chosen, value))
        if not better:
            for seat in (0, 1):
                _check_ending(nodes, chosen, seat)
            return value
        chosen |= better
    raise ArithmeticError("the seats never settle on their choices")


def _flat(rows: list[tuple[int, Iterable[int]]]) -> tuple[Any, Any, Any]:
    """The indices of rows, their contents in one array, and where each row begins in it."""
    lists = [list(row) for _, row in rows]
    at = np.array([place for place, _ in rows], np.int64)
    to = np.array([node for row in lists for node in row], np.int64)
    return at, to, np.cumsum([0, *(len(row) for row in lists)], dtype=np.int64)[:-1]


def _suggest(nodes: list[Node]) -> dict[int, int]:
    """The best choice of every decision, by value iteration in floats."""
    rolls = [(at, node) for at, node in enumerate(nodes) if isinstance(node, Chance)]
    decisions = [(at, node) for at, node in enumerate(nodes) if isinstance(node, Decision)]
    weight = np.array([n / node.ways for _, node in rolls for n in node.to.values()])
    roll_at, roll_to, roll_cut = _flat([(at, node.to) for at, node in rolls])
    picks = [
        (best, *_flat([(at, node.to) for at, node in decisions if node.seat == seat]))
        for seat, best in enumerate((np.maximum, np.minimum))
    ]
    value = np.array([float(n.share) if isinstance(n, End) else 0.5 for n in nodes])
    for _ in range(_SWEEPS):
        before = value.copy()
        for best, at, to, cut in picks:
            if len(at):
                value[at] = best.reduceat(value[to], cut)
        value[roll_at] = np.add.reduceat(weight * value[roll_to], roll_cut)
        if np.abs(value - before).max() < _CHANGE:
            break
    numbers = value.tolist()
    best_of = (max, min)
    return {at: best_of[node.seat](node.to, key=numbers.__getitem__) for at, node in decisions}


def _evaluate(nodes: list[Node], chosen: dict[int, int]) -> list[Fraction]:
    """The exact chances that follow from the choices."""
    rows: list[tuple[dict[int, int], int]] = []
    forms: dict[int, Form] = {}
    for at, node in enumerate(nodes):
        if isinstance(node, End):
            forms[at] = {_ONE: node.share}
            rows.append(({}, 1))
        else:
            rows.append((node.to, node.ways) if isinstance(node, Chance) else ({chosen[at]: 1}, 1))
    _eliminate(rows, [at for at in range(len(nodes)) if at not in forms], forms)
    return [forms[at].get(_ONE, Fraction(0)) for at in range(len(nodes))]


def _eliminate(
    rows: list[tuple[dict[int, int], int]], places: Iterable[int], forms: dict[int, Form]
) -> None:
    """Solve for some nodes, component by component, each after those it leads to.

    In a cyclic component, one node is treated as known, which breaks cycles; its own equation then
    gives its value, and with it those of the others.
    """
    for loop in _loops(rows, set(places)):
        root = loop[0] if len(loop) == 1 else _opener(rows, loop)
        if len(loop) == 1 and root not in rows[root][0]:
            forms[root] = _sum(rows[root], forms)
            continue
        forms[root] = {root: Fraction(1)}
        rest = [at for at in loop if at != root]
        _eliminate(rows, rest, forms)
        form = _sum(rows[root], forms)
        stays = 1 - form.pop(root, Fraction(0))
        if not stays:
            raise ArithmeticError("with these choices the game never ends")
        settled = {key: factor / stays for key, factor in form.items()}
        forms[root] = settled
        for at in rest:
            if root in forms[at]:
                times = forms[at].pop(root)
                for key, factor in settled.items():
                    forms[at][key] = forms[at].get(key, Fraction(0)) + times * factor


def _opener(rows: list[tuple[dict[int, int], int]], loop: list[int]) -> int:
    """A node whose removal leaves small components.

    A node that breaks all cycles lies on each of them, so try those of a short cycle, and those
    that most nodes lead to.
    """
    places = set(loop)
    entered = Counter(to for at in loop for to in rows[at][0] if to in places)
    often = [at for at, _ in entered.most_common(_OFTEN)]
    best, fewest = loop[0], len(loop) ** 2
    for root in dict.fromkeys([*often, *_way_round(rows, loop[0], places)]):
        left = sum(len(part) ** 2 for part in _loops(rows, places - {root}) if len(part) > 1)
        if left < fewest:
            best, fewest = root, left
        if left <= len(loop):
            break
    return best


def _way_round(
    rows: list[tuple[dict[int, int], int]], start: int, places: set[int]
) -> Iterator[int]:
    """The nodes of a shortest cycle through a node, backwards."""
    came: dict[int, int] = {}
    reached = [start]
    for at in reached:
        for to in rows[at][0]:
            if to in places and to not in came:
                came[to] = at
                reached.append(to)
        if start in came:
            break
    at = came[start]
    while at != start:
        yield at
        at = came[at]
    yield start


def _sum(row: tuple[dict[int, int], int], forms: dict[int, Form]) -> Form:
    """A row as a linear form, from the forms of the nodes it leads to."""
    parts: dict[int, list[tuple[int, Fraction]]] = {}
    to, ways = row
    for node, count in to.items():
        for key, factor in forms[node].items():
            parts.setdefault(key, []).append((count, factor))
    return {key: _total(part, ways) for key, part in parts.items()}


def _total(parts: list[tuple[int, Fraction]], ways: int) -> Fraction:
    whole = lcm(*(factor.denominator for _, factor in parts))
    total = sum(count * f.numerator * (whole // f.denominator) for count, f in parts)
    return Fraction(total, whole * ways)


def _loops(rows: list[tuple[dict[int, int], int]], places: set[int]) -> Iterator[list[int]]:
    """The strongly connected components of some nodes, each after those it leads to (Tarjan)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    closed: set[int] = set()
    for start in places:
        if start in order:
            continue
        path = [(start, iter(rows[start][0]))]
        order[start] = low[start] = len(order)
        stack.append(start)
        while path:
            at, ahead = path[-1]
            for to in ahead:
                if to not in places or to in closed:
                    continue
                if to not in order:
                    order[to] = low[to] = len(order)
                    stack.append(to)
                    path.append((to, iter(rows[to][0])))
                    break
                low[at] = min(low[at], order[to])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[at])
                if low[at] == order[at]:
                    loop = [stack.pop()]
                    while loop[-1] != at:
                        loop.append(stack.pop())
                    closed.update(loop)
                    yield loop


def _better(
    nodes: list[Node], chosen: dict[int, int], value: list[Fraction]
) -> Iterator[tuple[int, int]]:
    """Decisions that have a strictly better choice, with that choice.

    Fractions are compared as floats first, which is fast and safe, as rounding keeps their order.
    """
    rounded = [float(number) for number in value]
    for at, node in enumerate(nodes):
        if not isinstance(node, Decision):
            continue
        best = chosen[at]
        for to in node.to:
            high, low = (to, best) if node.seat == 0 else (best, to)
            if rounded[high] > rounded[low] or (
                rounded[high] == rounded[low] and value[high] > value[low]
            ):
                best = to
        if best != chosen[at]:
            yield at, best


def _check_ending(nodes: list[Node], chosen: dict[int, int], seat: int) -> None:
    """Raise if the other seat can play on for ever while this one sticks to its choices.

    Finds the largest set of nodes that no roll leaves and in which every decision can stay.
    """
    everywhere = _flat([(at, n.to) for at, n in enumerate(nodes) if isinstance(n, Chance)])
    somewhere = _flat(
        [
            (at, [chosen[at]] if node.seat == seat else node.to)
            for at, node in enumerate(nodes)
            if isinstance(node, Decision)
        ]
    )
    stays = np.array([not isinstance(node, End) for node in nodes])
    count = -1
    while count != int(stays.sum()):
        count = int(stays.sum())
        for combine, (at, to, cut) in (
            (np.logical_and, everywhere),
            (np.logical_or, somewhere),
        ):
            if len(at):
                stays[at] = combine.reduceat(stays[to], cut)
    if count:
        raise ArithmeticError("a seat can keep the game from ending")
