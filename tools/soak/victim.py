"""Measures the latencies of an ordinary player during an attack."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Any, Self

import httpx
import websockets
from websockets.asyncio.client import ClientConnection, connect

from tools.soak.servers import Server

_TABLES = 4
_FAILED = 60.0
_OPTIONS = {"target": "1000000", "entry": "0", "starts": "seat", "carry_over": "off"}


class Times:
    """A list of latencies, including unfinished operations; a failure counts as a minute."""

    def __init__(self) -> None:
        self._ended: list[float] = []
        self._begun: set[float] = set()

    async def measure(self, work: Coroutine[Any, Any, None]) -> None:
        """Await something and record how long it took."""
        began = time.monotonic()
        self._begun.add(began)
        took = _FAILED
        try:
            await work
            took = time.monotonic() - began
        finally:
            self._begun.discard(began)
            self._ended.append(took)

    def take(self) -> list[float]:
        """Return all latencies, sorted, and reset."""
        now = time.monotonic()
        found = self._ended + [now - began for began in self._begun]
        self._ended = []
        return sorted(found)


class Seated:
    """A socket to a table, which plays all seats that bots do not have."""

    def __init__(self, server: Server, rng: Random, *bots: str) -> None:
        self._server = server
        self._rng = rng
        self._bots = bots
        self._socket: ClientConnection | None = None
        self._table: dict[str, Any] = {}
        self._status: dict[str, Any] = {}
        self._view: dict[str, Any] = {}

    async def open(self) -> None:
        """Create the table if necessary, and connect to it."""
        while not self._table:
            people = [{"name": f"P{n}"} for n in range(2 - len(self._bots))]
            bots = [{"name": f"B{n}", "bot": bot} for n, bot in enumerate(self._bots)]
            body = {"game": "farkle", "options": _OPTIONS, "seats": [*people, *bots]}
            _, self._table = await self._server.post("/api/tables", body)
        self._socket = await connect(
            self._server.socket(self._table["id"]), ping_interval=None, max_size=None
        )
        secrets = [seat["secret"] for seat in self._table["seats"]]
        await self._socket.send(json.dumps({"secrets": secrets, "seen": 0}))
        await self._hear("table")

    async def act(self) -> None:
        """Roll or choose, and wait for the update."""
        due, seat = self._status["due"], self._status["seat"]
        command = {"do": due, "seat": seat, "seen": self._status["seq"]}
        if due == "choose":
            choices = self._view["choices"]
            home = [one for one in choices if one["ends_turn"] and one["points"] > 0]
            command["text"] = self._rng.choice(home or choices)["text"]
        await self._say(command, "news")

    async def bots_turn(self) -> None:
        """Wait until the bots have played."""
        while self.waits_for_bot():
            await self._hear("news")

    def waits_for_bot(self) -> bool:
        """Whether it is a bot's turn."""
        return bool(self._status["seats"][self._status["seat"]]["bot"])

    def chooses(self) -> bool:
        """Whether a choice is due."""
        return bool(self._status["due"] == "choose")

    async def ask(self) -> None:
        """Ask the coach and wait for the advice."""
        status = self._status
        await self._say({"do": "advise", "seat": status["seat"], "seen": status["seq"]}, "advice")

    async def _say(self, command: dict[str, Any], wanted: str) -> None:
        if self._socket is None:
            raise websockets.InvalidState("not connected")
        await self._socket.send(json.dumps(command))
        await self._hear(wanted)

    async def _hear(self, wanted: str) -> None:
        while self._socket is not None:
            message = json.loads(await self._socket.recv())
            if message["type"] in ("table", "news"):
                self._status = message["status"]
                entries = message.get("entries")
                self._view = entries[-1]["view"] if entries else message["view"]
            if message["type"] in (wanted, "problem"):
                return


class Victim:
    """An ordinary player with several tables, a bot and the coach."""

    def __init__(self, server: Server, rng: Random) -> None:
        self._server = server
        self._rng = rng
        self.commands, self.bots, self.coach, self.pages = (Times() for _ in range(4))
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        works = [self._command] * _TABLES + [self._bot, self._coach, self._page]
        self._tasks = [asyncio.create_task(self._again(work)) for work in works]
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _again(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        while True:
            with suppress(OSError, websockets.WebSocketException, httpx.HTTPError, TimeoutError):
                await work()
            await asyncio.sleep(0.2)

    async def _command(self) -> None:
        seated = Seated(self._server, self._rng)
        await seated.open()
        while True:
            await self.commands.measure(seated.act())
            await asyncio.sleep(self._rng.uniform(0.04, 0.12))

    async def _bot(self) -> None:
        seated = Seated(self._server, self._rng, "casual")
        await seated.open()
        while True:
            await seated.act()
            if seated.waits_for_bot():
                await self.bots.measure(seated.bots_turn())
            await asyncio.sleep(0.1)

    async def _coach(self) -> None:
        seated = Seated(self._server, self._rng)
        await seated.open()
        while True:
            if seated.chooses():
                await self.coach.measure(seated.ask())
            await seated.act()
            await asyncio.sleep(0.2)

    async def _page(self) -> None:
        async with httpx.AsyncClient(timeout=30) as http:
            await self.pages.measure(self._get(http))

    async def _get(self, http: httpx.AsyncClient) -> None:
        await http.get(f"{self._server.url}/api/games")
