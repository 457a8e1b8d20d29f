"""Counts the choices of bots that roll dice for nothing.

A choice that rolls is pointless if another choice is worth more and is at least as good whatever
the dice show: it ends the turn with no less than even the luckiest roll would be worth, or it rolls
the same dice from a position that is no worse after any roll. Rolling on is also pointless where
another choice ends the game with a win. Values are exact expected points of the turn.

``python -m tools.pointless [games]`` prints a row for each game and level.
"""

from __future__ import annotations

import sys
from collections import Counter
from random import Random
from typing import Any

from hotdice import load_game
from hotdice.bots import LEVELS
from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame
from hotdice.solve.coach import all_values, value_after
from hotdice.solve.finding import find_solver
from tools.strength import RULES, throw

CLEAR = 1e-6
"""Points by which a choice has to be worse."""
PLAYED = ("farkle", "rogue", "cockroach", "go500")


def pointless(game: AnyGame, state: Any, choice: Choice) -> str:
    """Why a choice is pointless; empty if it is not."""
    after = game.apply(state, choice)
    if not isinstance(game.due(after), ToRoll) or game.turn_over(state, choice, after):
        return ""
    if any(wins(game, state, other) for other in game.choices(state)):
        return "won"
    values = all_values(game, state, "points")
    better = [other for other in values if values[other] > values[choice] + CLEAR]
    for other in sorted(better, key=lambda one: -values[one]):
        reason = _beaten(game, state, choice, other, values[other])
        if reason:
            return reason
    return ""


def wins(game: AnyGame, state: Any, choice: Choice) -> bool:
    """Whether a choice ends the game, won by this seat alone."""
    due, over = game.due(state), game.due(game.apply(state, choice))
    if isinstance(due, Over) or not isinstance(over, Over) or game.players(state) < 2:
        return False
    return over.result.winners == (due.seat,)


def _beaten(game: AnyGame, state: Any, choice: Choice, other: Choice, worth: float) -> str:
    after, instead = game.apply(state, choice), game.apply(state, other)
    if game.turn_over(state, other, instead):
        best = all(_value(game, after, roll) <= worth + CLEAR for roll, _ in game.rolls(after))
        return "no gain" if best else ""
    due, same = game.due(after), game.due(instead)
    if not isinstance(due, ToRoll) or not isinstance(same, ToRoll) or due.dice != same.dice:
        return ""
    rolls = [roll for roll, _ in game.rolls(after)]
    worse = all(_value(game, after, roll) <= _value(game, instead, roll) + CLEAR for roll in rolls)
    return "same dice" if worse else ""


def _value(game: AnyGame, state: Any, roll: Roll) -> float:
    sheet = find_solver(game).sheet(state, "points")
    if sheet is None:
        raise AssertionError("every game has expected points")
    return value_after(game, sheet, state, roll)


def count(slug: str, level: str, games: int) -> Counter[str]:
    """Play games and count the choices by reason; ``choices`` counts them all."""
    game = load_game(slug, RULES[slug])
    found: Counter[str] = Counter()
    rng = Random(f"{slug} {level}")
    for _ in range(games):
        state = game.start(2)
        while not isinstance(due := game.due(state), Over):
            if not isinstance(due, ToChoose):
                state = game.apply(state, throw(due.dice, rng))
                continue
            choice = LEVELS[level].play(game, state, rng)
            found["choices"] += 1
            reason = pointless(game, state, choice)
            if reason:
                found[reason] += 1
                found[f"{reason}: {game.state_text(state)} | {game.event_text(choice)}"] += 1
            state = game.apply(state, choice)
    return found


def main() -> None:
    """Print the counts."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    only = sys.argv[2:] or PLAYED
    for slug in only:
        for level in LEVELS:
            found = count(slug, level, games)
            shown = ", ".join(f"{found[key]} {key}" for key in ("won", "no gain", "same dice"))
            sys.stdout.write(f"{slug} {level}: {found['choices']} choices; {shown}\n")
            for key in [key for key in found if ":" in key][:3]:
                sys.stdout.write(f"    {key}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
