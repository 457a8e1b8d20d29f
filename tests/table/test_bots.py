"""Bots at a table, driven from outside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hotdice.core.due import Over
from hotdice.table.bots import bot_choice, bot_turn, play_bots, play_turn, thought_of
from hotdice.table.commands import SitIn, auto_roll
from hotdice.table.log import Table
from hotdice.table.sitting import Seat
from tests.table.playing import FARKLE, committed

BOTS = replace(FARKLE, seats=(Seat("A", "greedy"), Seat("B", "random")))


def test_a_turn_is_the_same_wherever_its_choices_are_computed() -> None:
    table = auto_roll(Table.of(BOTS), 0.0).table
    turn = bot_turn(table, 1.0)
    thought, level = next(turn), table.bot_due()
    assert thought == thought_of(table.sitting, level)
    found = None
    while found is None:
        assert thought.level == level
        try:
            thought = turn.send(thought.choice())
        except StopIteration as ended:
            found = ended.value
    assert found == play_turn(table, 1.0)
    after = committed(table, found)
    assert {entry.seat for entry in after.entries[table.seq :] if entry.kind == "choose"} == {0}


def test_bots_play_until_a_person_has_to_act() -> None:
    over = play_bots(Table.of(BOTS), 0.0).table
    assert isinstance(over.due, Over)
    assert play_turn(over, 0.0) == ([], over)
    table = SitIn(0, "greedy").on(auto_roll(Table.of(FARKLE), 0.0).table, 0.0).table
    after = play_bots(table, 0.0).table
    assert not isinstance(after.due, Over)
    assert after.due.seat == 1
    assert bot_choice(after.sitting) is None


def test_a_bot_whose_game_is_not_solved_does_not_play_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.table.bots.is_ready", lambda *_: False)
    table = auto_roll(Table.of(BOTS), 0.0).table
    assert play_bots(table, 0.0).entries == []
