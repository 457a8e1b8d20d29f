"""A third party's game works without any change to Hot Dice."""

import random

import pytest

from hotdice import UnknownGame, conformance, game_names, load_game
from tests.toy import Pig


def test_it_is_unknown_until_it_is_installed() -> None:
    assert "pig" not in game_names()
    with pytest.raises(UnknownGame):
        load_game("pig")


def test_it_is_found_by_its_entry_point(toy: str) -> None:
    assert toy in game_names()
    assert load_game(toy, "target=30").options.text() == "target=30"


def test_it_passes_the_conformance_suite(toy: str) -> None:
    conformance.check_game(load_game(toy), random.Random(1))


def test_it_passes_the_conformance_suite_with_a_look_of_its_own(painted_toy: str) -> None:
    conformance.check_game(load_game(painted_toy), random.Random(1), games=1)


def test_it_can_be_checked_before_it_is_installed() -> None:
    conformance.check_game(Pig(), random.Random(1))
