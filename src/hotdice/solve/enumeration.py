"""Enumerates every reachable state of a small game from the rules, and solves it.

Decisions are not stored as states: a decision is the set of states it leads to. Values are looked
up by a hash of the state.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import blake2b
from typing import Generic

import numpy as np

from hotdice.core.dice import Die, chances
from hotdice.core.due import Result, ToChoose, ToRoll
from hotdice.core.events import Roll
from hotdice.core.game import Game, O, S
from hotdice.solve.arrays import Floats, Ints
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.solver import Unsolvable
from hotdice.solve.stopwatch import Stopwatch

MOST_STATES = 5_000_000
"""The limit on states with dice to roll."""
CHANCE, FIRST, SECOND, END = range(4)
"""Node kinds: dice are rolled, the first or second seat chooses, the game is over."""
_REPORT_EVERY = 4096
_REMEMBERED = 100_000
"""The limit on decisions whose node is remembered; most states to choose in come up often."""
_SHARE = 0.9  # enumeration's share of the work
_TOO_MANY = "{title} has more than {most:,} states with dice to roll: too many to enumerate."
_ENDLESS = "A player can keep {title} from ending, so the chances to win are undefined."


@dataclass(frozen=True)
class Enumeration:
    """A game solved state by state.

    Attributes:
        keys: the hash of every state with dice to roll, sorted.
        win: the first seat's chance to win at each.
        points: a single player's expected points at each; empty for two players.
        residual: the largest Bellman residual.
        seconds: how long solving took.
        states: how many states there are.
        salt: the hash salt that avoids collisions.
    """

    keys: Ints
    win: Floats
    points: Floats
    residual: float
    seconds: float
    states: int
    salt: int

    def find(self, state: tuple[object, ...]) -> int:
        """The index of a state with dice to roll; raises ``Unsolvable``."""
        key = key_of(state, self.salt)
        at = int(np.searchsorted(self.keys, key))
        if at == len(self.keys) or self.keys[at] != key:
            raise Unsolvable("This state cannot be reached.")
        return at


@dataclass
class Nodes:
    """A game as a graph in compressed sparse rows.

    Attributes:
        kind: the kind of each node.
        first: where each node's successors start in ``to``; one longer than ``kind``.
        to: the successors.
        chance: the probability of each successor; 1 at decisions.
        win: the first seat's share of the win, at ends.
        points: the first seat's points, at ends.
    """

    kind: Ints
    first: Ints
    to: Ints
    chance: Floats
    win: Floats
    points: Floats


class Enumerator(Generic[S]):
    """Enumerates every reachable state of a game.

    Args:
        game: the rules.
        players: how many play.
        most: the limit on states with dice to roll.
        same: maps a state to the representative of its equivalence class.
    """

    def __init__(
        self,
        game: Game[S, O],
        players: int,
        most: int = MOST_STATES,
        same: Callable[[S], S] | None = None,
    ) -> None:
        self._game, self._players, self._most = game, players, most
        self._same = same
        self.number: dict[S, int] = {}
        """The node number of every state with dice to roll."""
        self._waiting: deque[tuple[S, ToRoll]] = deque()
        self._choosing: set[S] = set()
        self._decided: dict[S, int] = {}
        self._kinds = array("b")
        self._successors: list[tuple[array[int], array[float]] | None] = []
        self._decisions: dict[tuple[int, ...], int] = {}
        self._ends: dict[tuple[float, int], int] = {}

    def run(self, progress: Progress = no_progress) -> Nodes:
        """Enumerate from the start of the game with each seat first; raises ``Unsolvable``."""
        for first in range(self._players):
            self._refer(self._game.start(self._players, first))
        done, reported = 0, 0.0
        while self._waiting:
            self._expand(*self._waiting.popleft())
            done += 1
            if done % _REPORT_EVERY == 0:
                reported = max(reported, _SHARE * done / len(self.number))
                progress(reported)
        return self._nodes()

    def _refer(self, state: S) -> int:
        """The node number of a state; adds the node if it is new."""
        if self._same is not None:
            state = self._same(state)
        known = self.number.get(state)
        if known is not None:
            return known
        due = self._game.due(state)
        if isinstance(due, ToRoll):
            if len(self.number) >= self._most:
                raise Unsolvable(_TOO_MANY.format(title=self._game.title, most=self._most))
            known = self.number[state] = self._add(CHANCE)
            self._waiting.append((state, due))
            return known
        if isinstance(due, ToChoose):
            return self._decide(state, due.seat)
        return self._end(due.result)

    def _add(self, kind: int) -> int:
        self._kinds.append(kind)
        self._successors.append(None)
        return len(self._kinds) - 1

    def _decide(self, state: S, seat: int) -> int:
        """The node of a decision; decisions with the same successors share one."""
        known = self._decided.get(state)
        if known is not None:
            return known
        if state in self._choosing:
            raise Unsolvable(_ENDLESS.format(title=self._game.title))
        self._choosing.add(state)
        apply = self._game.apply
        found = sorted({self._refer(apply(state, one)) for one in self._game.choices(state)})
        self._choosing.remove(state)
        if len(self._decided) >= _REMEMBERED:
            self._decided.clear()
        self._decided[state] = known = found[0] if len(found) == 1 else self._join(seat, found)
        return known

    def _join(self, seat: int, found: list[int]) -> int:
        """The node at which a seat chooses one of these nodes."""
        key = (seat, *found)
        known = self._decisions.get(key)
        if known is None:
            known = self._decisions[key] = self._add(FIRST if seat == 0 else SECOND)
            self._successors[known] = array("q", found), array("d", [1.0]) * len(found)
        return known

    def _end(self, result: Result) -> int:
        alone = self._players == 1
        drawn = 0.0 if alone else 0.5
        winners = result.winners
        share = (0 in winners) / len(winners) if winners else drawn
        key = share, result.scores[0] if alone else 0
        known = self._ends.get(key)
        if known is None:
            known = self._ends[key] = self._add(END)
        return known

    def _expand(self, state: S, due: ToRoll) -> None:
        to: Counter[int] = Counter()
        rolls, whole = _ways(due.dice)
        for roll, ways in rolls:
            to[self._refer(self._game.apply(state, roll))] += ways
        at = self.number[state]
        self._successors[at] = array("q", to), array("d", [ways / whole for ways in to.values()])

    def _nodes(self) -> Nodes:
        counts = [0 if found is None else len(found[0]) for found in self._successors]
        to, chance = array("q"), array("d")
        for found in self._successors:
            if found is not None:
                to += found[0]
                chance += found[1]
        win, points = np.zeros(len(counts)), np.zeros(len(counts))
        for (share, score), at in self._ends.items():
            win[at], points[at] = share, score
        return Nodes(
            np.array(self._kinds, np.int64),
            np.cumsum([0, *counts]),
            np.array(to, np.int64),
            np.array(chance),
            win,
            points,
        )


@lru_cache(maxsize=256)
def _ways(dice: tuple[Die, ...]) -> tuple[list[tuple[Roll, int]], int]:
    """Every roll of these dice with the number of ways to get it, and the total of those."""
    rolls = chances(dice)
    whole = 1
    for _, chance in rolls:
        whole *= Fraction(whole * chance).denominator
    return [(Roll(faces), int(chance * whole)) for faces, chance in rolls], whole


def key_of(state: tuple[object, ...], salt: int) -> int:
    """A hash of a state, stable across processes."""
    digest = blake2b(repr(tuple(state)).encode(), digest_size=8, key=salt.to_bytes(2)).digest()
    return int.from_bytes(digest, signed=True)


def enumerate_game(
    game: Game[S, O],
    players: int,
    progress: Progress = no_progress,
    most: int = MOST_STATES,
    same: Callable[[S], S] | None = None,
) -> Enumeration:
    """Enumerate and solve a game; raises ``Unsolvable``.

    Args:
        game: the rules.
        players: one or two.
        progress: called with the fraction done.
        most: the limit on states with dice to roll.
        same: maps a state to the representative of its equivalence class.
    """
    from hotdice.solve.enumeration_kernels import solve_nodes  # noqa: PLC0415 - loads the compiler

    watch = Stopwatch()
    found: Enumerator[S] = Enumerator(game, players, most, same)
    nodes = found.run(progress)
    watch.pause()
    solve_nodes(nodes, np.zeros(0, np.int64), nodes.win)
    watch.resume()
    places = np.array(list(found.number.values()), np.int64)
    win, residual, endless = solve_nodes(nodes, places, nodes.win)
    points = np.zeros(0)
    if players == 1:
        points, more, _ = solve_nodes(nodes, places, nodes.points)
        residual = max(residual, more)
    if endless:
        raise Unsolvable(_ENDLESS.format(title=game.title))
    salt = 0
    while True:
        keys = np.array([key_of(state, salt) for state in found.number], np.int64)
        order = np.argsort(keys)
        if (np.diff(keys[order]) > 0).all():
            break
        salt += 1
    progress(1.0)
    return Enumeration(
        keys[order],
        win[order],
        points[order] if players == 1 else points,
        residual,
        watch.seconds(),
        len(keys),
        salt,
    )
