"""The values of the positions of a game.

A game between two is valued by the first seat's chance to win, a lone game by its expected points.
Where the solver is exact, values of different turns can be compared, and what happens in a game
adds up. With more players, or under rules that cannot be solved, only the values within a turn can
be compared, and they belong to the seat whose turn it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Generic

from hotdice.analysis.busts import bust_chance
from hotdice.core.due import Over, Result, ToRoll, seat_of
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice, Roll
from hotdice.core.game import Game, O, S
from hotdice.solve.coach import evaluate, value_after
from hotdice.solve.finding import find_solver
from hotdice.solve.sheet import Sheet
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.solver import Unsolvable

_MOST_KEPT = 100_000
"""Variances and chances that are kept for the next game: short games repeat their positions."""


class CannotBeValued(HotDiceError):
    """There are no values for this game."""


class Valuer(Generic[S, O]):
    """Values the positions of a game.

    Attributes:
        game: the rules.
        players: how many play.
        objective: ``win`` for chances to win, ``points`` for expected points.
        exact: whether values are exact, and comparable between turns.
        basis: where they come from, in one sentence.
    """

    def __init__(
        self,
        game: Game[S, O],
        players: int,
        objective: str = "",
        progress: Progress | None = no_progress,
    ) -> None:
        self.game, self.players = game, players
        self._solver = find_solver(game)
        self._starts: dict[S, float] = {}
        self._variances: dict[S, float] = {}
        self._busts: dict[tuple[S, int], float] = {}
        if progress and players > 1 and not self._solver.refusal("win"):
            with suppress(Unsolvable):  # some games only turn out to be too large meanwhile
                self._solver.prepare(players, progress)
        start = game.start(players)
        aims = (objective,) if objective else ("win", "points") if players > 1 else ("points",)
        sheets = ((aim, self._solver.sheet(start, aim)) for aim in aims)
        aim, sheet = next(((aim, one) for aim, one in sheets if one is not None), ("", None))
        if sheet is None:
            raise CannotBeValued(f"{game.title} cannot be analysed under these rules.")
        self.objective = aim
        self.exact = sheet.exact and (aim == "win" or players == 1)
        self.basis = sheet.basis

    def sheet(self, state: S) -> Sheet[S]:
        """The values of the turn that a state is in, for the seat whose turn it is."""
        sheet = self._solver.sheet(state, self.objective)
        if sheet is None:
            raise CannotBeValued(f"{self.game.title} cannot be analysed under these rules.")
        return sheet

    def side(self, value: float, seat: int) -> float:
        """A value of a seat from the side that counts: the first seat's, if two play."""
        return value if self.sign(seat) > 0 else 1.0 - value

    def sign(self, seat: int) -> int:
        """Whether what is good for a seat is good (1) or bad (-1) for the side that counts."""
        return -1 if self.exact and self.players == 2 and seat == 1 else 1

    def choices(self, state: S) -> Mapping[Choice, float]:
        """The value of every legal choice, for the seat that chooses."""
        game, sheet = self.game, self.sheet(state)
        known = sheet.recorded(state)
        return {
            choice: known + evaluate(game, sheet, state, choice)[0]
            for choice in game.choices(state)
        }

    def before(self, state: S) -> float:
        """The value of a state that has dice to roll, for the seat that rolls."""
        sheet = self.sheet(state)
        return sheet.recorded(state) + sheet.going(state)

    def after(self, state: S, roll: Roll) -> float:
        """The value after a roll at a state, with best play, for the seat that rolled."""
        sheet = self.sheet(state)
        return sheet.recorded(state) + value_after(self.game, sheet, state, roll)

    def position(self, state: S) -> float:
        """The value of any position after the start, from the side that counts."""
        due = self.game.due(state)
        if isinstance(due, Over):
            return self.result(due.result)
        seat = seat_of(due)
        if isinstance(due, ToRoll):
            return self.side(self.before(state), seat)
        return self.side(max(self.choices(state).values()), seat)

    def variance(self, state: S) -> float:
        """The variance of the value after the roll that a state waits for."""
        found = self._variances.get(state)
        if found is None:
            if len(self._variances) >= _MOST_KEPT:
                self._variances.clear()
            found = self._variances[state] = self._variance(state)
        return found

    def _variance(self, state: S) -> float:
        sheet = self.sheet(state)
        known = sheet.variance(state)
        if known is not None:
            return known
        mean = sheet.going(state)
        return sum(
            float(chance) * (value_after(self.game, sheet, state, roll) - mean) ** 2
            for roll, chance in self.game.rolls(state)
        )

    def bust(self, state: S, began: int) -> float:
        """The chance that the roll a state waits for ends the turn with nothing made."""
        known = self.sheet(state).bust(state)
        if known is not None:
            return known
        key = state, began
        if key not in self._busts:
            if len(self._busts) >= _MOST_KEPT:
                self._busts.clear()
            self._busts[key] = bust_chance(self.game, state, began)
        return self._busts[key]

    def result(self, result: Result) -> float:
        """The value of a finished game, from the side that counts."""
        return self.result_of(result, 0)

    def result_of(self, result: Result, seat: int) -> float:
        """A seat's share of the win, or the points of a lone game."""
        if self.players == 1 and self.objective == "points":
            return float(result.scores[seat])
        return (seat in result.winners) / len(result.winners) if result.winners else 0.0

    # The roll for the start ---------------------------------------------------------------

    def opening(self, state: S) -> float:
        """The first seat's value while two seats still roll for the start."""
        root = self.game.start(self.players)
        if root not in self._starts:
            fixed, again = self._spread(root, root)
            self._starts[root] = fixed / (1.0 - again)
        if state not in self._starts:
            self._starts[state], _ = self._spread(state, root)
        return self._starts[state]

    def opening_variance(self, state: S) -> float:
        """The variance of the value after the next roll for the start."""
        mean = self.opening(state)
        return sum(
            float(chance) * (self.opening(self.game.apply(state, roll)) - mean) ** 2
            for roll, chance in self.game.rolls(state)
        )

    def _spread(self, state: S, root: S) -> tuple[float, float]:
        """The value of an opening state without ties, and the chance of a tie.

        A tie leads back to the root; once the value of that is known, it is part of the sum.
        """
        if self.game.begins_turn(state):
            return self.position(state), 0.0
        ways: dict[S, float] = {}
        for roll, chance in self.game.rolls(state):
            after = self.game.apply(state, roll)
            ways[after] = ways.get(after, 0.0) + float(chance)
        fixed, again = 0.0, ways.pop(root, 0.0)
        if root in self._starts:
            fixed, again = again * self._starts[root], 0.0
        for after, part in ways.items():
            value, back = self._spread(after, root)
            fixed += part * value
            again += part * back
        return fixed, again
