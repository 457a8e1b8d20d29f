"""All rolls of a table."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from hotdice.core.events import Roll
from hotdice.table.bots import play_bots
from hotdice.table.commands import Choose, Rematch, RollDice, SitIn, Undo
from hotdice.table.log import Table
from hotdice.table.rolled import rolls_of
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tests.table import devices
from tests.table.playing import FARKLE

BOTS = Setup(
    "farkle",
    "starts=seat entry=0 target=200",
    (Seat("Ann", "greedy"), Seat("Ben", "random")),
    seed="rolled",
)


def played(table: Table) -> Table:
    """The table when bots have nothing more to do."""
    while (after := play_bots(table, 0.0)).entries:
        table = after.table
    return table


def test_rolls_of_all_games_are_found() -> None:
    first = played(Table.of(BOTS.checked()))
    assert first.sitting.is_over()
    table = played(Rematch(0, first.seq).on(first, 0.0).table)
    found = rolls_of(table.setup, table.entries)
    assert [one.game for one in found] == sorted(one.game for one in found)
    assert sum(one.game == 1 for one in found) == first.sitting.rolls
    assert sum(one.game == 2 for one in found) == table.sitting.rolls > 0
    assert {one.who.name for one in found} == {"Ann", "Ben"}
    assert all(len(one.dice) == len(one.faces) for one in found)


def test_a_bot_that_sits_in_rolls_for_itself() -> None:
    table = Table.of(FARKLE.checked())
    table = RollDice(0, "", table.seq).on(table, 0.0).table
    for seat in (0, 1):
        table = SitIn(seat, "greedy").on(table, 0.0).table
    table = played(table)
    mine = [one.who.bot for one in rolls_of(table.setup, table.entries) if one.seat == 0]
    assert mine[0] == ""
    assert set(mine[1:]) == {"greedy"}


def test_real_dice_that_were_taken_back_do_not_count() -> None:
    table = Table.of(replace(FARKLE, dice="typed", seed="").checked())
    for text in ("112346", "112345"):
        table = RollDice(0, text, table.seq).on(table, 0.0).table
        if text == "112346":
            table = Undo(0, table.seq).on(table, 0.0).table
    assert [one.faces for one in rolls_of(table.setup, table.entries)] == [(1, 1, 2, 3, 4, 5)]
    table = Choose(0, "keep 11 roll", table.seq).on(table, 0.0).table
    table = RollDice(0, "2346", table.seq).on(table, 0.0).table
    assert len(rolls_of(table.setup, table.entries)) == 2


def test_verified_dice_are_found_too() -> None:
    ann, ben = devices.Device("ann", 0), devices.Device("ben", 1)
    table = ben.announced(ann.announced(devices.begun()))
    table = devices.played(table, (ann, ben), Random("rolled"))
    found = rolls_of(table.setup, table.entries)
    events = [event.faces for event in table.sitting.events if isinstance(event, Roll)]
    assert [one.faces for one in found] == events != []
