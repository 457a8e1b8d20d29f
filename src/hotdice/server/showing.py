"""A table in the words of the wire."""

from __future__ import annotations

from collections.abc import Iterable

from hotdice.core.game import Over, ToRoll
from hotdice.server.hub import Live
from hotdice.server.messages import EntryShown, ResultShown, SeatShown, TableShown
from hotdice.table.log import Entry, Table

_TOLD = {
    "undo": "takes the last choice back",
    "game": "asks for another game",
}


def show_table(live: Live, yours: Iterable[int]) -> TableShown:
    """Everything about a table as it stands, for somebody who has these seats."""
    table = live.table
    due = table.due()
    over = due.result if isinstance(due, Over) else None
    return TableShown(
        id=live.id,
        game=table.game.slug,
        title=table.game.title,
        options=table.setup.options,
        dice=table.setup.dice,
        coach=table.setup.coach,
        seats=[SeatShown(name=seat.name, bot=seat.bot) for seat in table.seats],
        yours=sorted(yours),
        games=len(table.games),
        seq=table.seq,
        due="over" if over else "roll" if isinstance(due, ToRoll) else "choose",
        view=table.game.view(table.state),
        result=None if over is None else ResultShown.model_validate(over._asdict()),
        deadline=table.deadline(),
    )


def show_entries(table: Table, entries: Iterable[Entry]) -> list[EntryShown]:
    """Entries with what they mean; the table is brought from before them to after them."""
    shown = []
    for entry in entries:
        before = table.state
        table.add(entry)
        shown.append(
            EntryShown(
                **entry._asdict(),
                told=_told(table, before, entry),
                view=table.game.view(table.state),
            )
        )
    return shown


def _told(table: Table, before: object, entry: Entry) -> str:
    names = [seat.name for seat in table.seats]
    if entry.kind in ("roll", "choose"):
        event = table.game.read_event(entry.text)
        return table.game.tell(before, event, table.state, names)
    name = names[entry.seat] if 0 <= entry.seat < len(names) else "The table"
    if entry.kind == "say":
        return f"{name}: {entry.text}"
    if entry.kind == "sit":
        return f"A {entry.text} bot sits in for {name}." if entry.text else f"{name} is back."
    return f"{name} {_TOLD[entry.kind]}."
