"""Solves small games by enumerating them.

This is the fallback for games without a solver plugin: if there are few enough states with dice to
roll, it is exact for one or two players, cycles included.
"""

from __future__ import annotations

from collections.abc import Mapping

from hotdice.core.due import Over, Result, ToChoose
from hotdice.core.game import Game, O, S
from hotdice.solve.enumeration import Enumeration, enumerate_game
from hotdice.solve.sheet import Sheet
from hotdice.solve.solutions import Progress, load_solution, no_progress, obtain_solution
from hotdice.solve.solver import Answer, Question, Solver, Unsolvable


class EnumeratedSheet(Sheet[S]):
    """The values of an enumerated game, for the seat whose turn it is."""

    def __init__(
        self, game: Game[S, O], solution: Enumeration, seat: int, players: int, objective: str
    ) -> None:
        super().__init__(players)
        self.objective = objective
        if objective == "points":
            self.basis = "Exact expected points of the game with best play."
        self._game, self._seat, self._alone = game, seat, players == 1
        self._solution = solution
        self._values = solution.points if objective == "points" else solution.win

    def going(self, state: S) -> float:
        """The value before a roll."""
        return self._value(state)

    def ending(self, before: S, after: S) -> float:
        """The value after the turn."""
        return self._value(after)

    def _value(self, state: S) -> float:
        due = self._game.due(state)
        if isinstance(due, ToChoose):
            best = max if due.seat == self._seat else min
            after = (self._game.apply(state, one) for one in self._game.choices(state))
            return best(self._value(one) for one in after)
        if isinstance(due, Over):
            return self._share(due.result)
        value = float(self._values[self._solution.find(state)])
        return 1.0 - value if self._seat else value

    def _share(self, result: Result) -> float:
        if self.objective == "points":
            return float(result.scores[0])
        winners = result.winners
        if not winners:
            return 0.0 if self._alone else 0.5
        return (self._seat in winners) / len(winners)


class EnumeratedSolver(Solver[S, O]):
    """Solves any game that is small enough."""

    estimates = True

    def __init__(self, game: Game[S, O]) -> None:
        super().__init__(game)
        self._solutions: dict[int, Enumeration] = {}
        self._too_large: set[int] = set()
        self.objectives: Mapping[str, str] = {"win": "chance to win for the first player"}
        if game.max_players == 1:
            self.objectives = {
                "points": "expected points of a game",
                "win": "chance to win the game",
            }
            self.aim = "points"

    def _solution(self, players: int) -> Enumeration | None:
        if players not in self._solutions and self._wanted(players):
            found = load_solution(self.game, _what(players), Enumeration)
            if found is None:
                return None
            self._solutions[players] = found
        return self._solutions.get(players)

    def _solved(self, players: int, progress: Progress) -> Enumeration:
        if players not in self._solutions:
            try:
                self._solutions[players] = obtain_solution(
                    self.game,
                    _what(players),
                    Enumeration,
                    lambda report: enumerate_game(self.game, players, report),
                    progress,
                )
            except Unsolvable:
                self._too_large.add(players)
                raise
        return self._solutions[players]

    def _wanted(self, players: int) -> bool:
        return players <= 2 and players not in self._too_large

    def sheet(self, state: S, objective: str) -> Sheet[S] | None:
        """The values of the game, if it has been solved."""
        due, players = self.game.due(state), self.game.players(state)
        if objective not in self.objectives or isinstance(due, Over):
            return None
        solution = self._solution(players)
        if solution is None:
            return None
        return EnumeratedSheet(self.game, solution, due.seat, players, objective)

    def ready(self, players: int) -> bool:
        """Whether the game has been enumerated or cannot be."""
        return not self._wanted(players) or self._solution(players) is not None

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Enumerate the game if necessary."""
        if not self._wanted(players):
            return False
        self._solved(players, progress)
        return True

    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The value of the game for the first seat, from its start."""
        if question.scores:
            raise Unsolvable("A game without its own solver is only solved from its start.")
        players = min(2, self.game.max_players)
        found = self._solved(players, progress)
        sheet = self.sheet(self.game.start(players), question.objective)
        if sheet is None:
            raise AssertionError("there is no sheet for a game that has just been solved")
        value = sheet.ending(self.game.start(players), self.game.start(players))
        return Answer(value, found.residual, found.states, found.seconds, about)


def _what(players: int) -> str:
    return "alone" if players == 1 else "win"
