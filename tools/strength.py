"""Bot strength: matches between all levels, and against simple strategies at larger tables.

``make strength`` plays them and writes ``docs/book/strength.json`` for the book.
"""

from __future__ import annotations

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hotdice import load_game
from hotdice.bots import LEVELS, Bot
from hotdice.core.dice import Die
from hotdice.core.due import Over, Result, ToChoose
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame
from hotdice.solve.coach import luck_of, prepare
from hotdice.solve.finding import find_solver

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "docs/book/strength.json"
SPLIT = 2
RULES = {"farkle": "starts=seat", "rogue": "", "cockroach": "starts=seat", "go500": ""}


class Match(NamedTuple):
    """One bot against another kind of bot in all other seats.

    Attributes:
        game: the game.
        players: how many play.
        one: the bot whose share of wins is measured.
        others: the bot in all other seats.
        games: how many games are played, each seat equally often.
    """

    game: str
    players: int
    one: str
    others: str
    games: int


def last_lap(game: AnyGame, state: Any, rng: Random) -> Choice:
    """Play for points until somebody has reached the target, then for the win."""
    target = getattr(game.options, "target", None)
    closing = target is not None and max(state.scores) >= target
    return LEVELS["perfect" if closing else "sharp"].play(game, state, rng)


def leader(game: AnyGame, state: Any, rng: Random) -> Choice:
    """Play exactly against the strongest opponent, ignoring the rest."""
    if not hasattr(state, "scores"):
        return LEVELS["sharp"].play(game, state, rng)
    seat, players = state.seat, len(state.scores)
    others = [(seat + step) % players for step in range(1, players)]
    rival = max(others, key=lambda other: state.scores[other])
    changes: dict[str, Any] = {"scores": (state.scores[seat], state.scores[rival]), "seat": 0}
    if hasattr(state, "closer") and state.closer >= 0:
        changes["closer"] = 1
    if hasattr(state, "first"):
        moved = (rival - state.first) % players < (seat - state.first) % players
        changes["first"] = int(moved)
    alone = state._replace(**changes)
    if game.problem(alone):
        return LEVELS["perfect"].play(game, state, rng)
    return LEVELS["perfect"].play(game, alone, rng)


BOTS: dict[str, Bot] = {
    **{name: level.play for name, level in LEVELS.items()},
    "last lap": last_lap,
    "leader": leader,
}


def throw(dice: tuple[Die, ...], rng: Random) -> Roll:
    """Roll the dice."""
    faces = (
        rng.choices([f.code for f in die.faces], [f.weight for f in die.faces])[0] for die in dice
    )
    return Roll(tuple(sorted(faces)))


def play_on(game: AnyGame, state: Any, bots: list[Bot], rng: Random) -> Result:
    """Play a game from a state to its end."""
    while True:
        due = game.due(state)
        if isinstance(due, Over):
            return due.result
        if isinstance(due, ToChoose):
            state = game.apply(state, bots[due.seat](game, state, rng))
        else:
            state = game.apply(state, throw(due.dice, rng))


def play(game: AnyGame, bots: list[Bot], rng: Random) -> Result:
    """Play one game."""
    return play_on(game, game.start(len(bots)), bots, rng)


def play_fairly(
    game: AnyGame, state: Any, bots: list[Bot], rng: Random
) -> tuple[Result, list[float]]:
    """Play a game from a state to its end; also returns each seat's share of the win without luck.

    The luck of a roll, by which it changes the chance to win, has expectation 0. Subtracting it
    keeps the mean and removes most of the variance.
    """
    solver = find_solver(game)
    players = len(bots)
    luck = [0.0] * players
    while not isinstance(due := game.due(state), Over):
        if isinstance(due, ToChoose):
            state = game.apply(state, bots[due.seat](game, state, rng))
            continue
        roll = throw(due.dice, rng)
        sheet = solver.sheet(state, "win")
        if sheet is None:
            raise AssertionError("there is no sheet for a solved game")
        change = luck_of(game, sheet, state, roll)
        for seat in range(players):
            luck[seat] += change if seat == due.seat else -change / (players - 1)
        state = game.apply(state, roll)
    winners = due.result.winners
    shares = [(seat in winners) / max(1, len(winners)) for seat in range(players)]
    return due.result, [share - one for share, one in zip(shares, luck, strict=True)]


def run(match: Match, part: int) -> tuple[float, float, float]:
    """Play a part of a match; returns the sums of wins, of their squares, and of points."""
    game = load_game(match.game, RULES.get(match.game, ""))
    prepare(game, match.players)
    rng = Random(f"{match} {part}")
    won = squares = points = 0.0
    for number in range(match.games // SPLIT):
        seat = number % match.players
        bots = [BOTS[match.others]] * match.players
        bots[seat] = BOTS[match.one]
        if match.players > 1:
            result, shares = play_fairly(game, game.start(match.players), bots, rng)
            share = shares[seat]
        else:
            result = play(game, bots, rng)
            share = float(bool(result.winners))
        won, squares = won + share, squares + share * share
        points += result.scores[seat]
    return won, squares, points


def matches(scale: float) -> list[Match]:
    """All matches."""
    found = []
    for slug in RULES:
        for weaker, stronger in combinations(LEVELS, 2):
            found.append(Match(slug, 2, stronger, weaker, int(400 * scale)))
        for players in (3, 4):
            for rule in ("sharp", "last lap", "leader"):
                if (slug == "go500" or players == 4) and rule != "sharp":
                    continue
                count = {"farkle": 600, "rogue": 3000, "cockroach": 1600, "go500": 800}[slug]
                found.append(Match(slug, players, "perfect", rule, int(count * scale)))
    return [*found, *(Match("peruke", 1, level, level, int(2000 * scale)) for level in LEVELS)]


def main() -> None:
    """Play the matches not in the result file yet; delete the file to start over."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rows = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else []
    played = {(row["game"], row["players"], row["one"], row["others"]) for row in rows}
    with ProcessPoolExecutor(SPLIT) as pool:
        for match in matches(scale):
            if match[:4] in played:
                continue
            began = time.perf_counter()
            games = match.games // SPLIT * SPLIT
            parts = [pool.submit(run, match, part) for part in range(SPLIT)]
            won, squares, points = (
                sum(column) for column in zip(*(p.result() for p in parts), strict=True)
            )
            share = won / games
            error = ((squares / games - share * share) / games) ** 0.5
            row = {**match._asdict(), "games": games, "share": round(share, 5)}
            rows.append({**row, "error": round(error, 5), "points": round(points / games, 2)})
            taken = time.perf_counter() - began
            sys.stdout.write(f"{json.dumps(rows[-1])} {taken:.0f} s\n")
            sys.stdout.flush()
            RESULT.parent.mkdir(parents=True, exist_ok=True)
            RESULT.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
