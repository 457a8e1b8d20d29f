"""The page on Farkle."""

from __future__ import annotations

from typing import Any

import numpy as np

from hotdice.games.farkle import Farkle, FarkleState
from hotdice.solve.race.solver import RaceSheet
from hotdice.solve.solver import Question
from hotdice.solvers.farkle import FarkleSolver
from tools.book import pictures
from tools.book.keeps import Habit, costly_keeps
from tools.book.surprises import costly_points, fewer_points, listing
from tools.book.words import percent, table

RULE_SETS = {
    "as printed": "",
    "no carry-over": "carry_over=off",
    "no entry": "entry=0",
    "four and a pair": "four_and_pair=on",
}
_TAKE_ALL = Habit("taking all of the first roll", lambda choice, points: (len(choice.dice), points))


def page(values: dict[str, Any]) -> str:
    """The text of the page; also adds the solved values to ``values``."""
    solvers = {name: _solved(options) for name, options in RULE_SETS.items()}
    game, solver = solvers["as printed"]
    rows = []
    for name, (_, one) in solvers.items():
        turn = one.solve(Question("points")).value
        first = one.solve(Question("points", (0, 0))).value
        win = one.solve(Question("win")).value
        values[f"farkle, {name}"] = {"points": turn, "first points": first, "win": win}
        rows.append((name, f"{turn:.2f}", f"{first:.2f}", percent(win, 2)))
    parts = [
        "# Farkle",
        "Two players who both play their best; equal scores share the win.",
        "## What a turn and a seat are worth",
        table(("rules", "turn, on the pad", "turn, not yet", "first seat wins"), rows),
        _win_picture(solver),
        "Nobody can have a score between 0 and the entry of 100, hence the blank bands.",
        "## When to bank",
        (
            "For points alone: bank once the running total, including the dice just kept, has reached "
            "this much."
        ),
        _thresholds(solver),
        (
            "To win, it depends on the scores. The chart shows the running total from which to bank "
            "with **three dice left**, by your score and the other's."
        ),
        _bank_picture(game, solver),
        "## What to keep",
        (
            "Of a first roll of six dice, for points. Taking everything that scores is the commonest "
            "mistake: a die given back to the cup is often worth more than its points."
        ),
        costly_keeps(game, game.state_type((500, 500)), _TAKE_ALL, 12),
        "## Surprises",
        "From games of two perfect players: where playing for points costs most.",
        listing(game, costly_points(game, 60, "farkle"), 8),
        (
            "Fewer points can be worth more: they may leave the other a worse offer, or not yet start "
            "the last lap."
        ),
        listing(game, fewer_points(game, 60, "farkle fewer"), 5),
    ]
    return "\n\n".join(parts)


def _solved(options: str) -> tuple[Any, FarkleSolver]:
    game = Farkle.with_options(f"starts=seat {options}")
    return game, FarkleSolver(game)


def _win_picture(solver: FarkleSolver) -> str:
    solved = solver.solved()
    win = np.where(solved.win == 0.5, np.nan, solved.win)
    path = pictures.heat(
        "farkle-win",
        100 * win,
        solver.program.unit,
        ("your score", "the other's score", "you win, %"),
        cmap="RdYlBu",
        vmin=0,
        vmax=100,
    )
    return f"![Chance to win by both scores at the start of a turn]({path})"


def _thresholds(solver: FarkleSolver) -> str:
    sheet = solver.sheet(FarkleState((1000, 1000)), "points")
    if not isinstance(sheet, RaceSheet):
        raise TypeError("the printed rules are not small enough for a points sheet")
    rows = []
    for dice in range(1, 7):
        stops = [total for total in range(5, 4000, 5) if sheet.rolling(dice, total) < total]
        rows.append((dice, f"{stops[0]:,}", percent(float(solver.program.bust[dice - 1]))))
    return table(("dice left to roll", "bank from", "rolling on busts"), rows)


def _bank_picture(game: Any, solver: FarkleSolver) -> str:
    scores = range(100, 1000, 20)
    found = np.full((50, 50), np.nan)
    for own in scores:
        for other in scores:
            sheet: Any = solver.sheet(game.state_type((own, other)), "win")
            stops = [t for t in range(5, 700, 5) if sheet.rolling(3, t) < sheet.banking(3, t)]
            found[own // 20, other // 20] = stops[0] if stops else 700
    path = pictures.heat(
        "farkle-bank",
        found,
        20,
        ("your score", "the other's score", "bank from this total on"),
        cmap="viridis",
        vmin=0,
        vmax=150,
        extend="max",
    )
    return f"![From which total on to bank with three dice left]({path})"
