"""No bot rolls dice for nothing."""

import random
import re

import pytest

from hotdice import load_game
from hotdice.bots import LEVELS
from hotdice.bots.sensible import sensible
from hotdice.core.due import Over, ToChoose
from hotdice.solve.coach import all_values
from tests.solve.test_bellman import GAMES

RACING = "card=-/- rerolls=0,0 out=off,off phase=call"
SHORT = {
    "farkle": "starts=seat target=100 entry=20",
    "rogue": "target=100 war_at=60",
    "cockroach": "starts=seat target=6",
    "peruke": "games=2",
}

FEW = "'course=name: x; segment: a = none; segment: b = none' rerolls=2 "
FEW += "'dice=name: few; black: 0 (10); green: flat (20); flag: green green yellow red black; "
FEW += "yellow: lights -5; red: -25 crash x'"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "slug, options, state, pointless",
    [
        # The sequence is complete, or as long as the dice in play allow.
        ("cockroach", "", "scores=0,0 phase=choose play=12345", "reroll .*"),
        ("cockroach", "", "scores=0,0 phase=choose play=123 dead=66", "reroll .*"),
        # A die that fits is re-rolled while a spare one stays.
        ("cockroach", "", "scores=0,0 phase=choose play=23445", "reroll 5"),
        ("cockroach", "", "scores=0,0 phase=choose play=12344", "reroll 1"),
        # The game is won by stopping, banking or declining.
        ("cockroach", "", "scores=5,6 phase=choose play=1235 dead=6 closer=1", "reroll .*"),
        (
            "farkle",
            "",
            "scores=100,120 phase=choose total=30 tray=15 kept=1155 closer=1",
            ".* roll",
        ),
        ("rogue", "", "scores=100,110 seat=1 phase=choose tray=c24455", ".* roll"),
        ("rogue", "", "scores=100,110 seat=1 phase=extra", "again"),
        # Fewer points with the same dice to roll.
        ("farkle", "", "scores=40,40 phase=choose tray=152346", "keep 5 roll"),
        ("rogue", "", "scores=40,40 phase=choose tray=225566", "keep 22 roll"),
        # The dice or the penalty cannot be better.
        (
            "go500",
            FEW,
            "card=-/- rerolls=2,2 out=off,off phase=judge tray=yellow:lights rolls=1",
            "reroll",
        ),
        (
            "go500",
            FEW,
            "card=-/- rerolls=2,2 out=off,off phase=call blacks=1 tray=black:10,flag:green",
            "reroll",
        ),
        # A high die is rolled again and a low one of the same kind is locked.
        (
            "go500",
            FEW,
            f"{RACING} blacks=2 greens=1 tray=black:0,black:10,green:20,flag:green",
            "lock black:0,green:20",
        ),
    ],
)
def test_no_bot_rolls_for_nothing(
    slug: str, options: str, state: str, pointless: str, level: str
) -> None:
    game = load_game(slug, options or SHORT[slug])
    at = game.read_state(state)
    texts = [game.event_text(choice) for choice in game.choices(at)]
    assert any(re.fullmatch(pointless, text) for text in texts)
    for seed in range(30):
        text = game.event_text(LEVELS[level].play(game, at, random.Random(seed)))
        assert not re.fullmatch(pointless, text), text


@pytest.mark.parametrize("slug, options, players", GAMES)
def test_what_is_pointless_is_worth_no_more_than_the_rest(
    slug: str, options: str, players: int
) -> None:
    game = load_game(slug, options)
    rng = random.Random(f"{slug} {options}")
    for _ in range(8):
        state = game.start(players)
        while not isinstance(due := game.due(state), Over):
            if not isinstance(due, ToChoose):
                rolls = game.rolls(state)
                state = game.apply(state, rng.choices(rolls, [float(p) for _, p in rolls])[0][0])
                continue
            worth = all_values(game, state, "points")
            kept = sensible(game, state)
            won = any(isinstance(game.due(game.apply(state, choice)), Over) for choice in kept)
            if not won:
                best = max(worth[choice] for choice in kept)
                assert best == pytest.approx(max(worth.values()), abs=1e-9), game.state_text(state)
            state = game.apply(state, rng.choice(list(worth)))


@pytest.mark.parametrize(
    "slug, state",
    [
        # Another turn is to come: more points may be needed to win.
        ("farkle", "scores=90,80,120 phase=choose total=30 tray=15 kept=1155 closer=2"),
        # Alone, the end of the game is no win against anybody.
        ("peruke", "discs=0,0,0,0,0,1 past=5 round=6 phase=use tray=r6"),
    ],
)
def test_choices_are_not_pointless_while_they_may_matter(slug: str, state: str) -> None:
    game = load_game(slug, SHORT[slug])
    at = game.read_state(state)
    assert {choice.then or choice.verb for choice in sensible(game, at)} == {
        choice.then or choice.verb for choice in game.choices(at)
    }
