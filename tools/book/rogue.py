"""The page on Rogue."""

from __future__ import annotations

from typing import Any

import numpy as np

from hotdice.games.rogue import Rogue
from hotdice.solve.solver import Question
from hotdice.solvers.rogue import RogueSolver
from tools.book import pictures
from tools.book.keeps import Habit, costly_keeps
from tools.book.surprises import costly_points, fewer_points, listing
from tools.book.words import percent, table

RULE_SETS = {
    "as printed": "",
    "war from the start": "war_at=1",
    "war only at the target": "war_at=2000",
}
_KEEP_MOST = Habit("keeping the most of the first roll", lambda _, points: points)


def page(values: dict[str, Any]) -> str:
    """The text of the page; also adds the solved values to ``values``."""
    rows = []
    solvers = {}
    for name, options in RULE_SETS.items():
        game = Rogue.with_options(options)
        solver = solvers[name] = RogueSolver(game)
        turn = solver.solve(Question("points")).value
        solution = solver.solve(Question("win"))
        values[f"rogue, {name}"] = {"points": turn, "win": solution.value}
        rows.append((name, f"{turn:.2f}", percent(solution.value, 2)))
    game, solver = Rogue(), solvers["as printed"]
    peace = solver.solve(Question("points")).value
    war = solver.solve(Question("points", (1900, 0))).value
    parts = [
        "# Rogue",
        (
            "Two players who both play their best. The second in a round knows the result of the "
            "first, and that is worth more than moving first."
        ),
        "## What a turn and a seat are worth",
        table(("rules", "points of a first turn", "first of the round wins"), rows),
        (
            f"A turn makes {peace:.1f} points on average in peace, and {war:.1f} in war with the "
            "additional turns it earns."
        ),
        _win_picture(solver),
        "## What to keep",
        (
            "There is no bust, so rolling on loses nothing already set aside. What costs points is "
            "spending dice: these are the first rolls where keeping the most valuable set is wrong."
        ),
        costly_keeps(game, game.start(2), _KEEP_MOST, 14),
        "## Surprises",
        "From games of two perfect players: where playing for points costs most.",
        listing(game, costly_points(game, 40, "rogue"), 8),
        "Where it is best to end a turn with fewer points than possible:",
        listing(game, fewer_points(game, 40, "rogue fewer"), 5),
    ]
    return "\n\n".join(parts)


def _win_picture(solver: RogueSolver) -> str:
    solved = solver.solved()
    step = 10
    size = int(solver.game.options.target) // step
    win = np.array(
        [[solved.value(a * step, b * step, first=True) for b in range(size)] for a in range(size)]
    )
    labels = ("your score", "the other's score", "you win, %")
    path = pictures.heat("rogue-win", 100 * win, step, labels, cmap="RdYlBu", vmin=0, vmax=100)
    return f"![Chance to win by both scores, first of the round]({path})"
