"""All rolls of a table, in all of its games."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from hotdice.core.dice import Die, Faces
from hotdice.core.due import ToRoll
from hotdice.core.events import Roll
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat


class Rolled(NamedTuple):
    """A roll at a table.

    Attributes:
        game: the number of the game, from 1.
        seat: the seat that rolled.
        who: who sat there then.
        dice: the dice it had.
        faces: what they show.
    """

    game: int
    seat: int
    who: Seat
    dice: tuple[Die, ...]
    faces: Faces


def rolls_of(setup: Setup, entries: Iterable[Entry]) -> list[Rolled]:
    """The rolls of a log; real dice that were taken back do not count."""
    table, past, game = Table.of(setup), list[Rolled](), list[Rolled]()
    for entry in entries:
        before, table = table, table.add(entry)
        if entry.kind is Kind.GAME:
            past, game = past + game, []
        elif entry.kind is Kind.ROLL:
            game.append(_last_roll(before, table))
        elif entry.kind is Kind.UNDO:
            del game[table.sitting.rolls :]
    return past + game


def _last_roll(before: Table, after: Table) -> Rolled:
    due, event = before.due, after.sitting.moves[-1].event
    if not (isinstance(due, ToRoll) and isinstance(event, Roll)):
        raise TypeError("a roll is only made when one is due")
    return Rolled(before.number, due.seat, before.seats[due.seat], due.dice, event.faces)
