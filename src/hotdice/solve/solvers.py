"""The solver for a game, by its shape."""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import Any

from hotdice.core.game import AnyGame
from hotdice.solve.solver import Solver, weigh
from hotdice.solve.store import rules_text

_SHAPES = {
    "race": "RaceSolver",
    "laps": "LapsSolver",
    "rounds": "RoundsSolver",
    "discs": "DiscsSolver",
    "course": "CourseSolver",
}
_MOST_MADE = 64
_MOST_BYTES = 64_000_000
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
            _forget()
        _made[key] = solver  # the last to be forgotten
        return solver


def _forget() -> None:
    """Make room for one more: there is an end to what solvers are kept, and to what they hold."""
    weights = {key: weigh(solver) for key, solver in _made.items()}
    whole = sum(weights.values())
    for key, weight in weights.items():
        if len(_made) < _MOST_MADE and whole <= _MOST_BYTES:
            break
        del _made[key]
        whole -= weight
