"""How the verdicts of the analysis fall on our own bots: the table of ``docs/analysis.md``.

``python -m tools.calibrate [games]`` plays games of every level against itself and prints, for each
game and level, accuracy, rating and the share of decisions by verdict and of rolls by fortune.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random

from hotdice import load_game
from hotdice.analysis.judging import Fortune, Verdict
from hotdice.analysis.report import analyse
from hotdice.bots import LEVELS
from tools.games import play

PLAYED = {
    "farkle": ("starts=seat", 2),
    "rogue": ("", 2),
    "cockroach": ("starts=seat", 2),
    "go500": ("course=streets", 2),
    "peruke": ("", 1),
}


def row(slug: str, level: str, games: int) -> str:
    """One line of the table."""
    rng = Random(f"{slug} {level}")
    options, players = PLAYED[slug]
    game = load_game(slug, options)
    cost = spread = 0.0
    words: Counter[str] = Counter()
    decisions = rolls = 0
    objective = ""
    for _ in range(games):
        report = analyse(play(game, (level,) * players, rng))
        objective = report.objective
        for seat in report.seats:
            cost, spread = cost + seat.cost, spread + seat.spread
            decisions, rolls = decisions + seat.decisions, rolls + seat.rolls
            words.update(seat.verdicts)
        words.update(one.word.value for one in report.events if not one.choices)
    mean = cost / max(1, decisions)
    rated = mean if objective == "points" else 1000 * mean
    verdicts = ", ".join(f"{100 * words[w] / max(1, decisions):.1f} % {w}" for w in Verdict)
    fortunes = ", ".join(f"{100 * words[f] / max(1, rolls):.1f} % {f.value}" for f in Fortune if f)
    accuracy = 100 * (1 - cost / max(spread, 1e-9))
    return (
        f"{slug} {level}: accuracy {accuracy:.1f} %, rating {rated:.2f}, "
        f"{decisions} decisions: {verdicts}; {rolls} rolls: {fortunes}"
    )


def main() -> None:
    """Print the table."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    for slug in PLAYED:
        for level in LEVELS:
            sys.stdout.write(row(slug, level, games) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
