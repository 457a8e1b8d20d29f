"""Solves Cockroach.

Values are exact for two players. For more, the value of a turn's end is estimated from the exact
two-player chances against each opponent.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from functools import cached_property

import numpy as np

from hotdice.core.dice import chances
from hotdice.games.cockroach import Cockroach, CockroachOptions, CockroachState
from hotdice.games.cockroach.game import DEAD, DICE
from hotdice.solve.arrays import Floats
from hotdice.solve.sheet import PASSING, Odds, Sheet, done_and_waiting, settled, share_exponent
from hotdice.solve.solutions import Progress
from hotdice.solve.solved import SolvedSolver
from hotdice.solve.solver import NOTHING, Answer, Need, Question
from hotdice.solvers.cockroach.turn import CockroachSolution, Loop, loop_of, run_loop

_MOST_POINTS = 200
"""The highest target that is solved exactly."""
_PAIR = 1e-3
"""Seconds per pair of scores."""


class CockroachSheet(Sheet[CockroachState]):
    """One turn: the value of every node, and of ending it with each number of points."""

    def __init__(self, solver: CockroachSolver, nodes: Floats, ends: Floats, players: int) -> None:
        super().__init__(players)
        self._solver, self._nodes, self._ends = solver, nodes, ends
        self.start = float(nodes[0])

    def going(self, state: CockroachState) -> float:
        """The value of rolling again."""
        return float(self._nodes[self._solver.node[self._solver.game.turn_key(state)]])

    def ending(self, before: CockroachState, after: CockroachState) -> float:
        """The value after the turn."""
        return float(self._ends[after.scores[before.seat] - before.scores[before.seat]])

    def bust(self, state: CockroachState) -> float:
        """The chance that the next roll leaves no die in play."""
        return float(self._solver.losing[self._solver.node[self._solver.game.turn_key(state)]])

    def odds(self, state: CockroachState) -> tuple[Odds, ...]:
        """The chances of a bust, of a cockroach and of passing the leader."""
        solver = self._solver
        node = solver.node[solver.game.turn_key(state)]
        found = [
            Odds("cockroach", solver.cockroach[len(state.play) + len(state.dead)]),
            Odds("bust", self.bust(state), "losing the turn"),
        ]
        lead = max(s for seat, s in enumerate(state.scores) if seat != state.seat)
        behind = lead - state.scores[state.seat]
        if behind > 0:
            found.append(Odds(PASSING, solver.reach(node, behind)))
        return tuple(found)


class CockroachSolver(SolvedSolver[CockroachState, CockroachOptions, CockroachSolution]):
    """Solves Cockroach."""

    objectives: Mapping[str, str] = {
        "win": "chance to win for the player about to start a turn; ties count half",
        "points": "expected points of a turn played for points alone",
    }

    solution_type = CockroachSolution
    game: Cockroach

    @cached_property
    def loop(self) -> Loop:
        """The turn."""
        return loop_of(self.game)

    @cached_property
    def node(self) -> dict[Hashable, int]:
        """Node numbers by key."""
        return {key: at for at, key in enumerate(self.loop.keys)}

    @cached_property
    def losing(self) -> Floats:
        """Each node's chance that after the next roll the turn can only end with 0 points."""
        loop = self.loop
        hopeless = np.array(
            [
                (loop.outcome[first:end] == -1).all()
                for first, end in zip(loop.set_first[:-1], loop.set_first[1:], strict=True)
            ]
        )
        weights = loop.chance * hopeless[loop.decision]
        return np.asarray(np.add.reduceat(weights, loop.node_first[:-1]))

    @cached_property
    def cockroach(self) -> tuple[float, ...]:
        """The chance of a 6 in the next roll, by the number of dice that stay (C3)."""
        dice = self.game.dice
        return tuple(
            float(sum(chance for faces, chance in chances(dice * count) if DEAD in faces))
            for count in range(DICE, -1, -1)
        )

    def _reaching(self, behind: int) -> Floats:
        points = np.arange(self.loop.most + 1)
        return run_loop(self.loop, (points > behind) + 0.5 * (points == behind))[0]

    def reach(self, node: int, behind: int) -> float:
        """The best chance to make more than ``behind`` points from a node; ties count half."""
        return float(self.memoised(self._reaching, min(behind, self.loop.most + 1))[node])

    def need(self, objective: str) -> Need:
        """Estimated from the pairs of scores; the turn itself is always small."""
        if objective != "win":
            return NOTHING
        pairs = self.game.options.target**2
        return Need(8.0 * pairs * len(self.loop.keys), pairs * _PAIR)

    def refusal(self, objective: str) -> str:
        """Refuse targets that are too high."""
        target = self.game.options.target
        if objective == "win" and target > _MOST_POINTS:
            return (
                f"A target of {target:,} is too high to be solved exactly; "
                f"up to {_MOST_POINTS} can be solved."
            )
        return ""

    def compute(self, progress: Progress) -> CockroachSolution:
        """Solve the two-player game."""
        from hotdice.solvers.cockroach.kernels import (  # noqa: PLC0415 - loads the compiler
            solve_cockroach,
        )

        return solve_cockroach(self.loop, self.game.options.target, progress)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: CockroachState, objective: str) -> CockroachSheet | None:
        """The values of the current turn."""
        if objective == "points":
            return self._points_sheet
        if self.solution() is None:
            return None
        return self.memoised(self._new_win_sheet, state.scores, state.seat, state.closer)

    @cached_property
    def _points_sheet(self) -> CockroachSheet:
        ends = np.arange(self.loop.most + 1, dtype=float)
        nodes, self._moved = run_loop(self.loop, ends)
        return CockroachSheet(self, nodes, ends, 0)

    def _new_win_sheet(self, scores: tuple[int, ...], seat: int, closer: int) -> CockroachSheet:
        solution = self.solved()
        players = len(scores)
        done, waiting = done_and_waiting(players, seat, closer)
        after = scores[seat] + np.arange(self.loop.most + 1)
        ends = settled(after, [scores[o] for o in done])
        for other in waiting:
            against = self._against(solution, scores[seat], scores[other], closed=closer >= 0)
            ends = ends * against ** share_exponent(len(waiting) + 1)
        if players > 2:
            nodes = run_loop(self.loop, ends)[0]
            return CockroachSheet(self, nodes, ends, players if waiting else 1)
        own, other = scores[seat], scores[1 - seat]
        if closer < 0:
            return CockroachSheet(self, solution.nodes[own, other], ends, 2)
        return CockroachSheet(
            self, solution.last[min(other - own, len(solution.last) - 1)], ends, 2
        )

    def _against(
        self, solution: CockroachSolution, own: int, other: int, *, closed: bool
    ) -> Floats:
        """Chances against an opponent who is still to move, by the points of the turn."""
        after = own + np.arange(self.loop.most + 1)
        away = after - other
        reach = np.where(away < 0, 1.0, solution.last[np.clip(away, 0, len(solution.last) - 1), 0])
        ends = 1.0 - reach
        if not closed:
            open_ = after < self.game.options.target
            ends[open_] = 1.0 - solution.nodes[other, after[open_], 0]
        return np.asarray(ends)

    # Answers --------------------------------------------------------------------------------

    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The value of a turn or of the game."""
        began = time.perf_counter()
        own, other = self.checked(question.scores, CockroachState)
        if question.objective == "points":
            sheet = self._points_sheet
            seconds = time.perf_counter() - began
            return Answer(sheet.start, self._moved, len(self.loop.keys), seconds, about)
        found = self.solved(progress)
        return Answer(found.value(own, other), found.residual, found.states, found.seconds, about)
