"""The solver for a game, by its shape."""

from __future__ import annotations

from importlib import import_module
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
_made: dict[Any, Solver] = {}


def find_solver(game: AnyGame) -> Solver | None:
    """The solver of a game, one for all tables with the same rules; none for unknown shapes."""
    if game.shape not in _SHAPES:
        return None
    key = type(game), rules_text(game)
    if key not in _made:
        module = import_module(f"hotdice.solve.shapes.{game.shape}")
        _made[key] = getattr(module, _SHAPES[game.shape])(game)
    return _made[key]
