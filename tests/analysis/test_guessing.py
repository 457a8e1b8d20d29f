"""Guessing the chance of a bust: the exact chance, and the player's calibration."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from hotdice import load_game
from hotdice.analysis.guessing import (
    LEAST,
    Guess,
    calibrate,
    find_wager,
    lean_words,
    points,
)
from hotdice.analysis.training import NoPosition
from hotdice.core.due import ToRoll
from hotdice.core.events import Roll
from hotdice.core.game import AnyGame
from hotdice.core.losing import bust_chance
from tests.analysis.games import RACE


def brute_force(game: AnyGame, state: object) -> Fraction:
    """The share of all ways the dice can fall that end the turn with no more than before."""
    due = game.due(state)
    assert isinstance(due, ToRoll)
    had = game.score(state, due.seat) + game.at_stake(state, due.seat)
    lost = ways = 0
    for faces in product(*(die.sides for die in due.dice)):
        after = game.apply(state, Roll(tuple(sorted(faces))))
        next_ = game.due(after)
        ends = getattr(next_, "seat", -1) != due.seat or game.begins_turn(after)
        ways += 1
        lost += ends and game.score(after, due.seat) + game.at_stake(after, due.seat) <= had
    return Fraction(lost, ways)


@pytest.mark.parametrize(
    "slug, options",
    [("farkle", ""), ("cockroach", ""), ("peruke", ""), ("go500", RACE), ("pig", "")],
)
def test_the_chance_is_that_of_every_way_the_dice_can_fall(
    slug: str, options: str, toy: str
) -> None:
    game = load_game(slug, options)
    wager = find_wager(game, "1")
    assert wager == find_wager(load_game(slug, options), "1")
    assert LEAST <= wager.chance <= 1 - LEAST
    assert wager.chance == brute_force(game, wager.state)


@pytest.mark.parametrize(
    "slug, state, chance",
    [
        ("farkle", "scores=0,0", Fraction(5, 216)),
        ("farkle", "scores=0,0 total=35 kept=12225", Fraction(2, 3)),
        ("cockroach", "scores=0,0 dead=666", Fraction(1, 36)),
        ("rogue", "scores=75,169 seat=1 total=12 kept=66", Fraction(0)),
        ("farkle", "scores=0,0 phase=choose tray=123455", Fraction(0)),
    ],
)
def test_known_chances(slug: str, state: str, chance: Fraction) -> None:
    game = load_game(slug)
    assert bust_chance(game, game.read_state(state)) == chance


def test_a_game_without_a_bust_says_why() -> None:
    with pytest.raises(NoPosition, match="In Rogue a poor roll only ends the turn"):
        find_wager(load_game("rogue"), "1")


def test_guesses_are_scored_by_distance() -> None:
    said = (0.4, 0.45, 0.15, 0.9)
    assert [points(Guess(one, 0.4)) for one in said] == [100, 80, 0, 0]


def test_calibration_says_which_way_guesses_lean() -> None:
    found = calibrate([Guess(0.5, 0.4), Guess(0.6, 0.4), Guess(0.1, 0.15), Guess(0.7, 0.8)])
    assert found.guesses == 4
    assert found.error == pytest.approx(0.1125)
    assert found.lean == pytest.approx(0.0375)
    assert [(band.low, band.guesses) for band in found.bands] == [(0.0, 1), (0.4, 2), (0.8, 1)]
    assert [band.lean for band in found.bands] == pytest.approx([-0.05, 0.15, -0.1])
    assert calibrate([]).guesses == 0


@pytest.mark.parametrize(
    "lean, words",
    [
        (0.005, "neither too high nor too low on average"),
        (0.12, "too high by 12 points on average"),
        (-0.07, "too low by 7 points on average"),
    ],
)
def test_leaning_in_words(lean: float, words: str) -> None:
    assert lean_words(lean) == words
