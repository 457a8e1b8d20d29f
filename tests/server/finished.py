"""Finished games in a store, without playing them at a server."""

from __future__ import annotations

from collections.abc import Sequence

from hotdice import Record
from hotdice.core.due import seat_of
from hotdice.core.events import Roll
from hotdice.server.live import hashed
from hotdice.storage import Addition, Key, Scored, Store, Stored
from hotdice.table.entries import Entry, Kind
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.summary import summarize


def entries_of(record: Record, at: float) -> list[Entry]:
    """The log of a table at which a recorded game was played."""
    found = []
    for number, (before, event, _) in enumerate(record.steps(), 1):
        kind = Kind.ROLL if isinstance(event, Roll) else Kind.CHOOSE
        seat = seat_of(record.game.due(before))
        found.append(Entry(number, kind, seat, record.game.event_text(event), at))
    return found


async def finish(
    store: Store, name: str, record: Record, players: Sequence[str], at: float = 1.0
) -> None:
    """Store a finished game: who plays is a player key, or ``bot:`` with the level of a bot."""
    bots = [one.partition("bot:")[2] for one in players]
    seats = tuple(Seat(*pair) for pair in zip(record.names, bots, strict=True))
    setup = Setup(record.game.slug, record.game.options.text(), seats, first=record.first)
    owners = ["" if bot else hashed(key) for key, bot in zip(players, bots, strict=True)]
    keys = {seat: Key(f"{name} {seat}", owner) for seat, owner in enumerate(owners) if owner}
    await store.create(Stored(name, setup, Key("h"), keys, at, ()))
    scores = [
        Scored(1, seat, owners[seat], setup.game, record.names[seat], bots[seat], at, summary)
        for seat, summary in enumerate(summarize(record))
    ]
    await store.add(Addition(name, entries_of(record, at), game=1, scores=scores))
