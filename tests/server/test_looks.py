"""Looks for the client: texts follow the options, and a bad look does not stop a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from hotdice.core.errors import BadOption
from hotdice.core.look import PALETTE, BadLook, Look, read_look
from hotdice.server import looks
from hotdice.server.looks import show_look
from tests.toy import Pig


@pytest.fixture(autouse=True)
def _fresh() -> None:
    show_look.cache_clear()
    looks._look.cache_clear()  # noqa: SLF001 - the looks below are not those of the package


def test_texts_name_the_values_of_options() -> None:
    assert "reaches 1,000 " in show_look("farkle").help.goal  # type: ignore[union-attr]
    assert "reaches 250 " in show_look("farkle", "target=250").help.goal  # type: ignore[union-attr]
    with pytest.raises(BadOption):
        show_look("farkle", "target=none")


def test_the_rules_say_what_the_chart_does_not() -> None:
    chart = {row.words: row.points for row in show_look("farkle", "three_ones=77").chart}
    assert chart["three 1s"] == ["77"]
    assert chart["a straight"] == ["100"]
    rows = show_look("rogue").chart
    assert [(row.words, row.points) for row in rows if "rogue" in row.words] == [
        ("a pair with a rogue", ["doubled"])
    ]
    assert rows[0].times == [2, 3, 4, 5, 6]
    assert rows[0].points == ["4", "20", "100", "500", "1,300"]


def test_dice_that_the_rules_do_not_have_are_left_out() -> None:
    dice = "name: small; black: 0 5; green: flat 10; flag: green red; yellow: -5; red: -25"
    shown = show_look("go500", f"dice='{dice}'")
    assert shown.sample == []


def test_a_game_without_a_look_is_plain(toy: str) -> None:
    shown = show_look(toy)
    assert shown.surface == "felt"
    assert shown.light == {role: colours[0] for role, colours in PALETTE.items()}
    assert shown.help is None


def test_a_third_party_can_ship_a_look(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    look = read_look('surface = "tiles"\nchart = [{ dice = ["6"] }]', lambda _name: "")
    monkeypatch.setattr(Pig, "look", classmethod(lambda _cls: look))
    shown = show_look(toy)
    assert shown.surface == "tiles"
    assert len(shown.chart[0].dice) == 1


@pytest.mark.parametrize(
    "text", ['surface = "grass"', 'help = {goal = "{no}", turn = "b", danger = "c"}']
)
def test_a_bad_look_is_logged_and_replaced(
    toy: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    def look(_cls: type[Pig]) -> Look:
        return read_look(text, lambda name: Path(name).read_text("utf-8"))

    monkeypatch.setattr(Pig, "look", classmethod(look))
    assert show_look(toy).surface == "felt"
    assert "the look of pig cannot be used" in caplog.text


def test_a_look_that_names_an_option_that_does_not_exist_is_bad() -> None:
    with pytest.raises(BadLook):
        looks._filled(Pig(), "{nothing}")  # noqa: SLF001 - looking inside
