import random
from typing import Any

import pytest

from hotdice import game_names, load_game
from hotdice.bots import LEVELS, find_bot
from hotdice.bots.players import UnknownBot
from hotdice.core.game import AnyGame
from hotdice.table.dice import SeededDice
from hotdice.table.sitting import Seat, Sitting
from tests.table.playing import play_out


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("slug", game_names())
def test_every_bot_plays_every_game_to_its_end(slug: str, level: str) -> None:
    game = load_game(slug)
    players = max(2, game.min_players) if game.max_players > 1 else 1
    sitting = Sitting(game, [Seat(str(n), level) for n in range(players)], SeededDice("7"))
    play_out(sitting)
    assert sitting.is_over()


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
        sitting = Sitting(game, seats, SeededDice(str(seed)))
        play_out(sitting)
        due: Any = sitting.due()
        wins += due.result.winners == (0,)
    assert wins > 20
