"""The solver for a game, by its shape."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import Any

from hotdice.core.game import AnyGame
from hotdice.solve.solver import Solver
from hotdice.solve.store import rules_text

_SHAPES = {
    "race": "RaceSolver",
    "laps": "LapsSolver",
    "rounds": "RoundsSolver",
    "discs": "DiscsSolver",
    "course": "CourseSolver",
}
_MOST_MADE = 64
_made: dict[Any, Solver] = {}
_making = Lock()


def find_solver(game: AnyGame) -> Solver | None:
    """The solver of a game, one for all tables with the same rules; none for unknown shapes."""
    if game.shape not in _SHAPES:
        return None
    key = type(game), rules_text(game)
    with _making:
        solver = _made.pop(key, None)
        if solver is None:
            module = import_module(f"hotdice.solve.shapes.{game.shape}")
            solver = getattr(module, _SHAPES[game.shape])(game)
        _made[key] = solver  # the last to be forgotten
        if len(_made) > _MOST_MADE:
            del _made[next(iter(_made))]
        return solver
