"""Dice lie aside in the sets in which they were put there."""

from __future__ import annotations

from hotdice.core.registry import load_game
from hotdice.table.aside import groups_of
from hotdice.table.dice_sources import TypedDice
from hotdice.table.sitting import Seat, Sitting


def groups(slug: str, options: str, *texts: str) -> list[tuple[list[str], int]]:
    """The sets aside after these events, as tokens and points."""
    game = load_game(slug, options)
    seats = [Seat("Ann"), Seat("Ben")]
    events = [game.read_event(text) for text in texts]
    sitting = Sitting.of(game, seats, TypedDice(), events=events)
    found = groups_of(game, sitting.moves, len(sitting.moves))
    return [([die.token for die in group.dice], group.points) for group in found]


FARKLE = "starts=seat entry=0"


def test_each_keep_is_a_group() -> None:
    kept = ("115234", "keep 11 roll", "5236", "keep 5 roll")
    assert groups("farkle", FARKLE, *kept[:1]) == []
    assert groups("farkle", FARKLE, *kept[:2]) == [(["1", "1"], 20)]
    assert groups("farkle", FARKLE, *kept) == [(["1", "1"], 20), (["5"], 5)]


def test_hot_dice_and_a_new_turn_leave_nothing_aside() -> None:
    assert groups("farkle", FARKLE, "111555", "keep 111555 roll") == []
    assert groups("farkle", f"{FARKLE} carry_over=off", "115234", "keep 11 bank") == []


def test_dice_on_offer_keep_their_groups() -> None:
    banked = ("115234", "keep 11 bank")
    assert groups("farkle", FARKLE, *banked) == []  # Ben has no points yet: nothing is on offer
    assert groups("farkle", FARKLE, *banked, *banked) == [(["1", "1"], 20)]
    assert groups("farkle", FARKLE, *banked, *banked, "continue") == [(["1", "1"], 20)]
    assert groups("farkle", FARKLE, *banked, *banked, "fresh") == []


def test_rolls_stay_apart_in_rogue() -> None:
    events = ("44c236", "keep c44 roll", "446", "keep 44 roll")
    assert groups("rogue", "", *events) == [(["c", "4", "4"], 16), (["4", "4"], 8)]
