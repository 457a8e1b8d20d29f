"""The page on Go 500."""

from __future__ import annotations

from typing import Any

from hotdice.games.go500 import Go500
from hotdice.solve.coach import all_values
from hotdice.solve.solver import Question
from hotdice.solvers.go500 import Go500Solver
from tools.book import pictures
from tools.book.surprises import costly_points, listing
from tools.book.words import percent, table

COURSES = {
    "oval": "",
    "streets, good weather": "course=streets",
    "streets, poor weather": "course=streets weather=poor",
    "pass, good weather": "course=pass",
    "pass, poor weather": "course=pass weather=poor",
    "grand": "course=grand",
}
_LIMITS = (35, 50, 65, 80, 95, 110, 130, 150, None)


def page(values: dict[str, Any]) -> str:
    """The text of the page; also adds the solved values to ``values``."""
    rows = []
    for name, options in COURSES.items():
        solver = Go500Solver(Go500.with_options(options))
        points, win = (solver.solve(Question(aim)).value for aim in ("points", "win"))
        values[f"go500, {name}"] = {"points": points, "win": win}
        segments = solver.segments
        rows.append((name, segments, f"{points:.1f}", f"{points / segments:.1f}", percent(win, 2)))
    rerolls = range(9)
    worth = [_points(f"rerolls={count}") for count in rerolls]
    chart = pictures.lines(
        "go500-rerolls", list(rerolls), {"oval": worth}, ("rerolls", "points of a race")
    )
    game = Go500()
    parts = [
        "# Go 500",
        (
            "Points are for a single racer. Between two, the second racer knows the result of the "
            "first, which is a small advantage."
        ),
        "## What a race and a seat are worth",
        table(("course", "segments", "points", "per segment", "first seat wins"), rows),
        "## What a reroll is worth",
        f"![Points of a race on the oval by rerolls]({chart})",
        (
            f"The first is worth {worth[1] - worth[0]:.1f} points on the oval, the second "
            f"{worth[2] - worth[1]:.1f}, the eighth {worth[8] - worth[7]:.1f}."
        ),
        "## What to take",
        "The best dice for one segment with this limit, without rerolls.",
        _takes(),
        "## Surprises",
        "From races of two perfect drivers on the oval: where driving for points costs most.",
        listing(game, costly_points(game, 60, "go500"), 8),
    ]
    return "\n\n".join(parts)


def _points(options: str) -> float:
    return Go500Solver(Go500.with_options(options)).solve(Question("points")).value


def _takes() -> str:
    rows = []
    for limit in _LIMITS:
        text = "none" if limit is None else str(limit)
        game = Go500.with_options(f"'course=name: one; segment: a = {text}' rerolls=0")
        state = game.start(1)
        worth = all_values(game, state, "points")
        ranked = sorted(worth, key=lambda c: -worth[c])
        words = [game.meaning(state, choice).words for choice in ranked[:2]]
        cost = worth[ranked[0]] - worth[ranked[1]]
        rows.append((text, words[0], f"{worth[ranked[0]]:.1f}", f"{words[1]} (-{cost:.1f})"))
    return table(("limit", "take", "points", "next best"), rows)
