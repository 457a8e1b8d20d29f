"""Races: points at stake until they are banked, a target, and one last turn for the others.

With two players the values are exact. With more, what a turn leads to is estimated from the
chances against each of the others alone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hotdice.core.game import AnyGame
from hotdice.solve.ahead import AheadSheet
from hotdice.solve.graph import compile_turn
from hotdice.solve.program import Floats, Ints, Program, write_program
from hotdice.solve.solver import (
    AT_ONCE,
    PREPARED,
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

_MOST_UNITS = 280
"""The greatest target in units whose table fits into memory."""
_NEVER = -1e9
_ROW = 9e-6
"""Seconds to run through one total."""
_STEP = 1.2e-9
"""Seconds for one step of a turn at one total and pair of scores."""
_TOO_LARGE = "The points of these rules lie too far apart to be solved at once."


@dataclass(frozen=True)
class RaceTable:
    """The solved race.

    Attributes:
        win: chance to win with own and other score (in units) at the start of one's turn.
        offers: what an offer is worth to whom it is made, in the order of ``offer_at``.
        offer_at: where the offers of a sum of scores and a banked total begin.
        last: the best chance to gain more than a distance with so many dice, equal counting half.
        top: totals above it are banked.
        residual: the greatest difference between a value and what one look ahead gives.
        seconds: how long it took.
        states: how many pairs of scores were solved.
        unit: points per unit.
    """

    win: Floats
    offers: Floats
    offer_at: Ints
    last: Floats
    top: int
    residual: float
    seconds: float
    states: int
    unit: int

    def value(self, own: int, other: int) -> float:
        """The chance to win at the start of a turn without an offer."""
        return float(self.win[own // self.unit, other // self.unit])


def race_program(game: AnyGame) -> Program:
    """The turn of a race, compiled with target and entry out of the way."""
    options = replace(game.options, target=1_000_000, entry=0, starts="seat")
    relaxed: Any = type(game)(options)
    begin = relaxed.start(2)
    on_pad = begin._replace(scores=tuple(1000 for _ in begin.scores))
    return write_program(compile_turn(relaxed, on_pad))


class _Flat(NamedTuple):
    """A program laid out for running through one total at a time.

    Attributes:
        reach: where each outcome's value lies, relative to the total's own row.
        first: where each class's outcomes begin.
        weights: each class's chance, by node and class.
        most: the most units an outcome adds.
        hot: each node's chance that all dice can be set aside with the next roll.
    """

    reach: Ints
    first: Ints
    weights: Floats
    most: int
    hot: Floats


def _lay_out(program: Program) -> _Flat:
    """Spell out the classes whose outcomes the program's steps share."""
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
    return _Flat(np.array(reach), np.array(first), weights, int(program.add.max()), hot)


class RaceSheet(Sheet):
    """One turn of a race: the value of every total and number of dice."""

    def __init__(self, solver: RaceSolver, bank: Floats, lost: float, players: int) -> None:
        super().__init__(players)
        self._solver, self._bank, self._lost = solver, bank, float(lost)
        self._going = run_turn(solver.flat, solver.program.bust, bank, lost)
        self.start = float(self._going[0, -1])

    def rolling(self, dice: Any, total: int) -> float:
        """The value of rolling so many dice with a total at stake."""
        key, row = self._solver.node[dice], total // self._solver.program.unit
        if row < len(self._going):
            return float(self._going[row, key])
        return float((1.0 - self._solver.program.bust[key]) * self._bank[-1, key])

    def banking(self, dice: Any, total: int) -> float:
        """The value of banking a total and leaving so many dice."""
        row = min(total // self._solver.program.unit, len(self._bank) - 1)
        return float(self._bank[row, self._solver.node[dice]])

    def going(self, state: Any) -> float:
        """The value of rolling on."""
        return self.rolling(self._solver.game.turn_key(state), state.total)

    def ending(self, before: Any, after: Any) -> float:
        """The value of having banked, or lost it all."""
        gain = after.scores[before.seat] - before.scores[before.seat]
        if not gain:
            return self._lost
        return self.banking(self._solver.game.turn_key(after), gain)

    def odds(self, state: Any) -> tuple[Odds, ...]:
        """Losing everything, all dice again, and passing whoever is ahead."""
        solver = self._solver
        key = solver.node[solver.game.turn_key(state)]
        found = [
            Odds("bust", float(solver.program.bust[key])),
            Odds("hot dice", float(solver.flat.hot[key])),
        ]
        lead = max(s for seat, s in enumerate(state.scores) if seat != state.seat)
        behind = lead - state.scores[state.seat] - state.total
        if behind >= 0:
            found.append(Odds("pass the leader this turn", solver.reach(key, behind)))
        return tuple(found)


def run_turn(flat: _Flat, bust: Floats, bank: Floats, lost: float) -> Floats:
    """The value of rolling at every total and node, given what banking and busting are worth.

    The last ``flat.most`` totals of ``bank`` are never rolled on.
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


def _points_of(state: Any, seat: int) -> int:
    """The points a player has on the pad."""
    return int(state.scores[seat])


class RaceSolver(TabledSolver[RaceTable]):
    """Solves races."""

    objectives: ClassVar[Mapping[str, str]] = {
        "win": "chance to win for who is about to start a turn, equal scores counting half",
        "points": "expected points of a turn played for points alone",
    }

    table_type = RaceTable

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)

    @cached_property
    def program(self) -> Program:
        """The turn."""
        return race_program(self.game)

    @cached_property
    def flat(self) -> _Flat:
        """The turn, laid out for one run."""
        return _lay_out(self.program)

    @cached_property
    def node(self) -> dict[Any, int]:
        """The number of each node by its key."""
        return {key: at for at, key in enumerate(self.program.keys)}

    @cached_property
    def target(self) -> int:
        """The target in units."""
        return -(-int(self.game.options.target) // self.program.unit)

    @cached_property
    def entry(self) -> int:
        """The entry in units."""
        return -(-int(self.game.options.entry) // self.program.unit)

    def _solvable(self) -> bool:
        return not self.refusal("win")

    def need(self, objective: str) -> Need:
        """Rows of totals, by the most points a roll can add; the turn itself is always small."""
        nodes, most = len(self.program.keys), self.flat.most
        if objective != "win":
            rows = 9 * most + max(6 * most, self.entry)
            return Need(rows * nodes * 32.0, rows * _ROW)
        rows = 6 * most + self.target
        steps = int(self.program.first[-1])
        offers = self.target**3 / 2 * (nodes - 1)
        return Need(
            16 * self.target**2 + 8 * offers + 2 * 3 * 8 * 32 * nodes * rows,
            self.target**2 * rows * steps * _STEP,
        )

    def refusal(self, objective: str) -> str:
        """A target too far away, or points too far apart."""
        if objective == "win" and self.target > _MOST_UNITS:
            return (
                f"A target of {self.game.options.target:,} is too far for an exact table; "
                f"up to {_MOST_UNITS * self.program.unit:,} can be solved."
            )
        if not self.need(objective).within(PREPARED):
            return "The points of these rules lie too far apart to be solved exactly."
        return ""

    def _compute(self, progress: Progress) -> RaceTable:
        from hotdice.solve.race import solve_race  # noqa: PLC0415 - loads the compiler

        return solve_race(self.game, progress)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: Any, objective: str) -> Sheet | None:
        """The values of the turn under way."""
        if objective == "points":
            if not self.need("points").within(AT_ONCE):
                return AheadSheet(self.game, state, _points_of, _TOO_LARGE)
            return self._points_sheet(state.scores[state.seat] > 0)
        if self.table() is None:
            return None
        if any(points % self.program.unit for points in (*state.scores, state.total)):
            raise Unsolvable(f"Points come in steps of {self.program.unit} under these rules.")
        return self.remembered(self._new_win_sheet, state.scores, state.seat, state.closer)

    def _points_sheet(self, on_pad: bool) -> RaceSheet:  # noqa: FBT001 - as it is made
        return self.remembered(self._new_points_sheet, on_pad)

    def _new_points_sheet(self, on_pad: bool) -> RaceSheet:  # noqa: FBT001 - cached by position
        totals = np.arange(self._points_top + self.flat.most, dtype=float) * self.program.unit
        bank = np.repeat(totals[:, None], len(self.program.keys), axis=1)
        self._forbid(bank, on_pad=on_pad)
        return RaceSheet(self, bank, 0.0, 0)

    @cached_property
    def _points_top(self) -> int:
        """A total from which on nobody who plays for points rolls any number of dice."""
        top = 2 * self.flat.most
        while True:
            totals = np.arange(top + self.flat.most, dtype=float)
            bank = np.repeat(totals[:, None], len(self.program.keys), axis=1)
            going = run_turn(self.flat, self.program.bust, bank, 0.0)
            if (going[top // 2 :] < bank[top // 2 : top]).all():
                return max(top, self.entry + 1)
            top *= 2

    def _forbid(self, bank: Floats, *, on_pad: bool) -> None:
        """No banking without points, nor below the entry for who has none."""
        bank[: 1 if on_pad else max(1, self.entry)] = _NEVER

    def _new_win_sheet(self, scores: tuple[int, ...], seat: int, closer: int) -> RaceSheet:
        table = self.solved()
        unit, size = self.program.unit, table.top + 1 + self.flat.most
        own = scores[seat] // unit
        players = len(scores)
        done, waiting = done_and_waiting(players, seat, closer)
        final = [scores[o] // unit for o in done]
        trust = trust_in(len(waiting) + 1)
        bank = np.repeat(settled(own + np.arange(size), final)[:, None], len(self.node), axis=1)
        lost = float(settled(own, final))
        for other in waiting:
            banked, busted = self._against(
                table,
                own,
                scores[other] // unit,
                closed=closer >= 0,
                following=other == waiting[0],
            )
            bank, lost = bank * banked**trust, lost * busted**trust
        self._forbid(bank, on_pad=own > 0)
        return RaceSheet(self, bank, lost, players if waiting or players == 2 else 1)

    def _against(
        self, table: RaceTable, own: int, other: int, *, closed: bool, following: bool
    ) -> tuple[Floats, float]:
        """Chances against another who is still to move: after banking each total, after a bust.

        Args:
            table: the solved race between two.
            own: the score of who moves, in units.
            other: the score of the other.
            closed: whether the last lap is on.
            following: whether the other moves next, and so gets the dice left.
        """
        nodes = len(self.program.keys)
        totals = np.arange(table.top + 1 + self.flat.most)
        after = own + totals
        last, width = table.last, table.last.shape[1]
        away = after - other
        reach = np.where(away < 0, 1.0, last[-1, np.clip(away, 0, width - 1)] * (away < width))
        bank = np.repeat(1.0 - reach[:, None], nodes, axis=1)
        offered = following and self.game.options.carry_over and other > 0
        if offered:
            short = last[:-1, own - other] if own >= other else 1.0 - self.program.bust[:-1]
            bank[:, :-1] = 1.0 - np.maximum(reach[:, None], short)
        if closed:
            gap = own - other
            return bank, 1.0 - float(last[-1, min(gap, width - 1)]) if gap >= 0 else 0.0
        open_ = min(max(self.target - own, 0), len(totals))
        bank[:open_] = 1.0 - table.win[other, after[:open_], None]
        if offered and open_ > 1:
            some = totals[1:open_]
            place = table.offer_at[other + own + some, some] + own * (nodes - 1)
            bank[1:open_, :-1] = 1.0 - table.offers[place[:, None] + np.arange(nodes - 1)]
        return bank, 1.0 - float(table.win[other, own])

    @cached_property
    def _reached(self) -> Floats:
        """The best chance to gain more than a distance this turn, up to twice the target."""
        table = self.table()
        if table is not None:
            return table.last
        size = min(2 * self.target, 2000) + 1
        found = np.zeros((len(self.program.keys), size))
        padded = np.ones((size + self.flat.most, len(self.program.keys)))
        rows = padded.reshape(-1)
        nodes = len(self.program.keys)
        # Distances run down as totals run up: one run with banking worth 1 beyond the distance.
        adds, to = self.flat.reach // nodes, self.flat.reach % nodes
        for distance in range(size):
            place = (distance - adds + self.flat.most) * nodes + to
            reached = rows[place]
            equal = adds == distance
            reached = np.where(equal, np.maximum(reached, 0.5), reached)
            here = self.flat.weights @ np.maximum.reduceat(reached, self.flat.first)
            found[:, distance] = padded[distance + self.flat.most] = here
        return found

    def reach(self, node: int, behind: int) -> float:
        """The best chance to gain more than so many points with these dice, equal counting half."""
        distance = -(-behind // self.program.unit)
        return float(self._reached[node, min(distance, self._reached.shape[1] - 1)])

    # Answers --------------------------------------------------------------------------------

    def solve(self, question: Question, progress: Progress = no_progress) -> Solution:
        """The value of a turn, or of the game."""
        began = time.perf_counter()
        about = self.objectives[question.objective]
        if refusal := self.refusal(question.objective):
            raise Unsolvable(refusal)
        if question.objective == "points":
            own = checked_scores(self.game, question.scores)[0] if question.scores else 1
            sheet = self._points_sheet(own > 0)
            seconds = time.perf_counter() - began
            states = (self._points_top + 1) * len(self.program.keys)
            return Solution(sheet.start, 0.0, states, seconds, about)
        own, other = checked_scores(self.game, question.scores)
        if own % self.program.unit or other % self.program.unit:
            raise Unsolvable(f"Points come in steps of {self.program.unit} under these rules.")
        table = self.solved(progress)
        return Solution(table.value(own, other), table.residual, table.states, table.seconds, about)
