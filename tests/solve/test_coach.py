"""The coach: ranks every choice with its cost and a reason, even before anything is solved."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from hotdice import load_game
from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame
from hotdice.solve.coach import (
    Counsel,
    NothingToAdvise,
    _explain,
    advise,
    all_values,
    cost_words,
    prepare,
    ready,
)
from hotdice.solve.finding import find_solver
from tests.toy.solver import PigSolver

STATES = [
    ("farkle", "", "scores=300,450 phase=choose tray=112355"),
    ("farkle", "", "scores=300,450,100 phase=offer total=35 kept=155"),
    ("farkle", "", "scores=0,450 phase=choose tray=123346"),
    ("rogue", "", "scores=0,0 phase=choose tray=c22345"),
    ("rogue", "", "scores=1900,1500 phase=extra"),
    ("cockroach", "", "scores=3,9 phase=choose play=12455"),
    ("cockroach", "extra_die=on", "scores=0,0 phase=drop play=1235 dead=6 drop=1"),
    ("peruke", "", "discs=0,0,1,2,0,0 round=3 phase=use tray=1,1,3,r3"),
    ("go500", "", "card=- rerolls=2 out=off"),
    ("go500", "course=streets", "card=-/- rerolls=2,1 out=off,off"),
    ("go500", "", "card=- rerolls=2 out=off phase=judge tray=yellow:-25 total=20 rolls=1"),
    (
        "go500",
        "course=pass",
        "card=50/20 rerolls=2,2 out=off,off segment=1 phase=call blacks=1 tray=black:5,flag:green",
    ),
]


@pytest.fixture
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path))
    monkeypatch.setattr("hotdice.solve.finding._made", {})


@pytest.mark.usefixtures("_empty_cache")
@pytest.mark.parametrize("slug, options, text", STATES)
def test_every_choice_is_ranked_with_a_reason_before_anything_is_solved(
    slug: str, options: str, text: str
) -> None:
    game = load_game(slug, options)
    state = game.read_state(text)
    advice = advise(game, state)
    assert advice.exact
    assert advice.objective == "points"
    assert {counsel.choice for counsel in advice.counsels} == set(game.choices(state))
    values = [counsel.value for counsel in advice.counsels]
    assert values == sorted(values, reverse=True)
    assert advice.best.cost == 0
    for counsel in advice.counsels:
        assert counsel.cost == pytest.approx(values[0] - counsel.value)
        assert counsel.why.endswith(".")
        assert not re.search(r"gives up 0[.0]* |\.\d\d", counsel.why)
        assert all(0 < odds.chance <= 1 for odds in counsel.odds)


@pytest.mark.usefixtures("_empty_cache")
def test_chances_to_win_need_a_solution() -> None:
    game = load_game("farkle")
    assert not ready(game, 2)
    with pytest.raises(NothingToAdvise, match="hotdice solve farkle"):
        advise(game, game.read_state(STATES[0][2]), "win")


def test_nothing_is_advised_while_dice_are_due() -> None:
    game = load_game("rogue")
    with pytest.raises(NothingToAdvise):
        advise(game, game.start(2))


def test_expected_points_of_a_farkle_turn_agree_with_a_calculation_by_hand() -> None:
    """With 400 at stake one die is rolled for 5 or 10 more and six dice, or all is lost."""
    game = load_game("farkle", "starts=seat")
    state = game.read_state("scores=100,100 phase=choose total=400 tray=15 kept=1115")
    worth = {
        game.event_text(counsel.choice): counsel.value
        for counsel in advise(game, state, "points").counsels
    }
    assert worth["keep 1 bank"] == 410
    assert worth["keep 5 bank"] == 405
    assert worth["keep 15 bank"] == 415
    assert worth["keep 15 roll"] > 415
    # After keeping the 1 (410) the last die shows a 1 (420, six dice) or a 5 (415, six dice).
    assert worth["keep 1 roll"] == pytest.approx((_hot(game, 420) + _hot(game, 415)) / 6)


def _hot(game: AnyGame, total: int) -> float:
    """The better of rolling six dice again and banking, with a total at stake."""
    state = game.read_state(f"scores=100,100 phase=choose total={total - 10} tray=1 kept=11155")
    return max(all_values(game, state, "points").values())


def test_odds_of_a_farkle_roll() -> None:
    game = load_game("farkle", "starts=seat")
    state = game.read_state("scores=100,110 phase=choose tray=112346")
    odds = {
        game.event_text(counsel.choice): {one.name: one.chance for one in counsel.odds}
        for counsel in advise(game, state, "points").counsels
    }
    assert odds["keep 11 bank"] == {}
    assert odds["keep 11 roll"]["farkle"] == pytest.approx(17 / 108)
    assert odds["keep 1 roll"]["farkle"] == pytest.approx(25 / 324)
    assert 0.5 < odds["keep 1 roll"]["to pass the leader this turn"] < 1


SMALL = {
    "farkle": "starts=seat target=100 entry=20",
    "rogue": "target=100 war_at=60",
    "cockroach": "starts=seat target=8",
    "go500": "'course=name: x; segment: a = 30; segment: b = none' rerolls=1 'dice=name: few; "
    "black: 0 (10); green: flat (20); flag: green green yellow red black; yellow: lights -5; "
    "red: -25 crash x'",
}


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("slug", SMALL)
def test_advice_is_given_throughout_a_game(slug: str, players: int) -> None:
    game = load_game(slug, SMALL[slug])
    assert prepare(game, players)
    rng = Random(f"{slug} {players}")
    state = game.start(players)
    while not isinstance(due := game.due(state), Over):
        if isinstance(due, ToChoose):
            advice = advise(game, state)
            assert advice.objective == "win"
            assert advice.exact or players > 2
            assert all(-1e-9 <= counsel.value <= 1 + 1e-9 for counsel in advice.counsels)
            state = game.apply(state, rng.choice(advice.counsels[:3]).choice)
        else:
            rolls = game.rolls(state)
            weights = [float(chance) for _, chance in rolls]
            state = game.apply(state, rng.choices(rolls, weights)[0][0])


def test_estimates_for_three_players_are_exact_where_the_game_is_decided() -> None:
    """The last of three to move wins for certain by banking enough."""
    game = load_game("farkle", SMALL["farkle"])
    prepare(game, 3)
    state = game.read_state("scores=150,60,100 seat=2 phase=choose total=60 tray=112346 closer=0")
    worth = {game.event_text(c): v for c, v in all_values(game, state, "win").items()}
    assert worth["keep 11 bank"] == pytest.approx(1)
    assert worth["keep 1 bank"] == pytest.approx(1)
    assert worth["keep 1 roll"] < 1


@pytest.mark.parametrize(
    "slug, options, text, choice, value",
    [
        ("farkle", "", "scores=150,60,100 seat=2 phase=choose total=40 tray=123 kept=255 closer=0",
         "keep 1 bank", 1 / 2),
        ("farkle", "", "scores=150,150,100 seat=2 phase=choose total=40 tray=123 kept=255 closer=0",
         "keep 1 bank", 1 / 3),
        ("cockroach", "", "scores=9,4,5 seat=2 phase=choose play=1234 dead=6 closer=0",
         "stop", 1 / 2),
        ("cockroach", "", "scores=9,9,5,6 seat=3 phase=choose play=123 dead=66 closer=0",
         "stop", 1 / 3),
        ("cockroach", "", "scores=9,9,5,7 seat=3 phase=choose play=123 dead=66 closer=0",
         "stop", 1),
    ],
)  # fmt: skip
def test_the_value_of_a_tie_is_exact_for_the_last_player_to_move(
    slug: str, options: str, text: str, choice: str, value: float
) -> None:
    game = load_game(slug, SMALL[slug])
    prepare(game, 3)
    advice = advise(game, game.read_state(text))
    assert advice.exact
    found = {game.event_text(counsel.choice): counsel.value for counsel in advice.counsels}
    assert found[choice] == pytest.approx(value)


def test_odds_of_a_rogue_roll() -> None:
    """A pair with the last two dice, or a rogue with the last one, can be kept."""
    game = load_game("rogue")
    for text, dice in [("tray=3556 kept=22 total=4", 2), ("tray=c22345", 3), ("tray=223456", 4)]:
        state = game.read_state(f"scores=500,0 phase=choose {text}")
        chances = {5 / 9: 2, 5 / 18: 3, 5 / 54: 4}
        shown = [
            one.chance
            for counsel in advise(game, state, "points").counsels
            for one in counsel.odds
            if one.name == "bad roll" and counsel.meaning.left == dice
        ]
        assert shown
        assert all(chances[min(chances, key=lambda c: abs(c - x))] == dice for x in shown)
        assert all(min(abs(c - x) for c in chances) < 1e-12 for x in shown)


@pytest.mark.parametrize(
    "slug, turn",
    [
        ("farkle", "phase=choose tray=112346"),
        ("rogue", "phase=choose tray=c22345"),
        ("cockroach", "phase=choose play=11334"),
    ],
)
def test_nobody_is_passed_where_nobody_leads(slug: str, turn: str) -> None:
    game = load_game(slug, "starts=seat" if slug != "rogue" else "")
    some = 4 if slug == "cockroach" else 400
    for scores, passes in {
        "0,0": False,
        f"{some},{some},0": False,
        f"{some},0": False,
        f"0,{some}": True,
    }.items():
        state = game.read_state(f"scores={scores} {turn}")
        told = {one.name for c in advise(game, state, "points").counsels for one in c.odds}
        assert ("to pass the leader this turn" in told) == passes, scores


def test_the_odds_of_a_cockroach_come_first() -> None:
    """The first odds are those on the button: what a re-roll may cost."""
    game = load_game("cockroach", "starts=seat")
    state = game.read_state("scores=0,0 phase=choose play=11334")
    for counsel in advise(game, state, "points").counsels:
        dice = counsel.meaning.left
        if counsel.meaning.ends_turn:
            assert counsel.odds == ()
        else:
            assert counsel.odds[0].name == "cockroach"
            assert counsel.odds[0].chance == pytest.approx(1 - (5 / 6) ** dice)


def test_where_a_choice_follows_there_are_no_odds_of_a_roll() -> None:
    """Nobody has to re-roll after giving up a die."""
    game = load_game("cockroach", "starts=seat extra_die=on")
    state = game.read_state("scores=0,0 phase=drop play=1235 dead=6 drop=1")
    assert {counsel.odds for counsel in advise(game, state, "points").counsels} == {()}


def test_a_game_that_is_not_solved_is_estimated(toy: str) -> None:
    game = load_game(toy, "target=31")
    state = game.read_state("scores=30,0 phase=choose total=4 tray=4")
    advice = advise(game, state)
    assert not advice.exact
    assert game.event_text(advice.best.choice) == "hold"
    assert advice.best.value == 1
    assert advise(game, state) == advice


def test_a_third_partys_solver_is_found(solved_toy: str) -> None:
    """A game that names a solver for banking races is solved by it."""
    game = load_game(solved_toy, "target=33")
    assert isinstance(find_solver(game), PigSolver)
    assert prepare(game, 2)
    state = game.read_state("scores=12,20 phase=choose total=18 tray=4")
    advice = advise(game, state)
    assert (advice.exact, advice.objective) == (True, "win")
    assert {odds.name for one in advice.counsels for odds in one.odds} == {
        "bust",
        "to pass the leader this turn",
    } or len(advice.counsels) == 2
    three = advise(game, game.read_state("scores=12,20,5 phase=choose total=18 tray=4"))
    assert (three.exact, three.objective) == (False, "win")


@pytest.mark.parametrize(
    ("cost", "objective", "words"),
    [
        (0.0, "points", "0.0 points"),
        (0.04, "points", "less than 0.1 points"),
        (1234.56, "points", "1,234.6 points"),
        (0.0, "win", "0.00 %"),
        (0.00004, "win", "less than 0.01 %"),
        (0.031, "win", "3.10 %"),
    ],
)
def test_a_small_cost_is_not_shown_as_none(cost: float, objective: str, words: str) -> None:
    assert cost_words(cost, objective) == words


@pytest.mark.parametrize(
    ("values", "objective", "words"),
    [
        ((0.49, 0.4668, 0.31), "win", "2 %"),
        ((0.49, 0.4868, 0.31), "win", "less than 1 %"),
        ((0.49, 0.4668, 0.45), "win", "2.3 %"),
        ((0.49, 0.4899, 0.45), "win", "less than 0.1 %"),
        ((1500.0, 265.4, 0.0), "points", "1,235 points"),
        ((1500.0, 1499.2, 0.0), "points", "1 point"),
        ((1500.0, 1499.7, 0.0), "points", "less than 1 point"),
        ((4.5, 3.5, 0.0), "points", "1.0 points"),
    ],
)
def test_a_cost_is_as_exact_as_the_values_beside_it(
    values: tuple[float, float, float], objective: str, words: str
) -> None:
    game = load_game("farkle")
    state = game.read_state("scores=100,100 seat=0 phase=offer total=100 kept=111")
    choice, meaning = game.choices(state)[0], game.meaning(state, game.choices(state)[0])
    found = [Counsel(choice, meaning, one, values[0] - one, (), "") for one in values]
    assert _explain(found, objective)[1].why.startswith(f"It gives up {words}")
