"""Base class for solvers whose chances to win come from one cached solution."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from hotdice.core.game import Game, O, S
from hotdice.solve.solutions import Progress, load_solution, no_progress, obtain_solution
from hotdice.solve.solver import Solver

Solution = TypeVar("Solution")


class SolvedSolver(Solver[S, O], Generic[S, O, Solution]):
    """Solves a game with one solution, cached on disk."""

    solution_type: type[Solution]
    """The solution's dataclass of arrays and numbers."""

    fewest: ClassVar[int] = 1
    """The fewest players for whom chances to win need the solution."""

    def __init__(self, game: Game[S, O]) -> None:
        super().__init__(game)
        self._solution: Solution | None = None

    @abstractmethod
    def compute(self, progress: Progress) -> Solution:
        """Compute the solution."""

    def solution(self) -> Solution | None:
        """The solution, if it has been computed."""
        if self._solution is None and not self.refusal("win"):
            self._solution = load_solution(self.game, "win", self.solution_type)
        return self._solution

    def solved(self, progress: Progress = no_progress) -> Solution:
        """The solution, computed if necessary."""
        if self._solution is None:
            self._solution = obtain_solution(
                self.game, "win", self.solution_type, self.compute, progress
            )
        return self._solution

    def _wanted(self, players: int) -> bool:
        return players >= self.fewest and not self.refusal("win")

    def ready(self, players: int) -> bool:
        """Whether the solution has been computed or is not needed."""
        return not self._wanted(players) or self.solution() is not None

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Compute the solution if necessary."""
        if not self._wanted(players):
            return False
        self.solved(progress)
        return True
