"""Solves Go 500.

Players do not interact, so expected points depend on one racer alone. Between two racers only the
difference of their totals matters, and values are exact. For more, the value of a segment's end is
estimated from the exact two-player chances against each opponent.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np

from hotdice.games.go500 import Go500, Go500Options, Go500State
from hotdice.solve.arrays import Floats
from hotdice.solve.lookahead import LookaheadSheet
from hotdice.solve.sheet import Odds, Sheet, settled, share_exponent
from hotdice.solve.solutions import Progress, obtain_solution, solution_path
from hotdice.solve.solved import SolvedSolver
from hotdice.solve.solver import AT_ONCE, NOTHING, PREPARED, Answer, Need, Question, Unsolvable
from hotdice.solvers.go500.compiled_file import PackedSegment, pack, unpack
from hotdice.solvers.go500.compiling import (
    CompiledSegment,
    Hand,
    Limit,
    SegmentSize,
    compile_limit,
    compile_segment,
    measure_segment,
    segment_rules,
)
from hotdice.solvers.go500.segment import (
    Ends,
    SegmentLayout,
    SolvedSegment,
    hand_variance,
    lay_out_segment,
    least_points,
    punishment_variance,
    run_segment,
)
from hotdice.solvers.go500.solution import Go500Solution, after_segment

_MOST_REROLLS = 6
"""The most rerolls for which two racers are solved exactly."""
_COMPILED = Need(1500.0, 50e-6)
"""The resources to compile one roll."""
_LAID_OUT = Need(10.0, 25e-9)
"""The resources to lay out one cell."""
_RUN = 7e-9
"""Seconds to evaluate one cell for one number of rerolls."""
_LANE = 0.3e-9
"""Seconds to evaluate one cell for one lead, vectorised over leads."""
_ALL_LAYOUTS = 100e6
"""The limit in bytes on cached layouts; there is always room for one."""
_TOO_LARGE = "These dice, rerolls and segments are too many to be solved at once."


class Go500Sheet(Sheet[Go500State]):
    """One segment: the value of every position in it."""

    def __init__(
        self, solver: Go500Solver, segment: SolvedSegment, ends: Ends, players: int
    ) -> None:
        super().__init__(players)
        if not players:
            self.basis = "Exact expected points of the rest of the race."
        self._solver, self._segment, self._ends = solver, segment, ends

    def _in_points(self, value: float) -> float:
        """Convert expected points from units; chances are returned unchanged."""
        return float(value) * (self._solver.compiled.unit if self._ends.again is None else 1)

    def recorded(self, state: Go500State) -> float:
        """Expected points are those of the rest of the race."""
        return float(_points_of(state, state.seat)) if self.objective == "points" else 0.0

    def going(self, state: Go500State) -> float:
        """The value before a roll."""
        compiled, solved = self._solver.compiled, self._segment
        left = state.rerolls[state.seat]
        if state.phase == "roll":
            at = self._solver.number[state.blacks, state.greens]
            locked = self._solver.locked(state) - compiled.low[at]
            return self._in_points(solved.hands[at][left, locked])
        name = self._solver.punishment(state)
        layout = self._solver.layout(state.segment)
        if name not in layout.needed:  # unreachable in play, but a state can be set up by hand
            everything = tuple(range(len(compiled.punishments)))
            solved = run_segment(layout._replace(needed=everything), self._ends)
        place = np.clip(state.total // compiled.unit - solved.low, 0, solved.due[name].shape[1] - 1)
        return self._in_points(solved.due[name][left, place])

    def variance(self, state: Go500State) -> float | None:
        """From the values after every class of rolls."""
        compiled, left = self._solver.compiled, state.rerolls[state.seat]
        layout, unit = self._solver.layout(state.segment), self._in_points(1.0)
        if state.phase == "roll":
            at = self._solver.number[state.blacks, state.greens]
            place = self._solver.locked(state) - compiled.low[at]
            return unit**2 * hand_variance(layout, self._ends, self._segment, at, left, place)
        name = self._solver.punishment(state)
        if name not in layout.needed:
            return None
        place = int(np.clip(state.total // compiled.unit - layout.low, 0, layout.size - 1))
        return unit**2 * punishment_variance(layout, self._ends, name, left, place)

    def ending(self, before: Go500State, after: Go500State) -> float:
        """The value of a completed segment, or of racing it again after all dice circled."""
        seat, ends, unit = before.seat, self._ends, self._solver.compiled.unit
        left = after.rerolls[seat]
        if len(after.card[seat]) == len(before.card[seat]):
            again = self._segment.take + self._solver.compiled.bonus
            return self._in_points((again if ends.again is None else ends.again)[left])
        points = (after.card[seat][-1] - before.bonus) // unit
        row = (ends.out if after.out[seat] else ends.racing)[left]
        return self._in_points(row[np.clip(points - ends.low, 0, len(row) - 1)])

    def odds(self, state: Go500State) -> tuple[Odds, ...]:
        """The chances of a black flag and of a total above the limit."""
        if state.phase != "roll":
            return ()
        compiled = self._solver.compiled
        at = self._solver.number[state.blacks, state.greens]
        limit = self._solver.limit(state.segment)
        ways = compiled.green[at]
        totals = self._solver.locked(state) + ways.total - limit.low
        over = limit.over[np.clip(totals, 0, len(limit.over) - 1)]
        found = [Odds("black flag", float(compiled.black[at]), "a black flag")]
        if over.any():
            found.append(Odds("above the limit", float(over @ ways.chance)))
        return tuple(found)


class Go500Solver(SolvedSolver[Go500State, Go500Options, Go500Solution]):
    """Solves Go 500."""

    objectives: Mapping[str, str] = {
        "points": "expected points of a race driven for points alone",
        "win": "chance to win for the player about to race the first segment; ties count half",
    }

    solution_type = Go500Solution
    game: Go500
    fewest: ClassVar[int] = 2  # a single racer plays for points

    def __init__(self, game: Go500) -> None:
        super().__init__(game)
        self._never_ends = False
        self._limits: dict[int | None, Limit] = {}
        self._layouts: dict[int | None, SegmentLayout] = {}

    @cached_property
    def size(self) -> SegmentSize:
        """The size of a compiled segment, counted without compiling it."""
        return measure_segment(self.game)

    @cached_property
    def _laid_out(self) -> Need:
        """The resources to lay out and evaluate all segments for points, without compiling."""
        size, rerolls = self.size, self.game.options.rerolls + 1
        cells = size.cells + size.punished
        rows = rerolls * (size.width * (size.punishments + 2) + size.positions)
        limits = len(set(self.game.limits))
        runs = self.segments * rerolls * (cells + size.last * size.repeats)
        return Need(
            min(limits, self._most_layouts) * cells * _LAID_OUT.memory + 8 * rows + 4 * cells,
            (limits if limits <= self._most_layouts else self.segments + 1)
            * cells
            * _LAID_OUT.seconds
            + runs * _RUN,
        )

    @cached_property
    def _most_layouts(self) -> int:
        """How many layouts are cached."""
        cells = self.size.cells + self.size.punished
        return max(1, int(_ALL_LAYOUTS / (cells * _LAID_OUT.memory)))

    def need(self, objective: str) -> Need:
        """Estimated for compiling a segment, laying out all segments and evaluating them."""
        size, laid_out = self.size, self._laid_out
        compiled = Need(size.rolls * _COMPILED.memory, size.rolls * _COMPILED.seconds)
        if objective != "win":
            if self._has_stage():
                compiled = NOTHING
            return Need(compiled.memory + laid_out.memory, compiled.seconds + laid_out.seconds)
        rerolls = self.game.options.rerolls + 1
        leads = 2 * (self.segments + size.repeats) * size.most + 1
        states = 2 * self.segments * rerolls * (rerolls + 1) * leads
        held = rerolls * (size.positions + size.punishments) * leads
        runs = 2 * self.segments * (rerolls + 1) * rerolls * leads * size.cells
        return Need(
            compiled.memory + laid_out.memory + 8.0 * (states + 2 * held),
            compiled.seconds + laid_out.seconds + runs * _LANE,
        )

    def _has_stage(self) -> bool:
        return "compiled" in vars(self) or solution_path(self._segment, "segment").exists()

    @cached_property
    def _segment(self) -> Go500:
        return segment_rules(self.game)

    def refusal(self, objective: str) -> str:
        """Refuse too many rolls, totals, rerolls or segments."""
        if objective == "win" and self.game.options.rerolls > _MOST_REROLLS:
            return f"Two racers can be solved with up to {_MOST_REROLLS} rerolls each."
        if not self.need(objective).within(PREPARED):
            return "These dice, rerolls and segments are too many to be solved exactly."
        return ""

    @cached_property
    def compiled(self) -> CompiledSegment:
        """The compiled segment, cached on disk for all courses because compiling is slow."""
        packed = obtain_solution(
            self._segment, "segment", PackedSegment, lambda _: pack(compile_segment(self.game))
        )
        return unpack(packed)

    @cached_property
    def number(self) -> dict[Hand, int]:
        """Hand numbers by hand."""
        return {hand: at for at, hand in enumerate(self.compiled.hands)}

    @cached_property
    def segments(self) -> int:
        """The number of segments."""
        return len(self.game.limits)

    def limit(self, segment: int) -> Limit:
        """The compiled limit of a segment, shared by segments with equal limits."""
        limit = self.game.limits[segment]
        if limit not in self._limits:
            self._limits[limit] = compile_limit(self.game, self.compiled, segment)
        return self._limits[limit]

    def layout(self, segment: int) -> SegmentLayout:
        """The layout of a segment, shared by segments with equal limits."""
        limit = self.game.limits[segment]
        if limit not in self._layouts:
            if len(self._layouts) >= self._most_layouts:
                del self._layouts[next(iter(self._layouts))]
            self._layouts[limit] = lay_out_segment(
                self.compiled, self.limit(segment), self.least, self.most
            )
        return self._layouts[limit]

    @cached_property
    def least(self) -> int:
        """The fewest points, in units, that a segment can end with."""
        return least_points(self.compiled, [self.limit(s) for s in range(self.segments)])

    @cached_property
    def most(self) -> int:
        """The most points, in units, that a segment can end with, without the bonus."""
        limit = self.limit(0)
        return max(limit.low + len(limit.over) - 1, 0)

    def locked(self, state: Go500State) -> int:
        """The points locked, in units."""
        points: int = sum(self.game.sides[code].value for code in state.locked)
        return points // self.compiled.unit

    def punishment(self, state: Go500State) -> int:
        """The number of the penalty die that is due."""
        name = state.phase, state.rolls, state.second, state.out[state.seat]
        if name not in self.compiled.names:
            raise Unsolvable("These penalty rolls cannot be reached.")
        return self.compiled.names[name]

    # Points ---------------------------------------------------------------------------------

    @cached_property
    def _expected(self) -> list[Floats]:
        """Expected units from each segment on, by rerolls left."""
        values = [np.zeros(self.game.options.rerolls + 1)]
        for segment in range(self.segments - 1, -1, -1):
            solved = run_segment(self.layout(segment), self._points_ends(values[-1]))
            values.append(solved.take)
        return values[::-1]

    def _points_ends(self, later: Floats) -> Ends:
        points = np.arange(self.least, self.most + 1, dtype=float)
        racing = points + later[:, None]
        return Ends(self.least, racing, np.repeat(points[None], len(later), axis=0), None)

    def _new_points_sheet(self, segment: int) -> Go500Sheet:
        ends = self._points_ends(self._expected[segment + 1])
        return Go500Sheet(self, run_segment(self.layout(segment), ends), ends, 0)

    # Winning --------------------------------------------------------------------------------

    def compute(self, progress: Progress) -> Go500Solution:
        """Solve the two-player race."""
        from hotdice.solvers.go500.kernels import solve_go500  # noqa: PLC0415 - loads the compiler

        return solve_go500(self, progress)

    def sheet(self, state: Go500State, objective: str) -> Sheet[Go500State] | None:
        """The values of the current segment; estimated by lookahead if solving takes too long."""
        if objective == "points" or len(state.card) == 1:
            if not self._never_ends and self.need("points").within(AT_ONCE):
                try:
                    return self.memoised(self._new_points_sheet, state.segment)
                except Unsolvable:
                    self._never_ends = True
            return LookaheadSheet(self.game, state, _points_of, _TOO_LARGE)
        if self.solution() is None or not self._laid_out.within(AT_ONCE):
            return None
        totals = tuple(sum(raced) for raced in state.card)
        seat = state.seat
        # A sheet covers all numbers of one's own rerolls, so they are not part of the key.
        rerolls = (*state.rerolls[:seat], 0, *state.rerolls[seat + 1 :])
        return self.memoised(
            self._new_win_sheet, totals, rerolls, state.out, state.segment, seat, state.bonus
        )

    def _new_win_sheet(
        self,
        totals: tuple[int, ...],
        rerolls: tuple[int, ...],
        out: tuple[bool, ...],
        segment: int,
        seat: int,
        bonus: int,
    ) -> Go500Sheet:
        solution = self.solved()
        players = len(totals)
        points = np.arange(self.least, self.most + 1)
        size = self.game.options.rerolls + 1
        last = segment == self.segments - 1
        others = [other for other in range(players) if other != seat]
        done = [o for o in others if players > 2 and last and (out[o] or o < seat)]
        waiting = [o for o in others if o not in done]
        exponent = share_exponent(len(waiting) + 1)
        final = [(totals[o] - totals[seat] - bonus) // solution.unit for o in done]
        racing = np.repeat(settled(points, final)[None], size, axis=0)
        over = racing.copy()
        again = np.full(size, settled(self.compiled.bonus, final), float)
        for other in waiting:
            lead = (totals[seat] + bonus - totals[other]) // solution.unit
            theirs = size if out[other] else rerolls[other]
            turn = 2 * segment + (other < seat)
            found = after_segment(
                solution.win, solution.half, turn, theirs, lead + points, self.segments
            )
            racing, over = racing * found[0] ** exponent, over * found[1] ** exponent
            place = np.clip(lead + self.compiled.bonus + solution.half, 0, 2 * solution.half)
            again *= solution.win[turn, :, theirs, place] ** exponent
        ends = Ends(self.least, racing, over, again)
        solved = run_segment(self.layout(segment), ends)
        return Go500Sheet(self, solved, ends, players if waiting else 1)

    # Answers --------------------------------------------------------------------------------

    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The value of a race for points, or between two."""
        if question.scores:
            raise Unsolvable("A race is only solved from its start; leave --scores out.")
        began = time.perf_counter()
        if question.objective == "points":
            value = float(self._expected[0][-1]) * self.compiled.unit
            positions = int((self.compiled.high - self.compiled.low + 1).sum())
            states = self.segments * len(self._expected[0]) * positions
            return Answer(value, 0.0, states, time.perf_counter() - began, about)
        found = self.solved(progress)
        full = self.game.options.rerolls
        value = found.value(0, full, full, 0)
        return Answer(value, found.residual, found.states, found.seconds, about)


def _points_of(state: Go500State, seat: int) -> int:
    """The points of a racer, including the bonus points of the current segment."""
    bonus = state.bonus if state.seat == seat and state.phase != "over" else 0
    return sum(state.card[seat]) + bonus
