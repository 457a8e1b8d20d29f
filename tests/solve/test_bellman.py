"""In every state of sample games, values satisfy the Bellman equation of the rules."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hotdice import load_game
from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame
from hotdice.solve.coach import all_values, luck_of
from hotdice.solve.finding import find_solver
from hotdice.solve.sheet import Sheet
from hotdice.solve.solver import AnySolver

DICE = "name: small; black: 0 (10) 15; green: flat (20); flag: green green yellow red black"
DICE += "; yellow: -5 lights; red: -25 crash x"
COURSE = "name: short; segment: a = 30; segment: b = none; segment: c = 20"
GAMES = [
    ("farkle", "starts=seat target=60 entry=20", 2),
    ("farkle", "starts=seat target=60 entry=0 carry_over=off four_and_pair=on", 2),
    ("farkle", "starts=seat target=40 entry=40 one=20 five=10", 2),
    ("rogue", "target=120 war_at=60", 2),
    ("rogue", "target=40 war_at=1 run=9 pairs=1,2,3,4,5,6", 2),
    ("cockroach", "starts=seat target=6", 2),
    ("cockroach", "starts=seat target=5 extra_die=on any_start=on", 2),
    ("cockroach", "starts=seat target=9 duplicates=on shortest=3", 2),
    ("peruke", "games=2", 1),
    ("peruke", "games=1 red_combines=off uses=3", 1),
    ("go500", f"'course={COURSE}' 'dice={DICE}' rerolls=1 penalties=10:1,20:3", 2),
]


def sheet_of(solver: AnySolver, state: Any) -> Sheet[Any]:
    sheet = solver.sheet(state, "win")
    assert sheet is not None
    assert sheet.exact
    return sheet


def value(game: AnyGame, solver: AnySolver, state: Any, seat: int) -> float:
    """The seat's chance to win, from the values of the seat to act."""
    due = game.due(state)
    if isinstance(due, Over):
        winners = due.result.winners
        return (seat in winners) / max(1, len(winners))
    if isinstance(due, ToChoose):
        found = max(all_values(game, state, "win").values())
    else:
        found = sheet_of(solver, state).going(state)
    return found if due.seat == seat else 1.0 - found


@pytest.mark.parametrize("slug, options, players", GAMES)
def test_every_value_is_what_one_look_ahead_gives(slug: str, options: str, players: int) -> None:
    game = load_game(slug, options)
    solver = find_solver(game)
    solver.prepare(players)
    rng = random.Random(f"{slug} {options}")
    rolls_seen = choices_seen = looked_at = 0
    for _ in range(2):
        state = game.start(players)
        while not isinstance(due := game.due(state), Over):
            if isinstance(due, ToChoose):
                worth = all_values(game, state, "win")
                for choice, known in worth.items():
                    after = value(game, solver, game.apply(state, choice), due.seat)
                    assert known == pytest.approx(after, abs=1e-9), game.event_text(choice)
                    choices_seen += 1
                best = max(worth, key=lambda choice: worth[choice])
                reckless = rng.random() < 0.4
                state = game.apply(state, rng.choice(list(worth)) if reckless else best)
                continue
            rolls = game.rolls(state)
            if looked_at < 2_000 or rolls_seen < 4 or rng.random() < 0.01:
                ahead = sum(
                    float(chance) * value(game, solver, game.apply(state, roll), due.seat)
                    for roll, chance in rolls
                )
                here = value(game, solver, state, due.seat)
                assert here == pytest.approx(ahead, abs=1e-9), game.state_text(state)
                rolls_seen += 1
                looked_at += len(rolls)
            weights = [float(chance) for _, chance in rolls]
            state = game.apply(state, rng.choices(rolls, weights)[0][0])
    assert rolls_seen > 3
    assert choices_seen > 20


@pytest.mark.parametrize("slug, options, players", [case for case in GAMES if case[2] == 2])
def test_luck_is_all_there_is_between_two_who_play_their_best(
    slug: str, options: str, players: int
) -> None:
    """Without the luck of its dice, every game ends at the value it started with."""
    game = load_game(slug, options)
    solver = find_solver(game)
    solver.prepare(players)
    start = value(game, solver, game.start(2), 0)
    rng = random.Random(f"luck {slug} {options}")
    for _ in range(2):
        state, luck = game.start(2), 0.0
        while not isinstance(due := game.due(state), Over):
            if isinstance(due, ToChoose):
                worth = all_values(game, state, "win")
                state = game.apply(state, max(worth, key=lambda choice: worth[choice]))
                continue
            rolls = game.rolls(state)
            roll = rng.choices(rolls, [float(chance) for _, chance in rolls])[0][0]
            change = luck_of(game, sheet_of(solver, state), state, roll)
            luck += change if due.seat == 0 else -change
            state = game.apply(state, roll)
        won = (0 in due.result.winners) / len(due.result.winners)
        assert won - luck == pytest.approx(start, abs=1e-8)
