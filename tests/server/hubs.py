"""Helpers for tests with hubs."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from hotdice.core.due import ToChoose, ToRoll
from hotdice.server.hub import Hub, Opened
from hotdice.server.live import Live, Visitor, Watcher
from hotdice.storage import Store
from hotdice.table.commands import (
    Choose,
    Command,
    RollDice,
)
from hotdice.table.entries import Entry
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat

SETUP = Setup("farkle", "starts=seat entry=0 target=200", (Seat("Ann"), Seat("Ben")), seed="s")


def next_command(table: Table) -> Command:
    """The next command of the seat to act: roll, or bank if possible."""
    due, seen = table.due, table.seq
    if isinstance(due, ToRoll):
        return RollDice(due.seat, "", seen)
    assert isinstance(due, ToChoose)
    choices = table.game.choices(table.state)
    text = table.game.event_text(next((c for c in choices if c.then == "bank"), choices[0]))
    return Choose(due.seat, text, seen)


def acting(table: Table) -> int:
    due = table.due
    assert isinstance(due, ToRoll | ToChoose)
    return due.seat


async def act(hub: Hub, live: Live, opened: Opened) -> list[Entry]:
    seat = acting(live.table)
    return await hub.act(live, Visitor([opened.seats[seat]]), next_command(live.table))


def drained(watcher: Watcher) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while watcher.texts:
        found += json.loads(watcher.texts.popleft() or "{}").get("entries", [])
    return found


@asynccontextmanager
async def two_hubs(database: str) -> AsyncIterator[list[Hub]]:
    """Two servers on one database."""
    stores = [await Store.open(database) for _ in range(2)]
    try:
        yield [Hub(one) for one in stores]
    finally:
        for one in stores:
            await one.close()


async def until(happened: Callable[[], bool]) -> None:
    """Poll without a deadline, as the machine may be busy; pytest ends a run that hangs."""
    while not happened():  # noqa: ASYNC110 - no event to wait for
        await asyncio.sleep(0.01)


def person_due(live: Live, seat: int = 0) -> bool:
    due = live.table.due
    return isinstance(due, ToRoll | ToChoose) and due.seat == seat


def counted(hub: Hub, limit: str) -> int:
    """How often a limit was reached, according to the metrics."""
    found = re.search(rf'refused_total{{limit="{limit}"}} (\d+)', hub.metrics.text().decode())
    return int(found[1]) if found else 0
