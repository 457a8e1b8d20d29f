"""Tables with known dice."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import count
from typing import Any

import websockets
from playwright.async_api import Page

from hotdice.core.due import ToChoose
from hotdice.server.messages import TableWanted
from hotdice.server.tables import read_wanted
from hotdice.table.commands import auto_roll
from hotdice.table.log import Table
from tests.asking import heard
from tests.web.serving import Server

SHORT: dict[str, Any] = {
    "game": "farkle",
    "options": {"starts": "seat", "entry": "0", "target": "200"},
    "seats": [{"name": "Ann"}, {"name": "Ben"}],
    "coach": False,  # a coach would start a solver
}


def _first_chooses(table: Table) -> bool:
    """Whether the first seat has a choice after the first roll."""
    due = table.due
    return isinstance(due, ToChoose) and due.seat == 0


def seed_for(asked: dict[str, Any]) -> str:
    """The first seed that gives the first seat a choice after the first roll."""
    setup = read_wanted(TableWanted.model_validate(asked)).checked()
    if setup.dice != "seeded" or setup.open:
        return "no dice yet"
    seeds = (str(number) for number in count())
    return next(
        seed
        for seed in seeds
        if _first_chooses(auto_roll(Table.of(replace(setup, seed=seed)), 0.0).table)
    )


async def created(page: Page, **wanted: Any) -> dict[str, Any]:
    """A table created by this page's player; its first seat has a choice."""
    asked = {**SHORT, **wanted}
    Server.of(page).seed(seed_for(asked))
    found: dict[str, Any] = await page.evaluate(
        """async asked => {
          const headers = {'Content-Type': 'application/json',
                           'X-Player': localStorage['hotdice.player']};
          const body = JSON.stringify(asked);
          return (await fetch('/api/tables', {method: 'POST', headers, body})).json();
        }""",
        asked,
    )
    assert "id" in found, found
    return found


async def advised(page: Page, table: dict[str, Any]) -> None:
    """Ask the coach once, however long it takes, so that later answers are quick."""
    async with _sitting(page, table) as (socket, shown):
        await socket.send(json.dumps({"do": "advise", "seat": 0, "seen": shown["status"]["seq"]}))
        assert (await heard(socket))["type"] == "advice"


async def play_out(page: Page, table: dict[str, Any]) -> None:
    """Play a game of people to its end without the page, ending every turn when possible."""
    async with _sitting(page, table) as (socket, shown):
        status, view = shown["status"], shown["view"]
        while (due := status["due"]) != "over":
            said = {"do": "roll", "seat": status["seat"], "seen": status["seq"]}
            if due == "choose":
                ways = sorted(view["choices"], key=lambda way: not way["ends_turn"])
                said |= {"do": "choose", "text": ways[0]["text"]}
            await socket.send(json.dumps(said))
            news = await heard(socket)
            status, view = news["status"], news["entries"][-1]["view"]


async def played(page: Page, table: dict[str, Any], *texts: str) -> None:
    """Play these rolls and choices at a table of people with real dice, without the page."""
    async with _sitting(page, table) as (socket, shown):
        status = shown["status"]
        for text in texts:
            said = {"do": status["due"], "seat": status["seat"], "seen": status["seq"]}
            await socket.send(json.dumps({**said, "text": text}))
            news = await heard(socket)
            status = news["status"]


@asynccontextmanager
async def _sitting(
    page: Page, table: dict[str, Any]
) -> AsyncIterator[tuple[websockets.ClientConnection, dict[str, Any]]]:
    """A connection that holds the seats of a table, and the table as it was shown there."""
    url = f"{Server.of(page).url.replace('http', 'ws')}/api/tables/{table['id']}/socket"
    async with websockets.connect(url) as socket:
        await socket.send(json.dumps({"secrets": [seat["secret"] for seat in table["seats"]]}))
        yield socket, json.loads(await socket.recv())
