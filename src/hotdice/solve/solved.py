"""Solvers that read chances to win from one solution, computed when first needed and kept."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from hotdice.core.game import Game, O, S
from hotdice.solve.solutions import Progress, load_solution, no_progress, obtain_solution
from hotdice.solve.solver import Solver

Solution = TypeVar("Solution")


class SolvedSolver(Solver[S, O], Generic[S, O, Solution]):
    """Solves a game by one solution on disk."""

    solution_type: type[Solution]
    """The dataclass of arrays and numbers that a solution is."""

    fewest: ClassVar[int] = 1
    """The fewest players whose chances to win need the solution."""

    def __init__(self, game: Game[S, O]) -> None:
        super().__init__(game)
        self._solution: Solution | None = None

    @abstractmethod
    def compute(self, progress: Progress) -> Solution:
        """Compute the solution."""

    def solution(self) -> Solution | None:
        """The solution, if it has been computed before."""
        if self._solution is None and not self.refusal("win"):
            self._solution = load_solution(self.game, "win", self.solution_type)
        return self._solution

    def solved(self, progress: Progress = no_progress) -> Solution:
        """The solution, computed if it has not been yet."""
        if self._solution is None:
            self._solution = obtain_solution(
                self.game, "win", self.solution_type, self.compute, progress
            )
        return self._solution

    def _wanted(self, players: int) -> bool:
        return players >= self.fewest and not self.refusal("win")

    def ready(self, players: int) -> bool:
        """Whether the solution is there, or is not needed."""
        return not self._wanted(players) or self.solution() is not None

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Compute the solution if it is not there yet."""
        if not self._wanted(players):
            return False
        self.solved(progress)
        return True
