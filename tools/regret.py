"""Measures by playouts what the estimate for three and more players costs.

At decisions in games of perfect bots, the choices that the estimate rates as about equal are each
played out many times. Half of the playouts pick the best choice; the other half, which is
independent, gives an unbiased measure of how much better it is than the estimate's choice. ``make
regret`` writes ``docs/book/regret.json`` for the book.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hotdice import load_game
from hotdice.bots import find_bot
from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame
from hotdice.solve.coach import all_values, prepare
from tools.strength import RULES, play_fairly, throw

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "docs/book/regret.json"
PARTS = 2
FUTURES = 6
NEAR = 0.02


class Study(NamedTuple):
    """How many decisions to examine in a game."""

    game: str
    players: int
    decisions: int


STUDIES = (
    Study("go500", 3, 60),
    Study("cockroach", 3, 120),
    Study("rogue", 3, 60),
    Study("farkle", 3, 40),
)


def gains(study: Study, part: int) -> list[float]:
    """For each decision, what the choice picked by one half of the playouts gains in the other."""
    game = load_game(study.game, RULES[study.game])
    prepare(game, study.players)
    rng = Random(f"{study} {part}")
    found: list[float] = []
    while len(found) < study.decisions // PARTS:
        state = game.start(study.players)
        while not isinstance(due := game.due(state), Over):
            if isinstance(due, ToChoose):
                worth = all_values(game, state, "win")
                ranked = sorted(worth, key=lambda choice: -worth[choice])
                near = [c for c in ranked[:3] if 1e-9 < worth[ranked[0]] - worth[c] < NEAR]
                if near and rng.random() < 0.1 and len(found) < study.decisions // PARTS:
                    found.append(_gain(game, state, due.seat, [ranked[0], *near], rng))
                state = game.apply(state, ranked[0])
            else:
                state = game.apply(state, throw(due.dice, rng))
    return found


def _gain(game: AnyGame, state: Any, seat: int, choices: list[Any], rng: Random) -> float:
    bots = [find_bot("perfect")] * len(game.view(state).tracks)
    seeds = [rng.random() for _ in range(2 * FUTURES)]
    shares = []
    for choice in choices:
        after = game.apply(state, choice)
        shares.append([play_fairly(game, after, bots, Random(seed))[1][seat] for seed in seeds])
    best = max(range(len(choices)), key=lambda at: (sum(shares[at][:FUTURES]), -at))
    return (sum(shares[best][FUTURES:]) - sum(shares[0][FUTURES:])) / FUTURES


def main() -> None:
    """Run all studies and write the results."""
    rows = []
    with ProcessPoolExecutor(PARTS) as pool:
        for study in STUDIES:
            parts = [pool.submit(gains, study, part) for part in range(PARTS)]
            found = [gain for part in parts for gain in part.result()]
            mean = sum(found) / len(found)
            spread = sum((gain - mean) ** 2 for gain in found) / len(found)
            error = (spread / len(found)) ** 0.5
            row = {**study._asdict(), "decisions": len(found), "futures": FUTURES}
            rows.append({**row, "gain": round(mean, 5), "error": round(error, 5)})
            sys.stdout.write(f"{json.dumps(rows[-1])}\n")
            sys.stdout.flush()
            RESULT.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
