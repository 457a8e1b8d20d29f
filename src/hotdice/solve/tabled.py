"""Solvers whose chances to win come from one table, computed when first needed and kept."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from hotdice.core.game import AnyGame
from hotdice.solve.solver import Solver
from hotdice.solve.store import Progress, load_table, no_progress, obtain_table

Table = TypeVar("Table")


class TabledSolver(Solver, Generic[Table]):
    """Solves games of one shape by a table."""

    table_type: type[Table]
    """What the table is."""

    fewest: ClassVar[int] = 1
    """The fewest players whose chances to win hang on the table."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        self._table: Table | None = None

    @abstractmethod
    def _solvable(self) -> bool:
        """Whether the table of these rules is small enough to be made."""

    @abstractmethod
    def _compute(self, progress: Progress) -> Table:
        """Make the table."""

    def _wanted(self, players: int) -> bool:
        return players >= self.fewest and self._solvable()

    def table(self) -> Table | None:
        """The table, if it has been made before."""
        if self._table is None and self._solvable():
            self._table = load_table(self.game, "win", self.table_type)
        return self._table

    def solved(self, progress: Progress = no_progress) -> Table:
        """The table, made if it has not been yet."""
        if self._table is None:
            self._table = obtain_table(self.game, "win", self.table_type, self._compute, progress)
        return self._table

    def ready(self, players: int) -> bool:
        """Whether the table is there, or never will be."""
        return not self._wanted(players) or self.table() is not None

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Make the table if it is not there yet."""
        if not self._wanted(players):
            return False
        self.solved(progress)
        return True
