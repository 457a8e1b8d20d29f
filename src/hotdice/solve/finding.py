"""Finds the solver of a game: its plugin, or the enumerating fallback."""

from __future__ import annotations

from threading import Lock

from hotdice.core.game import Game, O, S
from hotdice.core.registry import plugins
from hotdice.solve.arrays import weigh
from hotdice.solve.enumerated import EnumeratedSolver
from hotdice.solve.solutions import rules_text
from hotdice.solve.solver import AnySolver, Solver

GROUP = "hotdice.solvers"
"""The entry-point group; a solver's name in it is the slug of its game."""
_MOST_MADE = 64
_MOST_BYTES = 64_000_000
_made: dict[object, AnySolver] = {}
_making = Lock()


def find_solver(game: Game[S, O]) -> Solver[S, O]:
    """The solver of a game, shared by all tables with the same rules."""
    key = type(game), rules_text(game)
    with _making:
        solver = _made.pop(key, None)
        if solver is None:
            plugin = plugins(GROUP).get(game.slug)
            solver = EnumeratedSolver(game) if plugin is None else plugin.load()(game)
            _evict()
        _made[key] = solver  # most recently used last
        return solver


def _evict() -> None:
    """Evict the least recently used solvers to stay within the limits on number and memory."""
    weights = {key: weigh(solver) for key, solver in _made.items()}
    whole = sum(weights.values())
    for key, weight in weights.items():
        if len(_made) < _MOST_MADE and whole <= _MOST_BYTES:
            break
        del _made[key]
        whole -= weight
