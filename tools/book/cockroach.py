"""The page on Cockroach."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from hotdice.core.words import dice_words
from hotdice.games.cockroach import Cockroach
from hotdice.solve.coach import all_values
from hotdice.solve.solver import Question
from hotdice.solvers.cockroach import CockroachSolver
from tools.book import pictures
from tools.book.surprises import costly_points, listing
from tools.book.words import percent, table

VARIATIONS = ("any_start", "extra_die", "duplicates")


def page(values: dict[str, Any]) -> str:
    """The text of the page; also adds the solved values to ``values``."""
    rows, names, wins = [], [], []
    for switches in product((False, True), repeat=3):
        on = [name for name, switch in zip(VARIATIONS, switches, strict=True) if switch]
        title = " + ".join(on) or "as printed"
        game = Cockroach.with_options(" ".join(["starts=seat", *(f"{name}=on" for name in on)]))
        solver = CockroachSolver(game)
        turn, win = (solver.solve(Question(aim)).value for aim in ("points", "win"))
        values[f"cockroach, {title}"] = {"points": turn, "win": win}
        rows.append((title, f"{turn:.4f}", percent(win, 2)))
        names.append(title)
        wins.append(100 * win)
    game = Cockroach.with_options("starts=seat")
    chart = pictures.bars("cockroach-first", names, {"first": wins}, "first seat wins, %")
    parts = [
        "# Cockroach",
        "Two players who both play their best; equal scores share the win.",
        "## All eight rule sets",
        table(("variations", "points of a turn", "first seat wins"), rows),
        f"![The first seat's chance to win in all rule sets]({chart})",
        (
            "Moving first is worth a lot here, because the last lap gives the others one turn and a "
            "turn makes few points."
        ),
        "## When to stop",
        (
            "For points, under the printed rules. With any other set, roll on with the dice that are not "
            "part of the sequence."
        ),
        _stops(game),
        "## What to keep",
        "The best dice to keep from the most common first rolls.",
        _keeps(game),
        "## By the score",
        _win_picture(game),
        "## Surprises",
        "From games of two perfect players: where playing for points costs most.",
        listing(game, costly_points(game, 150, "cockroach"), 8),
    ]
    return "\n\n".join(parts)


def _plays(count: int) -> Iterator[tuple[int, ...]]:
    yield from combinations_with_replacement(range(1, 6), count)


def _stops(game: Any) -> str:
    rows = []
    for count in (5, 4, 3, 2):
        stops, all_plays = [], 0
        for play in _plays(count):
            state = game.state_type((0, 0), 0, "choose", play, (6,) * (5 - count))
            worth = all_values(game, state, "points")
            best = max(worth, key=lambda c: worth[c])
            all_plays += 1
            if best.verb == "stop" and game.points(play):
                stops.append(dice_words(game, play))
        rows.append((count, ", ".join(stops) or "never", f"{len(stops)} of {all_plays}"))
    return table(("dice in play", "stop with", "that is"), rows)


def _keeps(game: Any) -> str:
    rows = []
    state = game.state_type((0, 0))
    found: dict[tuple[int, ...], float] = {}
    for roll, chance in game.rolls(state):
        play = tuple(face for face in roll.faces if face != 6)
        if len(play) == 5:
            found[play] = float(chance)
    for play in sorted(found, key=lambda play: (-found[play], play))[:14]:
        here = game.state_type((0, 0), 0, "choose", play)
        worth = all_values(game, here, "points")
        best = max(worth, key=lambda c: worth[c])
        rest = list(play)
        for face in best.dice:
            rest.remove(face)
        kept = dice_words(game, tuple(rest)) or "nothing"
        stop = worth[next(c for c in worth if c.verb == "stop")]
        rows.append((dice_words(game, play), kept, f"{worth[best]:.2f}", f"{stop:.0f}"))
    return table(("roll", "keep", "worth", "stopping"), rows)


def _win_picture(game: Any) -> str:
    solved = CockroachSolver(game).solved()
    labels = ("your score", "the other's score", "you win, %")
    win = np.asarray(100 * solved.nodes[:, :, 0])
    path = pictures.heat("cockroach-win", win, 1, labels, cmap="RdYlBu", vmin=0, vmax=100)
    return f"![Chance to win by both scores at the start of a turn]({path})"
