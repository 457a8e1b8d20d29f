"""A table as a message."""

from __future__ import annotations

import json

import pytest

from hotdice.core.due import Over
from hotdice.core.registry import game_names, game_type
from hotdice.server.clocks import Timepiece
from hotdice.server.live import Live, Visitor, hashed
from hotdice.server.messages import TableShown
from hotdice.server.tables import show_table, table_json
from hotdice.storage import Key, Stored
from hotdice.table.commands import begin_table
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tests.server.hubs import next_command

_STILL = Timepiece(wall=lambda: 5.0, steady=lambda: 7.0)
_KEY = Key(hashed("a secret"))


def _lives(setup: Setup) -> list[Live]:
    """A table as it began, and after a whole game, or as far as it gets without devices."""
    table = begin_table(Table.of(setup.checked()), 1.0).table
    tables = [table]
    while not isinstance(table.due, Over) and table.drawing is None:
        table = next_command(table).on(table, float(table.seq)).table
    tables.append(table)
    return [
        Live.of(Stored("t", one.setup, _KEY, {0: _KEY}, 1.0, tuple(one.entries)), _STILL)
        for one in tables
    ]


@pytest.mark.parametrize("dice", ["seeded", "verified"])
@pytest.mark.parametrize("slug", game_names())
def test_the_json_of_a_table_is_that_of_its_message(slug: str, dice: str) -> None:
    seats = (Seat("Ann"), Seat("Ben"))[: game_type(slug).max_players]
    for live in _lives(Setup(slug, "", seats, dice=dice, seed="7", clock=60)):
        for seen in {0, live.table.seq // 2, live.table.seq}:
            for visitor in (Visitor(["a secret"]), Visitor()):
                said = table_json(live, visitor, seen, "The disk is full.")
                shown = show_table(live, visitor, seen, "The disk is full.")
                assert json.loads(said) == json.loads(shown.model_dump_json())
                assert TableShown.model_validate_json(said).log == shown.log
