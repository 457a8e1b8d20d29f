"""Full games played by the solved policy, beside their solved values.

The dice are rolled and the rules driven as at any table; nothing of the solver is used but what the
perfect bot chooses.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from math import sqrt
from pathlib import Path
from random import Random
from typing import NamedTuple

import hotdice
from hotdice.bots import find_bot
from hotdice.solve.coach import prepare
from hotdice.solve.solver import Question
from hotdice.solve.solvers import find_solver

sys.path.insert(0, str(Path(__file__).parent.parent))
from tools.strength import play

PARTS = 2


class Trial(NamedTuple):
    """Games to be played: which, by whom, and what they are compared with."""

    game: str
    options: str
    players: int
    level: str
    objective: str
    games: int


TRIALS = (
    Trial("farkle", "starts=seat", 2, "perfect", "win", 6000),
    Trial("rogue", "", 2, "perfect", "win", 6000),
    Trial("cockroach", "starts=seat", 2, "perfect", "win", 12000),
    Trial("go500", "", 2, "perfect", "win", 6000),
    Trial("go500", "course=pass weather=poor", 1, "sharp", "points", 6000),
    Trial("peruke", "", 1, "perfect", "win", 10000),
    Trial("peruke", "games=1", 1, "sharp", "points", 20000),
)


def run(trial: Trial, part: int) -> tuple[float, float]:
    """The sum of what the first seat makes, and of its squares."""
    game = hotdice.load_game(trial.game, trial.options)
    prepare(game, trial.players)
    rng = Random(f"{trial} {part}")
    bots = [find_bot(trial.level)] * trial.players
    total = squares = 0.0
    for _ in range(trial.games // PARTS):
        result = play(game, bots, rng)
        made = float(result.scores[0])
        if trial.objective == "win":
            made = (0 in result.winners) / max(1, len(result.winners))
        total, squares = total + made, squares + made * made
    return total, squares


def main() -> None:
    """Play all trials; the last column should lie within 3."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    with ProcessPoolExecutor(PARTS) as pool:
        for full in TRIALS:
            trial = full._replace(games=int(full.games * scale) // PARTS * PARTS)
            game = hotdice.load_game(trial.game, trial.options)
            solver = find_solver(game)
            if solver is None:
                raise AssertionError("every game here has a solver")
            value = solver.solve(Question(trial.objective)).value
            parts = [pool.submit(run, trial, part) for part in range(PARTS)]
            sums = [part.result() for part in parts]
            mean = sum(total for total, _ in sums) / trial.games
            spread = sum(squares for _, squares in sums) / trial.games - mean * mean
            error = sqrt(spread / trial.games)
            print(
                f"{trial.game} {trial.options} ({trial.level}, {trial.objective}): played "
                f"{mean:.4f} in {trial.games:,} games, solved {value:.4f}, "
                f"{(mean - value) / error:+.2f} standard errors",
                flush=True,
            )


if __name__ == "__main__":
    main()
