"""Solves Rogue.

Values are exact for two players. For more, the value of a turn's end is estimated from the exact
two-player chances against each opponent.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from functools import cached_property

import numpy as np

from hotdice.games.rogue import Rogue, RogueOptions, RogueState
from hotdice.solve.arrays import Bools, Floats, Ints
from hotdice.solve.graph import Outcome, TurnGraph
from hotdice.solve.sheet import PASSING, Odds, Sheet, share_exponent
from hotdice.solve.solutions import Progress
from hotdice.solve.solved import SolvedSolver
from hotdice.solve.solver import NOTHING, PREPARED, Answer, Need, Question, Unsolvable
from hotdice.solvers.rogue.turn import (
    RogueSolution,
    Steps,
    how_it_ends,
    run_steps,
    step_lists,
    turn_graph,
)
from hotdice.solvers.rogue.unrolled import Unrolled, positions, unroll

_MOST_POINTS = 3500
"""The highest target whose solution fits into memory."""
_STEP = 2.5e-9
"""Seconds per step of a turn, for one pair of scores."""
_LEAD = 30e-9
"""Seconds per step of a turn, for one lead in a last round."""
_CLOSE = 1e-13
_PATIENCE = 200


class RogueSheet(Sheet[RogueState]):
    """One turn: the value of every position and end, and of taking an additional turn."""

    def __init__(self, solver: RogueSolver, ends: Floats, players: int) -> None:
        super().__init__(players)
        self._solver = solver
        self._values = run_steps(solver.steps, ends)
        self.start = self._values[-1]

    def going(self, state: RogueState) -> float:
        """The value of rolling on."""
        place = self._solver.place.get((self._solver.game.turn_key(state), state.total))
        if place is None:
            raise Unsolvable(f"No turn makes {state.total:,} points with these dice set aside.")
        return self._values[place]

    def ending(self, before: RogueState, after: RogueState) -> float:
        """The value after the turn, or after accepting or declining an additional turn."""
        if before.phase == "extra":
            return self.start if after.seat == before.seat else self._values[self._solver.nothing]
        gain = after.scores[before.seat] - before.scores[before.seat]
        key = self._solver.ending_key(before, after)
        place = self._solver.place_of_end.get((key, gain))
        if place is None:
            raise Unsolvable(f"No turn ends with {gain:,} points.")
        return self._values[place]

    def odds(self, state: RogueState) -> tuple[Odds, ...]:
        """The chances of a roll that adds nothing and of passing the leader."""
        solver = self._solver
        key = solver.game.turn_key(state)
        found = [Odds("bad roll", solver.nothing_chance[key])]
        lead = max(s for seat, s in enumerate(state.scores) if seat != state.seat)
        behind = lead - state.scores[state.seat]
        if behind > 0 and behind >= state.total:
            chance = solver.reach(behind)[solver.place[key, state.total]]
            found.append(Odds(PASSING, chance))
        return tuple(found)


class RogueSolver(SolvedSolver[RogueState, RogueOptions, RogueSolution]):
    """Solves Rogue."""

    objectives: Mapping[str, str] = {
        "win": "chance to win for the player about to start a turn",
        "points": "expected points of a turn played for points alone",
    }

    has_rounds = True
    solution_type = RogueSolution
    game: Rogue

    @cached_property
    def _graph(self) -> TurnGraph:
        return turn_graph(self.game)

    @cached_property
    def turn(self) -> Unrolled:
        """The turn."""
        return unroll(self._graph)

    @cached_property
    def steps(self) -> Steps:
        """The turn as Python lists."""
        return step_lists(self.turn)

    @cached_property
    def place(self) -> dict[tuple[Hashable, int], int]:
        """The index of each position's value, by key and points."""
        ends = len(self.turn.ends)
        return {position: ends + at for at, position in enumerate(positions(self._graph))}

    @cached_property
    def place_of_end(self) -> dict[tuple[Hashable, int], int]:
        """The index of each end's value, by kind and points."""
        return {(how_it_ends(end), end[1]): at for at, end in enumerate(self.turn.ends)}

    @cached_property
    def nothing(self) -> int:
        """The index of the end with 0 points."""
        return self.place_of_end["roll", 0]

    @cached_property
    def nothing_chance(self) -> dict[Hashable, float]:
        """Each node's chance of a roll that ends the turn without adding points."""
        nothing = Outcome(ends=True, key=self._graph.start, factor=1, add=0)
        return {
            key: float(sum(c.chance for c in classes if all(o == nothing for o in c.outcomes)))
            for key, classes in self._graph.nodes.items()
        }

    @cached_property
    def _gains(self) -> Ints:
        return np.array([gain for _, gain in self.turn.ends])

    @cached_property
    def _is_extra(self) -> Bools:
        return np.array([how_it_ends(end) == "extra" for end in self.turn.ends])

    @cached_property
    def _is_out(self) -> Bools:
        return np.array([how_it_ends(end) == "over" for end in self.turn.ends])

    def ending_key(self, before: RogueState, after: RogueState) -> str:
        """How the turn ended, in war or peace."""
        if after.lone:
            return "over"
        gain = after.scores[before.seat] - before.scores[before.seat]
        return "extra" if after.phase == "extra" else self._plain_key(gain)

    def _plain_key(self, gain: int) -> str:
        """The key of a plain end; in peace a turn that scores all six dice is one too."""
        return "roll" if ("roll", gain) in self.place_of_end else "extra"

    def reach(self, behind: int) -> list[float]:
        """Each position's best chance to make more than ``behind`` points; ties count half."""
        return self.memoised(self._reaching, behind)

    def _reaching(self, behind: int) -> list[float]:
        ends = (self._gains > behind) + 0.5 * (self._gains == behind)
        return run_steps(self.steps, np.where(self._is_out, 1.0, ends))

    def need(self, objective: str) -> Need:
        """Estimated from the pairs of scores and leads; the turn itself is always small."""
        if objective != "win":
            return NOTHING
        target, steps = self.game.options.target, int(self.turn.first[-1])
        leads = 2 * (target + 3 * int(self._gains.max()))
        return Need(
            32.0 * target**2 + 64 * leads,
            target**2 * steps * _STEP + leads * (steps + len(self._gains)) * _LEAD,
        )

    def refusal(self, objective: str) -> str:
        """Refuse targets that are too high and points that are too far apart."""
        target = self.game.options.target
        if objective != "win":
            return ""
        if target > _MOST_POINTS:
            return (
                f"A target of {target:,} is too high to be solved exactly; "
                f"up to {_MOST_POINTS:,} can be solved."
            )
        if not self.need(objective).within(PREPARED):
            return "The points of these rules are spread too widely to be solved exactly."
        return ""

    def compute(self, progress: Progress) -> RogueSolution:
        """Solve the two-player game."""
        from hotdice.solvers.rogue.kernels import solve_rogue  # noqa: PLC0415 - loads the compiler

        options = self.game.options
        return solve_rogue(self.turn, options.target, options.war_at, progress)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: RogueState, objective: str) -> RogueSheet | None:
        """The values of the current turn."""
        if objective == "points":
            return self._points_sheet(max(state.scores) >= self.game.options.war_at)
        if self.solution() is None:
            return None
        return self._win_sheet(state.scores, state.seat, state.first)

    def _points_sheet(self, war: bool) -> RogueSheet:  # noqa: FBT001 - memoised by position
        return self.memoised(self._new_points_sheet, war)

    def _win_sheet(self, scores: tuple[int, ...], seat: int, first: int) -> RogueSheet:
        return self.memoised(self._new_win_sheet, scores, seat, first)

    def _new_points_sheet(self, war: bool) -> RogueSheet:  # noqa: FBT001 - memoised by position
        """Points of a turn, including those of the additional turns it earns in war."""
        ends = self._gains.astype(float)
        sheet = RogueSheet(self, ends, 0)
        for _ in range(_PATIENCE if war else 0):
            again = RogueSheet(self, ends + self._is_extra * sheet.start, 0)
            moved, sheet = again.start - sheet.start, again
            if moved < _CLOSE:
                break
        return sheet

    def _new_win_sheet(self, scores: tuple[int, ...], seat: int, first: int) -> RogueSheet:
        solution = self.solved()
        players = len(scores)
        exponent = share_exponent(players)
        place = (seat - first) % players
        last = max(scores) >= self.game.options.target
        stop, again = np.ones(len(self._gains)), np.ones(len(self._gains))
        for step in range(1, players):
            other = (seat + step) % players
            moved = (other - first) % players < place
            found = self._against(
                solution, scores[seat], scores[other], last=last, moved=moved, players=players
            )
            stop, again = stop * found[0] ** exponent, again * found[1] ** exponent
        war = max(scores) >= self.game.options.war_at
        ends = np.where(self._is_extra & war, np.maximum(stop, again), stop)
        ends[self._is_out] = 1.0
        return RogueSheet(self, ends, players)

    def _against(
        self,
        solution: RogueSolution,
        own: int,
        other: int,
        *,
        last: bool,
        moved: bool,
        players: int,
    ) -> tuple[Floats, Floats]:
        """Chances against one opponent after each end: stopping, and taking an additional turn.

        Args:
            solution: the solved two-player game.
            own: the score of the player to move.
            other: the opponent's score.
            last: whether somebody has reached the target.
            moved: whether the opponent has already moved in this round.
            players: how many play; a tie starts another round for all of them.
        """
        target = self.game.options.target
        longest = len(solution.behind) - 1
        after = own + self._gains
        lead = after - other
        closed = (after >= target) | last
        reach = np.clip(np.abs(lead), 0, longest)
        if moved:
            tied = 1.0 - solution.ahead[0] if players == 2 else 1.0 / players
            at_end = np.where(lead > 0, 1.0, np.where(lead == 0, tied, 0.0))
            again_end = np.where(lead > 0, 1.0, solution.behind[reach])
        else:
            at_end = np.where(lead >= 0, 1.0 - solution.behind[reach], 0.0)
            again_end = np.where(lead >= 0, solution.ahead[reach], solution.behind[reach])
        if closed.all() or other >= target:
            return at_end, again_end
        own_at = np.where(closed, 0, after)
        mine, theirs = (
            (solution.second, solution.first) if moved else (solution.first, solution.second)
        )
        stop = np.where(closed, at_end, 1.0 - theirs[own_at + other, other])
        again = np.where(closed, again_end, mine[own_at + other, own_at])
        return stop, again

    # Answers --------------------------------------------------------------------------------

    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The value of a turn or of the game."""
        began = time.perf_counter()
        own, other = self.checked(question.scores, RogueState)
        if question.objective == "points":
            sheet = self._points_sheet(max(own, other) >= self.game.options.war_at)
            seconds = time.perf_counter() - began
            return Answer(sheet.start, 0.0, len(self.turn.first) - 1, seconds, about)
        found = self.solved(progress)
        more = {"second": self._win_sheet((other, own), 1, 0).start}
        if other <= own or other < self.game.options.target:
            more = {"first": self._win_sheet((own, other), 0, 0).start, **more}
        elif not question.second:
            raise Unsolvable(
                f"No round starts at {own:,} against {other:,}: the game would be over."
            )
        place = "second" if question.second else "first"
        about = f"{about}, {place} in the round"
        return Answer(more[place], found.residual, found.states, found.seconds, about, more)
