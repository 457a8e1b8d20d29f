"""Laps: nothing at stake until a turn ends with its points; one last turn for the others.

A turn may come back to where it was, because dice can be taken up again and again. With two
players the values are exact. With more, what a turn leads to is estimated from the chances
against each of the others alone.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hotdice.core.game import AnyGame
from hotdice.solve.graph import Outcome, TurnGraph, compile_turn
from hotdice.solve.program import Floats, Ints
from hotdice.solve.solver import (
    NOTHING,
    Need,
    Odds,
    Question,
    Sheet,
    Solution,
    Unsolvable,
    checked_scores,
    done_and_waiting,
    settled,
    trust_in,
)
from hotdice.solve.store import Progress, no_progress
from hotdice.solve.tabled import TabledSolver

_MOST_POINTS = 200
"""The greatest target that is solved exactly."""
_PAIR = 1e-3
"""Seconds for one pair of scores."""
_CLOSE = 1e-13
_PATIENCE = 4000


@dataclass(frozen=True)
class LapsTable:
    """The solved game.

    Attributes:
        nodes: chance to win by own and other score and node of the turn; node 0 starts it.
        last: the same on the last turn, by the distance to the other's score and node.
        residual: the greatest difference between a value and what one look ahead gives.
        seconds: how long it took.
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
    """A turn as decisions and nodes, all of them numbered.

    Attributes:
        set_first: where each decision's outcomes begin, and where the last one's end.
        outcome: an outcome: a node to go on at, or ``-1 - points`` where the turn ends.
        node_first: where each node's decisions begin, and where the last one's end.
        decision: the decision a roll leads to.
        chance: the chance of that.
        most: the most points a turn can end with.
        keys: the nodes, the start first.
    """

    set_first: Ints
    outcome: Ints
    node_first: Ints
    decision: Ints
    chance: Floats
    most: int
    keys: tuple[Hashable, ...]


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
        tuple(number),
    )


def run_loop(loop: Loop, ends: Floats) -> tuple[Floats, float]:
    """The value of every node, given what ending with each number of points is worth.

    Also says by how much the last sweep moved a value.
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


class LapsSheet(Sheet):
    """One turn: the value of every node and of ending with so many points."""

    def __init__(self, solver: LapsSolver, nodes: Floats, ends: Floats, players: int) -> None:
        super().__init__(players)
        self._solver, self._nodes, self._ends = solver, nodes, ends
        self.start = float(nodes[0])

    def going(self, state: Any) -> float:
        """The value of rolling again."""
        return float(self._nodes[self._solver.node[self._solver.game.turn_key(state)]])

    def ending(self, before: Any, after: Any) -> float:
        """The value of having stopped."""
        return float(self._ends[after.scores[before.seat] - before.scores[before.seat]])

    def odds(self, state: Any) -> tuple[Odds, ...]:
        """Losing all dice, and passing whoever is ahead."""
        solver = self._solver
        node = solver.node[solver.game.turn_key(state)]
        found = [Odds("bust", float(solver.losing[node]))]
        lead = max(s for seat, s in enumerate(state.scores) if seat != state.seat)
        behind = lead - state.scores[state.seat]
        if behind >= 0:
            found.append(Odds("pass the leader this turn", solver.reach(node, behind)))
        return tuple(found)


class LapsSolver(TabledSolver[LapsTable]):
    """Solves games of laps."""

    objectives: ClassVar[Mapping[str, str]] = {
        "win": "chance to win for who is about to start a turn, equal scores counting half",
        "points": "expected points of a turn played for points alone",
    }

    table_type = LapsTable

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)

    @cached_property
    def loop(self) -> Loop:
        """The turn."""
        return loop_of(self.game)

    @cached_property
    def node(self) -> dict[Any, int]:
        """The number of each node by its key."""
        return {key: at for at, key in enumerate(self.loop.keys)}

    @cached_property
    def losing(self) -> Floats:
        """Each node's chance that the next roll leaves no points to be had."""
        loop = self.loop
        hopeless = np.array(
            [
                (loop.outcome[first:end] == -1).all()
                for first, end in zip(loop.set_first[:-1], loop.set_first[1:], strict=True)
            ]
        )
        weights = loop.chance * hopeless[loop.decision]
        return np.asarray(np.add.reduceat(weights, loop.node_first[:-1]))

    def _reaching(self, behind: int) -> Floats:
        points = np.arange(self.loop.most + 1)
        return run_loop(self.loop, (points > behind) + 0.5 * (points == behind))[0]

    def reach(self, node: int, behind: int) -> float:
        """The best chance to make more than so many points, equal counting half."""
        return float(self.remembered(self._reaching, min(behind, self.loop.most + 1))[node])

    def _solvable(self) -> bool:
        return not self.refusal("win")

    def need(self, objective: str) -> Need:
        """Pairs of scores by node of the turn, which is always small."""
        if objective != "win":
            return NOTHING
        pairs = int(self.game.options.target) ** 2
        return Need(8.0 * pairs * len(self.loop.keys), pairs * _PAIR)

    def refusal(self, objective: str) -> str:
        """A target too far away."""
        target = int(self.game.options.target)
        if objective == "win" and target > _MOST_POINTS:
            return (
                f"A target of {target:,} is too far for an exact table; "
                f"up to {_MOST_POINTS} can be solved."
            )
        return ""

    def _compute(self, progress: Progress) -> LapsTable:
        from hotdice.solve.laps import solve_laps  # noqa: PLC0415 - loads the compiler

        return solve_laps(self.game, progress)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: Any, objective: str) -> LapsSheet | None:
        """The values of the turn under way."""
        if objective == "points":
            return self._points_sheet
        if self.table() is None:
            return None
        return self.remembered(self._new_win_sheet, state.scores, state.seat, state.closer)

    @cached_property
    def _points_sheet(self) -> LapsSheet:
        ends = np.arange(self.loop.most + 1, dtype=float)
        nodes, self._moved = run_loop(self.loop, ends)
        return LapsSheet(self, nodes, ends, 0)

    def _new_win_sheet(self, scores: tuple[int, ...], seat: int, closer: int) -> LapsSheet:
        table = self.solved()
        players = len(scores)
        done, waiting = done_and_waiting(players, seat, closer)
        after = scores[seat] + np.arange(self.loop.most + 1)
        ends = settled(after, [scores[o] for o in done])
        for other in waiting:
            against = self._against(table, scores[seat], scores[other], closed=closer >= 0)
            ends = ends * against ** trust_in(len(waiting) + 1)
        if players > 2:
            nodes = run_loop(self.loop, ends)[0]
            return LapsSheet(self, nodes, ends, players if waiting else 1)
        own, other = scores[seat], scores[1 - seat]
        if closer < 0:
            return LapsSheet(self, table.nodes[own, other], ends, 2)
        return LapsSheet(self, table.last[min(other - own, len(table.last) - 1)], ends, 2)

    def _against(self, table: LapsTable, own: int, other: int, *, closed: bool) -> Floats:
        """Chances against another who is still to move, by the points of the turn."""
        after = own + np.arange(self.loop.most + 1)
        away = after - other
        reach = np.where(away < 0, 1.0, table.last[np.clip(away, 0, len(table.last) - 1), 0])
        ends = 1.0 - reach
        if not closed:
            open_ = after < int(self.game.options.target)
            ends[open_] = 1.0 - table.nodes[other, after[open_], 0]
        return np.asarray(ends)

    # Answers --------------------------------------------------------------------------------

    def solve(self, question: Question, progress: Progress = no_progress) -> Solution:
        """The value of a turn, or of the game."""
        began = time.perf_counter()
        about = self.objectives[question.objective]
        if question.objective == "points":
            if question.scores:
                checked_scores(self.game, question.scores)
            sheet = self._points_sheet
            seconds = time.perf_counter() - began
            return Solution(sheet.start, self._moved, len(self.loop.keys), seconds, about)
        own, other = checked_scores(self.game, question.scores)
        if refusal := self.refusal("win"):
            raise Unsolvable(refusal)
        table = self.solved(progress)
        return Solution(table.value(own, other), table.residual, table.states, table.seconds, about)
