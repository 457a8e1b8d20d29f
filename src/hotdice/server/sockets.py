"""One socket for each open table: first a hello, then commands in and news out."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import cast

from pydantic import ValidationError
from starlette.datastructures import Headers, State
from starlette.types import ASGIApp, Receive, Scope, Send

from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.server.hub import Forbidden, Hub
from hotdice.server.live import Live, Visitor, Watcher
from hotdice.server.messages import (
    AdviceShown,
    Command,
    CounselShown,
    Hello,
    Message,
    OddsShown,
    Problem,
)
from hotdice.server.problems import problem_of
from hotdice.server.tables import show_table
from hotdice.solve.coach import Advice, cost_words, value_words
from hotdice.storage import StorageError
from hotdice.table.log import Next, Refused, Table

_PATH = re.compile(r"/api/tables/([^/]+)/socket")
_LONGEST_MESSAGE = 4096
_PER_SECOND = 20
_BURST = 60
_HELLO = 10.0
"""Seconds in which a socket has to say who it is."""


class Gone(Exception):
    """Nobody is at the other end any more."""


class Wire:
    """A socket, spoken to without the layers that only HTTP needs."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.headers = Headers(scope=scope)

    async def accept(self) -> None:
        """Let them in."""
        await self._receive()
        await self._send({"type": "websocket.accept"})

    async def receive(self) -> str:
        """What they say; raises ``Gone``."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise Gone
        text = message.get("text")
        text = message["bytes"].decode(errors="replace") if text is None else text
        if len(text) > _LONGEST_MESSAGE:
            await self.close(4413, "That message is too long.")
            raise Gone
        return cast("str", text)

    async def send(self, text: str) -> None:
        """Tell them something."""
        await self._send({"type": "websocket.send", "text": text})

    async def close(self, code: int, reason: str) -> None:
        """Say why it ends."""
        with suppress(RuntimeError):  # they were quicker
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


class Sockets:
    """Takes the sockets of tables out of the stream of requests."""

    def __init__(self, app: ASGIApp, state: State) -> None:
        self._app = app
        self._state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Follow a table, or let the application answer."""
        found = _PATH.fullmatch(scope["path"]) if scope["type"] == "websocket" else None
        if found is None:
            await self._app(scope, receive, send)
        else:
            await follow(Wire(scope, receive, send), self._state.hub, found[1])


async def follow(wire: Wire, hub: Hub, table_id: str) -> None:
    """Serve one socket until it closes."""
    if not _same_site(wire):
        await wire.close(4403, "This page may not open tables here.")
        return
    await wire.accept()
    with suppress(Gone):
        try:
            hello = Hello.model_validate_json(await asyncio.wait_for(wire.receive(), _HELLO))
            live = await hub.open(table_id)
            async with hub.watch(live, hello.seen) as watcher:
                await Follower(wire, hub, live, hello, watcher).serve()
        except (ValidationError, TimeoutError):
            await wire.close(4400, "Say hello with your secrets and what you have seen.")
        except StorageError as error:
            await wire.close(1013, problem_of(error).error)
        except HotDiceError as error:
            await wire.close(4404, problem_of(error).error[:120])


def _same_site(wire: Wire) -> bool:
    """Browsers say which site a page is from; only our own pages may connect."""
    origin = wire.headers.get("origin")
    return origin is None or origin.partition("://")[2] == wire.headers.get("host")


class Follower:
    """Somebody with a table open."""

    def __init__(self, wire: Wire, hub: Hub, live: Live, hello: Hello, watcher: Watcher) -> None:
        self._watcher = watcher
        self._telling = False
        self._wire = wire
        self._hub = hub
        self._live = live
        self._seen = hello.seen
        self._visitor = Visitor(hello.secrets, hello.player)
        self._allowance, self._last = float(_BURST), time.monotonic()

    async def serve(self) -> None:
        """Show the table, then tell what happens and carry commands out."""
        # Not kept: a log can be long, and sockets many.
        await self._send(show_table(self._live, self._visitor, self._seen, self._hub.clock()))
        task = asyncio.create_task(self._tell())
        try:
            while True:
                await self._obey(await self._wire.receive())
                await self._catch_up()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _catch_up(self) -> None:
        """Tell what came while the command was carried out."""
        self._watcher.acting = False
        texts = self._watcher.texts
        while texts and not self._telling:
            text = texts.popleft()
            if text is None:
                self._watcher.put(None)
                return
            await self._wire.send(text)

    async def _tell(self) -> None:
        while (text := await self._watcher.get()) is not None:
            self._telling = True  # nothing overtakes it
            await self._wire.send(text)
            self._telling = False
        await self._wire.close(1012, "Connect again.")

    async def _send(self, message: Message) -> None:
        await self._wire.send(message.model_dump_json())

    async def _obey(self, text: str) -> None:
        do, outcome = "unread", "done"
        began = time.perf_counter()
        try:
            self._pace()
            command = Command.model_validate_json(text)
            do = command.do
            await self._carry_out(command)
        except ValidationError:
            outcome = "Unreadable"
            await self._send(Problem(error="That message cannot be understood.", kind=outcome))
        except HotDiceError as error:
            outcome = type(error).__name__
            await self._catch_up()  # what came meanwhile may be the reason
            await self._send(problem_of(error))
        self._hub.metrics.command(do, outcome).inc()
        self._hub.metrics.seconds.observe(time.perf_counter() - began)

    def _pace(self) -> None:
        now = time.monotonic()
        gained = (now - self._last) * _PER_SECOND
        self._allowance, self._last = min(_BURST, self._allowance + gained), now
        if self._allowance < 1:
            raise TooMany("Too many messages; wait a moment.")
        self._allowance -= 1

    async def _carry_out(self, command: Command) -> None:
        hub, live, visitor, seat = self._hub, self._live, self._visitor, command.seat
        if command.do == "advise":
            if not live.is_of(visitor, seat):
                raise Forbidden("This seat is not yours.")
            game, advice = live.table.game, await hub.advise(live, command.seen)
            await self._send(_advice(game, command.seen, advice))
        elif command.do == "bot":
            await self._let_bot_in(command)
        else:
            self._watcher.acting = True
            await hub.act(live, visitor, seat, partial(_WORKS[command.do], command))

    async def _let_bot_in(self, command: Command) -> None:
        """One's own seat at any time, the host any seat, others whoever is waited for too long."""
        hub, live, visitor = self._hub, self._live, self._visitor
        seat, level = command.other, command.text
        if seat is None or not level:
            raise Refused("Say which seat the bot takes, and its level.")
        if visitor.has(live.host):
            await hub.host(live, visitor, lambda table, now: table.sit(seat, level, now))
        elif seat == command.seat:
            await hub.act(live, visitor, seat, lambda table, now: table.sit(seat, level, now))
        else:
            await hub.act(
                live, visitor, command.seat, lambda table, now: table.relieve(seat, level, now)
            )


class TooMany(Refused):
    """Messages come faster than anybody plays."""


_WORKS: dict[str, Callable[[Command, Table, float], Next]] = {
    "roll": lambda c, table, now: table.roll(c.seat, c.text, c.seen, now),
    "choose": lambda c, table, now: table.choose(c.seat, c.text, c.seen, now),
    "undo": lambda c, table, now: table.undo(c.seat, c.seen, now),
    "rematch": lambda c, table, now: table.rematch(c.seat, c.seen, now),
    "say": lambda c, table, now: table.say(c.seat, c.text, now),
    "back": lambda c, table, now: table.sit(c.seat, "", now),
}
"""What a command does to a table."""


def _advice(game: AnyGame, seq: int, advice: Advice) -> AdviceShown:
    aim = advice.objective
    return AdviceShown(
        seq=seq,
        objective=aim,
        exact=advice.exact,
        basis=advice.basis,
        counsels=[
            CounselShown(
                text=game.event_text(counsel.choice),
                words=counsel.meaning.words,
                effect=counsel.meaning.effect,
                value=counsel.value,
                worth=value_words(counsel.value, aim),
                cost=counsel.cost,
                lost=cost_words(counsel.cost, aim),
                odds=[OddsShown(name=name, chance=float(chance)) for name, chance in counsel.odds],
                why=counsel.why,
            )
            for counsel in advice.counsels
        ],
    )
