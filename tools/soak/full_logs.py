"""Tables whose logs are full, for attacks that read them."""

from __future__ import annotations

import time
from pathlib import Path

from hotdice.storage import Key, Store, Stored
from hotdice.table.bots import play_turn
from hotdice.table.commands import Say, SitIn, begin_table
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat

_OPTIONS = "target=1000000 entry=0 starts=seat carry_over=off"


async def add_full_logs(file: Path, ids: tuple[str, ...]) -> None:
    """Add tables to an SQLite file, of bots that have played until their logs are full."""
    seats = (*(Seat(f"Bot {number}", "greedy") for number in range(7)), Seat("Ann"))
    setup = Setup("farkle", _OPTIONS, seats, seed="full").checked()
    table = _full(Table.of(setup), time.time())
    store = await Store.open(f"sqlite:///{file}")
    try:
        for table_id in ids:
            entries = tuple(table.entries)
            await store.create(Stored(table_id, setup, Key("host"), {}, time.time(), entries))
    finally:
        await store.close()


def _full(table: Table, now: float) -> Table:
    """After as much chat as a log takes, and then turns of bots, with Ann's seat played too."""
    table = begin_table(table, now).table
    while not table.is_full_of_chat:
        table = Say(7, "x" * 200).on(table, now).table
    table = SitIn(7, "greedy").on(table, now).table
    while not table.is_idle:
        table = play_turn(table, now).table
    return table
