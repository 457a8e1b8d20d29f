import random
from typing import Any

import pytest

from hotdice import game_names, load_game
from hotdice.bots import LEVELS, find_bot, without_thinking
from hotdice.bots.players import UnknownBot
from hotdice.core.game import AnyGame
from hotdice.table.dice_sources import SeededDice
from hotdice.table.sitting import Seat, Sitting
from tests.table.playing import play_out

SHORT = {
    "farkle": "target=100 entry=20",
    "rogue": "target=100 war_at=60",
    "cockroach": "target=8",
    "peruke": "games=2",
    "go500": "'course=name: x; segment: a = 30; segment: b = none' rerolls=1 'dice=name: few; "
    "black: 0 (10); green: flat (20); flag: green green yellow red black; yellow: lights -5; "
    "red: -25 crash x'",
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("slug", game_names())
def test_every_bot_plays_every_game_to_its_end(slug: str, players: int, level: str) -> None:
    game = load_game(slug, SHORT[slug] if level == "perfect" else "")
    players = min(players, game.max_players)
    sitting = Sitting.of(game, [Seat(str(n), level) for n in range(players)], SeededDice("7"))
    assert play_out(sitting).is_over()


def test_unknown_levels_are_refused() -> None:
    with pytest.raises(UnknownBot, match="There is no bot 'genius'; the levels are random, greedy"):
        find_bot("genius")


@pytest.mark.parametrize(
    "slug, options, state, choice",
    [
        ("farkle", "", "scores=200,200 phase=choose tray=111552", "keep 11155 bank"),
        ("farkle", "", "scores=0,0 phase=choose tray=123455", "keep 155 roll"),
        ("rogue", "", "scores=0,0 phase=choose tray=c22345", "keep c22 bank"),
        ("rogue", "", "scores=0,0 phase=choose tray=c23456", "keep c23456 bank"),
        ("cockroach", "", "scores=0,0 phase=choose play=12345", "stop"),
        ("cockroach", "", "scores=0,0 phase=choose play=34455", "reroll 34455"),
        ("cockroach", "extra_die=on", "scores=0,0 phase=drop play=1235 dead=6 drop=1", "drop 5"),
        ("peruke", "", "discs=0,0,0,0,0,0 phase=use tray=1,2,3,4,5,r6", "use r6"),
        ("go500", "", "card=- rerolls=2 out=off", "take black,black,black,black,black,green"),
        (
            "go500",
            "",
            "card=- rerolls=2 out=off phase=judge tray=yellow:lights total=20 rolls=1",
            "accept",
        ),
        (
            "go500",
            "",
            "card=- rerolls=2 out=off phase=judge tray=yellow:-25 total=20 rolls=1",
            "reroll",
        ),
        (
            "go500",
            "",
            "card=- rerolls=1 out=off phase=call blacks=1 tray=black:5,flag:black",
            "reroll",
        ),
    ],
)
def test_greedy_takes_what_it_can(slug: str, options: str, state: str, choice: str) -> None:
    game = load_game(slug, options)
    picked = find_bot("greedy")(game, game.read_state(state), random.Random(1))
    assert game.event_text(picked) == choice


def test_greedy_beats_random_at_farkle() -> None:
    game: AnyGame = load_game("farkle", "target=300")
    wins = 0
    for seed in range(30):
        seats = [Seat("a", "greedy"), Seat("b", "random")]
        sitting = Sitting.of(game, seats, SeededDice(str(seed)))
        due: Any = play_out(sitting).due
        wins += due.result.winners == (0,)
    assert wins > 20


@pytest.mark.parametrize("level", LEVELS)
def test_every_bot_plays_a_third_party_game(toy: str, level: str) -> None:
    sitting = Sitting.of(load_game(toy), [Seat("a", level), Seat("b", "random")], SeededDice("3"))
    assert play_out(sitting).is_over()


@pytest.mark.parametrize(
    "slug, state, choice",
    [
        ("farkle", "scores=200,200 phase=choose total=300 tray=12346 kept=5", "keep 1 bank"),
        ("farkle", "scores=200,200 phase=choose tray=112346", "keep 1 roll"),
        ("farkle", "scores=200,200 phase=offer total=500 kept=1555", "continue"),
        ("cockroach", "scores=0,0 phase=choose play=12345", "stop"),
        ("cockroach", "scores=0,0 phase=choose play=12344", "reroll 4"),
    ],
)
def test_sharp_makes_the_most_points(slug: str, state: str, choice: str) -> None:
    game = load_game(slug)
    picked = find_bot("sharp")(game, game.read_state(state), random.Random(1))
    assert game.event_text(picked) == choice


def test_perfect_plays_to_win_and_sharp_does_not() -> None:
    """Far behind on the last turn, points that cannot win are worthless."""
    game = load_game("farkle", SHORT["farkle"])
    state = game.read_state("scores=60,200 phase=choose total=120 tray=12346 kept=5 closer=1")
    assert find_bot("sharp")(game, state, random.Random(1)).then == "bank"
    assert find_bot("perfect")(game, state, random.Random(1)).then == "roll"


def test_casual_sometimes_errs_but_seldom_badly() -> None:
    game = load_game("farkle", "starts=seat")
    state = game.read_state("scores=200,200 phase=choose tray=112355")
    picked = [
        game.event_text(find_bot("casual")(game, state, random.Random(seed))) for seed in range(200)
    ]
    best = game.event_text(find_bot("sharp")(game, state, random.Random(1)))
    assert 60 < picked.count(best) < 200
    assert picked.count("keep 5 bank") < 5


def test_every_level_that_thinks_has_a_fallback_that_does_not() -> None:
    for name, level in LEVELS.items():
        assert bool(level.instead) == level.thinks, name
        assert not LEVELS[without_thinking(name)].thinks
