"""The set-up of a table."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hotdice import game_names, game_type
from hotdice.core.due import ToChoose
from hotdice.core.errors import BadSetup, HotDiceError, UnreadableText
from hotdice.table.commands import auto_roll
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tests.table.playing import FARKLE


def test_a_set_up_round_trips_as_one_line() -> None:
    setup = Setup(
        "go500", "course=pass", (Seat("Zoë <b>"), Seat("B", "sharp")), clock=60, open=(0,)
    )
    assert Setup.read(setup.text()) == setup
    assert "\n" not in setup.text()
    for text in ("", "{}", "[]", "null", '{"game": 1}', '{"seats": [{"who": 1}]}'):
        with pytest.raises(UnreadableText):
            Setup.read(text)


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"game": "chess"}, HotDiceError),
        ({"options": "target=2"}, HotDiceError),
        ({"seats": (Seat("Ann"),)}, BadSetup),
        ({"seats": (Seat("Ann"), Seat("ann"))}, BadSetup),
        ({"seats": (Seat("Ann"), Seat(""))}, HotDiceError),
        ({"seats": (Seat("Ann"), Seat("B", "genius"))}, BadSetup),
        ({"dice": "loaded"}, BadSetup),
        ({"clock": -1}, BadSetup),
        ({"first": 2}, BadSetup),
        ({"series": -1}, BadSetup),
        ({"open": (2,)}, BadSetup),
        ({"open": (1,), "seats": (Seat("Ann"), Seat("B", "sharp"))}, BadSetup),
    ],
)
def test_impossible_set_ups_are_refused(wrong: dict[str, object], error: type) -> None:
    with pytest.raises(error):
        replace(FARKLE, **wrong).checked()  # type: ignore[arg-type]
    assert FARKLE.checked() == FARKLE


@pytest.mark.parametrize("slug", game_names())
def test_whoever_plays_now_begins(slug: str) -> None:
    """For some dice the first seat has a choice after the first roll: it is none for the start."""
    kind = game_type(slug)
    options = kind.options_type.read_values(kind.quick).text()
    seats = (Seat("Ann"), Seat("Casimir", "casual"))[: kind.max_players]
    setups = [Setup(slug, options, seats, seed=seed).checked() for seed in "12345678"]
    begun = [auto_roll(Table.of(setup), 0.0).table for setup in setups]
    assert any(table.due == ToChoose(0) and table.seq <= 1 for table in begun)
