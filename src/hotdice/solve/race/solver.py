"""Solves banking races.

Values are exact for two players. For more, the value of a turn's end is estimated from the exact
two-player chances against each opponent.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from functools import cached_property

import numpy as np

from hotdice.core.due import seat_of
from hotdice.core.game import Game, O, S
from hotdice.solve.arrays import Floats
from hotdice.solve.lookahead import LookaheadSheet
from hotdice.solve.race.layout import TurnLayout, lay_out, run_turn
from hotdice.solve.race.program import Program, write_program
from hotdice.solve.race.rules import BankingRace, RaceTerms
from hotdice.solve.race.solution import RaceSolution
from hotdice.solve.sheet import PASSING, Odds, Sheet, done_and_waiting, settled, share_exponent
from hotdice.solve.solutions import Progress
from hotdice.solve.solved import SolvedSolver
from hotdice.solve.solver import AT_ONCE, PREPARED, Answer, Need, Question, Unsolvable

_MOST_UNITS = 280
"""The largest target, in units, whose solution fits into memory."""
_NEVER = -1e9
_ROW = 9e-6
"""Seconds to evaluate one total."""
_STEP = 1.2e-9
"""Seconds per step of a turn, for one total and pair of scores."""
_TOO_LARGE = "The points of these rules are spread too widely to be solved at once."


class RaceSheet(Sheet[S]):
    """One turn of a race: the value of every total and node."""

    def __init__(self, solver: RaceSolver[S, O], bank: Floats, lost: float, players: int) -> None:
        super().__init__(players)
        self._game = solver.game
        self._solver, self._bank, self._lost = solver, bank, float(lost)
        self._going = run_turn(solver.layout, solver.program.bust, bank, lost)
        self.start = float(self._going[0, -1])

    def rolling(self, dice: Hashable, total: int) -> float:
        """The value of rolling these dice with a total at stake."""
        key, row = self._solver.node[dice], total // self._solver.program.unit
        if row < len(self._going):
            return float(self._going[row, key])
        return float((1.0 - self._solver.program.bust[key]) * self._bank[-1, key])

    def banking(self, dice: Hashable, total: int) -> float:
        """The value of banking a total and leaving these dice."""
        row = min(total // self._solver.program.unit, len(self._bank) - 1)
        return float(self._bank[row, self._solver.node[dice]])

    def going(self, state: S) -> float:
        """The value of rolling on."""
        total = self._game.at_stake(state, seat_of(self._game.due(state)))
        return self.rolling(self._game.turn_key(state), total)

    def ending(self, before: S, after: S) -> float:
        """The value after banking or busting."""
        seat = seat_of(self._game.due(before))
        gain = self._game.score(after, seat) - self._game.score(before, seat)
        if not gain:
            return self._lost
        return self.banking(self._game.turn_key(after), gain)

    def variance(self, state: S) -> float | None:
        """From the best outcome of every class of rolls."""
        solver, lost = self._solver, self._lost
        key = solver.node[self._game.turn_key(state)]
        row = self._game.at_stake(state, seat_of(self._game.due(state))) // solver.program.unit
        top, nodes = self._going.shape
        if row >= top:
            return None
        places = np.minimum(row * nodes + solver.layout.reach, self._bank.size - 1)
        reached = self._bank.reshape(-1)[places]
        going = self._going.reshape(-1)[np.minimum(places, top * nodes - 1)]
        reached = np.where(places < top * nodes, np.maximum(reached, going), reached)
        best = np.maximum.reduceat(reached, solver.layout.first)
        mean = self._going[row, key]
        bust = solver.program.bust[key] * (lost - mean) ** 2
        return float(solver.layout.weights[key] @ (best - mean) ** 2 + bust)

    def bust(self, state: S) -> float:
        """The chance that no die of the next roll can be kept."""
        return float(self._solver.program.bust[self._solver.node[self._game.turn_key(state)]])

    def odds(self, state: S) -> tuple[Odds, ...]:
        """The chances of a bust, of fresh dice and of passing the leader."""
        solver, game = self._solver, self._game
        key = solver.node[game.turn_key(state)]
        found = [Odds(solver.terms.bust, self.bust(state), "losing the turn")]
        if solver.terms.fresh_dice:
            found.append(Odds(solver.terms.fresh_dice, float(solver.layout.hot[key])))
        seat = seat_of(game.due(state))
        others = (other for other in range(game.players(state)) if other != seat)
        lead = max(game.score(state, other) for other in others) - game.score(state, seat)
        behind = lead - game.at_stake(state, seat)
        if lead > 0 and behind >= 0:
            found.append(Odds(PASSING, solver.reach(key, behind)))
        return tuple(found)


class RaceSolver(SolvedSolver[S, O, RaceSolution]):
    """Base class for solvers of games that are banking races."""

    objectives: Mapping[str, str] = {
        "win": "chance to win for the player about to start a turn; ties count half",
        "points": "expected points of a turn played for points alone",
    }

    solution_type = RaceSolution

    def __init__(self, game: Game[S, O], race: BankingRace[S]) -> None:
        super().__init__(game)
        self._race = race
        self.terms: RaceTerms = race.terms

    @cached_property
    def program(self) -> Program:
        """The turn."""
        return write_program(self._race.turn())

    @cached_property
    def layout(self) -> TurnLayout:
        """The turn, laid out for NumPy."""
        return lay_out(self.program)

    @cached_property
    def node(self) -> dict[Hashable, int]:
        """Node numbers by key."""
        return {key: at for at, key in enumerate(self.program.keys)}

    @cached_property
    def target(self) -> int:
        """The target in units."""
        return -(-self.terms.target // self.program.unit)

    @cached_property
    def entry(self) -> int:
        """The entry in units."""
        return -(-self.terms.entry // self.program.unit)

    def need(self, objective: str) -> Need:
        """Estimated from the number of totals; the turn itself is always small."""
        nodes, most = len(self.program.keys), self.layout.most
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
        """Refuse targets that are too high and points that are too far apart."""
        if objective == "win" and self.target > _MOST_UNITS:
            return (
                f"A target of {self.terms.target:,} is too high to be solved exactly; "
                f"up to {_MOST_UNITS * self.program.unit:,} can be solved."
            )
        if not self.need(objective).within(PREPARED):
            return "The points of these rules are spread too widely to be solved exactly."
        return ""

    def compute(self, progress: Progress) -> RaceSolution:
        """Solve the two-player race."""
        from hotdice.solve.race.kernels import solve_race  # noqa: PLC0415 - loads the compiler

        return solve_race(self.program, self.terms, progress)

    # Sheets ---------------------------------------------------------------------------------

    def sheet(self, state: S, objective: str) -> Sheet[S] | None:
        """The values of the current turn."""
        game, seat = self.game, seat_of(self.game.due(state))
        if objective == "points":
            if not self.need("points").within(AT_ONCE):
                return LookaheadSheet(game, state, game.score, _TOO_LARGE)
            return self._points_sheet(game.score(state, seat) > 0)
        if self.solution() is None:
            return None
        scores = tuple(game.score(state, other) for other in range(game.players(state)))
        self._check_unit(*scores, game.at_stake(state, seat))
        return self.memoised(self._new_win_sheet, scores, seat, self._race.closer(state))

    def _check_unit(self, *points: int) -> None:
        if any(number % self.program.unit for number in points):
            raise Unsolvable(f"Points come in steps of {self.program.unit} under these rules.")

    def _points_sheet(self, on_pad: bool) -> RaceSheet[S]:  # noqa: FBT001 - memoised by position
        return self.memoised(self._new_points_sheet, on_pad)

    def _new_points_sheet(self, on_pad: bool) -> RaceSheet[S]:  # noqa: FBT001 - memoised by position
        totals = np.arange(self._points_top + self.layout.most, dtype=float) * self.program.unit
        bank = np.repeat(totals[:, None], len(self.program.keys), axis=1)
        self._forbid(bank, on_pad=on_pad)
        return RaceSheet(self, bank, 0.0, 0)

    @cached_property
    def _points_top(self) -> int:
        """A total from which banking is always best when playing for points."""
        top = 2 * self.layout.most
        while True:
            totals = np.arange(top + self.layout.most, dtype=float)
            bank = np.repeat(totals[:, None], len(self.program.keys), axis=1)
            going = run_turn(self.layout, self.program.bust, bank, 0.0)
            if (going[top // 2 :] < bank[top // 2 : top]).all():
                return max(top, self.entry + 1)
            top *= 2

    def _forbid(self, bank: Floats, *, on_pad: bool) -> None:
        """Rule out banking nothing, and banking less than the entry while not on the pad."""
        bank[: 1 if on_pad else max(1, self.entry)] = _NEVER

    def _new_win_sheet(self, scores: tuple[int, ...], seat: int, closer: int) -> RaceSheet[S]:
        solution = self.solved()
        unit, size = self.program.unit, solution.top + 1 + self.layout.most
        own = scores[seat] // unit
        players = len(scores)
        done, waiting = done_and_waiting(players, seat, closer)
        final = [scores[o] // unit for o in done]
        exponent = share_exponent(len(waiting) + 1)
        bank = np.repeat(settled(own + np.arange(size), final)[:, None], len(self.node), axis=1)
        lost = float(settled(own, final))
        for other in waiting:
            banked, busted = self._against(
                solution,
                own,
                scores[other] // unit,
                closed=closer >= 0,
                following=other == waiting[0],
            )
            bank, lost = bank * banked**exponent, lost * busted**exponent
        self._forbid(bank, on_pad=own > 0)
        return RaceSheet(self, bank, lost, players if waiting or players == 2 else 1)

    def _against(
        self, solution: RaceSolution, own: int, other: int, *, closed: bool, following: bool
    ) -> tuple[Floats, float]:
        """Chances against an opponent who is still to move: after banking each total, after a bust.

        Args:
            solution: the solved two-player race.
            own: the score of the player to move, in units.
            other: the opponent's score, in units.
            closed: whether the last lap has started.
            following: whether the opponent moves next, and so is offered the remaining dice.
        """
        nodes = len(self.program.keys)
        totals = np.arange(solution.top + 1 + self.layout.most)
        after = own + totals
        last, width = solution.last, solution.last.shape[1]
        away = after - other
        reach = np.where(away < 0, 1.0, last[-1, np.clip(away, 0, width - 1)] * (away < width))
        bank = np.repeat(1.0 - reach[:, None], nodes, axis=1)
        if not self.terms.last_lap:
            bank[:] = 1.0  # reaching the target wins
        offered = following and self.terms.carry_over and other > 0
        if offered and self.terms.last_lap:
            short = last[:-1, own - other] if own >= other else 1.0 - self.program.bust[:-1]
            bank[:, :-1] = 1.0 - np.maximum(reach[:, None], short)
        if closed:
            gap = own - other
            return bank, 1.0 - float(last[-1, min(gap, width - 1)]) if gap >= 0 else 0.0
        open_ = min(max(self.target - own, 0), len(totals))
        bank[:open_] = 1.0 - solution.win[other, after[:open_], None]
        if offered and open_ > 1:
            some = totals[1:open_]
            place = solution.offer_at[other + own + some, some] + own * (nodes - 1)
            bank[1:open_, :-1] = 1.0 - solution.offers[place[:, None] + np.arange(nodes - 1)]
        return bank, 1.0 - float(solution.win[other, own])

    @cached_property
    def _reached(self) -> Floats:
        """The best chance to gain more than a distance this turn, by node and distance."""
        solution = self.solution()
        if solution is not None:
            return solution.last
        size = min(2 * self.target, 2000) + 1
        found = np.zeros((len(self.program.keys), size))
        padded = np.ones((size + self.layout.most, len(self.program.keys)))
        rows = padded.reshape(-1)
        nodes = len(self.program.keys)
        # The padding in front stands for negative distances, where banking already wins.
        adds, to = self.layout.reach // nodes, self.layout.reach % nodes
        for distance in range(size):
            place = (distance - adds + self.layout.most) * nodes + to
            reached = rows[place]
            equal = adds == distance
            reached = np.where(equal, np.maximum(reached, 0.5), reached)
            here = self.layout.weights @ np.maximum.reduceat(reached, self.layout.first)
            found[:, distance] = padded[distance + self.layout.most] = here
        return found

    def reach(self, node: int, behind: int) -> float:
        """The best chance to gain more than ``behind`` points from a node; ties count half."""
        distance = -(-behind // self.program.unit)
        return float(self._reached[node, min(distance, self._reached.shape[1] - 1)])

    # Answers --------------------------------------------------------------------------------

    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The value of a turn or of the game."""
        began = time.perf_counter()
        if question.objective == "points":
            scores = question.scores and self.checked(question.scores, self._race.turn_at)
            sheet = self._points_sheet(not scores or scores[0] > 0)
            seconds = time.perf_counter() - began
            states = (self._points_top + 1) * len(self.program.keys)
            return Answer(sheet.start, 0.0, states, seconds, about)
        own, other = self.checked(question.scores, self._race.turn_at)
        self._check_unit(own, other)
        found = self.solved(progress)
        return Answer(found.value(own, other), found.residual, found.states, found.seconds, about)
