"""A table in the words of the wire."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from hotdice.core.dice import Die
from hotdice.core.events import Roll
from hotdice.core.game import Over, ToRoll
from hotdice.core.view import Place
from hotdice.server.messages import (
    DieDue,
    EntryShown,
    FaceShown,
    LogLine,
    News,
    ResultShown,
    SeatShown,
    Status,
)
from hotdice.table.log import Entry, Table

_TOLD = {
    "undo": "takes that back",
    "game": "starts another game",
    "join": "sits down",
}


def show_news(table: Table, entries: Iterable[Entry]) -> News:
    """Entries with what they mean; the table is brought from before them to after them."""
    entries = list(entries)
    shown = [_show_entry(table, entry, last=entry is entries[-1]) for entry in entries]
    return News.model_construct(entries=shown, status=show_status(table))


def _show_entry(table: Table, entry: Entry, *, last: bool) -> EntryShown:
    game, before = table.game, table.state
    table.add(entry)
    after = table.state
    rolled, ends_turn = (), False
    if entry.kind in ("roll", "choose"):
        event = table.sitting.last
        ends_turn = game.turn_over(before, event, after)
        if isinstance(event, Roll):
            rolled = game.dice_view(event.faces, Place.TRAY)
    return EntryShown.model_construct(
        **vars(line_of(table, before, entry)),
        text=entry.text,
        rolled=rolled,
        ends_turn=ends_turn,
        # What could be chosen in between has been chosen already.
        view=game.view(after) if last else game.show(after),
    )


def line_of(table: Table, before: Any, entry: Entry) -> LogLine:
    """What an entry, just added to a table, means in a sentence."""
    told = _told(table, before, entry)
    return LogLine.model_construct(
        seq=entry.seq, kind=entry.kind, seat=entry.seat, at=entry.at, told=told
    )


def _told(table: Table, before: Any, entry: Entry) -> str:
    names = table.names
    if entry.kind in ("roll", "choose"):
        return table.game.tell(before, table.sitting.last, table.state, names)
    name = names[entry.seat]
    if entry.kind == "say":
        return f"{name}: {entry.text}"
    if entry.kind == "sit":
        return f"A {entry.text} bot sits in for {name}." if entry.text else f"{name} is back."
    return f"{name} {_TOLD[entry.kind]}."


def show_status(table: Table) -> Status:
    """How a table stands, the picture apart."""
    due = table.due()
    result = due.result if isinstance(due, Over) else None
    rolling = isinstance(due, ToRoll) and table.setup.dice == "typed"
    return Status.model_construct(
        seq=table.seq,
        game=table.number,
        due=due_word(table),
        seat=None if isinstance(due, Over) else due.seat,
        rolling=[_die(die) for die in due.dice] if rolling else [],  # type: ignore[union-attr]
        result=result and show_result(result),
        wins=table.wins(),
        champions=table.champions(),
        deadline=table.deadline(),
        moved=table.moved(),
        undoer=table.sitting.undoer(),
        seats=[
            SeatShown.model_construct(
                name=seat.name,
                bot=seat.bot,
                open=number in table.waiting,
                person=number in table.people,
            )
            for number, seat in enumerate(table.seats)
        ],
    )


def due_word(table: Table) -> Any:
    """What has to happen next, in a word."""
    due = table.due()
    if isinstance(due, Over):
        return "over"
    if table.waiting:
        return "wait"
    return "roll" if isinstance(due, ToRoll) else "choose"


def show_result(result: Any) -> ResultShown:
    """How a game ended."""
    return ResultShown.model_validate(result._asdict())


@lru_cache(64)
def _die(die: Die) -> DieDue:
    faces = [FaceShown(token=face.token, label=face.label, ring=face.ring) for face in die.faces]
    return DieDue(kind=die.name, colour=die.colour, faces=faces)
