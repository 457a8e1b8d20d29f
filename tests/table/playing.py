"""Helpers for tests with tables and sittings."""

from __future__ import annotations

from hotdice.core.due import ToChoose
from hotdice.table.bots import bot_choice, play_bots
from hotdice.table.commands import Choose
from hotdice.table.log import Next, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat, Sitting

FARKLE = Setup("farkle", "starts=seat", (Seat("Ann"), Seat("Ben")), seed="table")


def play_out(sitting: Sitting) -> Sitting:
    """Let bots play to the end."""
    while not sitting.is_over():
        event = bot_choice(sitting) or sitting.throw()
        assert event is not None
        sitting = sitting.played(event)
    return sitting


def committed(table: Table, after: Next) -> Table:
    """The table after its new entries, which are parsed from their text as in another process."""
    for entry in after.entries:
        table = table.add(entry)
    assert table == after.table
    return table


def matches_its_log(table: Table) -> bool:
    """Whether replaying the log gives the same table."""
    return Table.of(table.setup, table.entries) == table


def play_until_bank(table: Table) -> Table:
    """Let the first seat play until another has to act."""
    table = committed(table, play_bots(table, 0.0))
    while isinstance(due := table.due, ToChoose) and due.seat == 0:
        choices = table.game.choices(table.state)
        banks = [choice for choice in choices if choice.then == "bank"]
        text = table.game.event_text((banks or list(choices))[0])
        table = committed(table, Choose(0, text, table.seq).on(table, 0.0))
    return table
