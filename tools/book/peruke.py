"""The page on Peruke One."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

from hotdice.games.peruke_one import PerukeOne
from hotdice.solve.coach import advise
from hotdice.solve.solver import Question
from hotdice.solvers.peruke_one import PerukeOneSolver
from hotdice.solvers.peruke_one.chart import number_of
from tools.book import pictures
from tools.book.words import percent, table

RULE_SETS = {"as printed": "", "red die ordinary": "red_combines=off", "three uses": "uses=3"}
SHOWN = (
    "discs=0,0,0,0,0,0 phase=use tray=1,1,3,4,5,r3",
    "discs=0,0,0,0,0,0 phase=use tray=1,2,5,6,6,r6",
    "discs=0,0,0,0,1,1 round=2 phase=use tray=2,4,5,6,r1",
    "discs=0,1,0,1,1,1 round=3 phase=use tray=1,3,6,r3",
    "discs=0,1,1,1,1,2 round=4 phase=use tray=1,3,r3",
    "discs=0,1,1,2,2,2 round=5 phase=use tray=1,r2",
    "discs=0,1,2,2,2,2 round=6 phase=use tray=r1",
)


def page(values: dict[str, Any]) -> str:
    """The text of the page; also adds the solved values to ``values``."""
    rows = []
    solvers = {
        name: PerukeOneSolver(PerukeOne.with_options(text)) for name, text in RULE_SETS.items()
    }
    for name, solver in solvers.items():
        points, peruke, series = (
            solver.solve(Question(aim)).value for aim in ("points", "peruke", "win")
        )
        values[f"peruke, {name}"] = {"points": points, "peruke": peruke, "win": series}
        rows.append((name, f"{points:.4f}", percent(peruke, 2), percent(series, 2)))
    solver = solvers["as printed"]
    goals = range(21)
    totals = range(40, 101, 2)
    game_chance = {
        name: [100 * one.solve(Question("at_least", goal=goal)).value for goal in goals]
        for name, one in list(solvers.items())[:2]
    }
    series_chance = {
        name: [100 * one.solve(Question("series", goal=total)).value for total in totals]
        for name, one in list(solvers.items())[:2]
    }
    one = pictures.lines("peruke-game", list(goals), game_chance, ("at least", "chance, %"))
    five = pictures.lines("peruke-series", list(totals), series_chance, ("beaten", "chance, %"))
    marks = [
        (n, percent(solver.solve(Question("at_least", goal=n)).value)) for n in (5, 10, 15, 18, 20)
    ]
    beaten = [
        (n, percent(solver.solve(Question("series", goal=n)).value)) for n in (60, 70, 75, 80, 90)
    ]
    parts = [
        "# Peruke One",
        (
            "A solitaire. Each goal has its own best strategy, so the figures below come from many "
            "different strategies."
        ),
        "## What a game is worth",
        table(("rules", "points of a game", "Peruke One", "Peruke One in five games"), rows),
        "## Points to reach in one game",
        table(("at least", "chance"), marks),
        f"![Chance of at least so many points in one game]({one})",
        "## Totals to beat in five games",
        table(("more than", "chance"), beaten),
        f"![Chance to beat a total in five games]({five})",
        "## How to play",
        "The value of the two uses of the first round, with all discs still safe: making two high discs vulnerable is better than taking one.",
        _first_round(solver),
        "Some positions, for both objectives:",
        _examples(),
    ]
    return "\n\n".join(parts)


def _first_round(solver: PerukeOneSolver) -> str:
    expected, peruke = solver.points_values[1], solver.peruke_values[1]
    found = []
    for low, high in combinations_with_replacement(range(1, 7), 2):
        discs = [0] * 6
        discs[low - 1] += 1
        discs[high - 1] += 1
        at = number_of(tuple(discs))
        words = f"take disc {low}" if low == high else f"discs {low} and {high} vulnerable"
        found.append((words, float(expected[at]), float(peruke[at])))
    found.sort(key=lambda row: -row[1])
    rows = [(words, f"{points:.2f}", percent(chance, 2)) for words, points, chance in found]
    return table(("after the first round", "expected points", "Peruke One"), rows)


def _examples() -> str:
    game = PerukeOne.with_options("games=1")
    rows = []
    for text in SHOWN:
        state = game.read_state(text)
        points, wins = (advise(game, state, aim) for aim in ("points", "win"))
        second = next((c for c in points.counsels if c.cost > 1e-9), points.counsels[-1])
        rows.append(
            (
                f"`{text}`",
                points.best.meaning.words,
                f"{points.best.value:.2f}",
                f"{second.meaning.words} (-{second.cost:.2f})",
                wins.best.meaning.words,
            )
        )
    heads = ("position", "for points", "expected", "next best", "for a Peruke One")
    return table(heads, rows)
