"""One socket for each open table: first a hello, then commands in and news out."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.server.hub import Forbidden, Hub, Work
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
from hotdice.server.tables import show_table
from hotdice.solve.coach import Advice, cost_words, value_words
from hotdice.table.log import Refused

_LONGEST_MESSAGE = 4096
_PER_SECOND = 20
_BURST = 60


async def follow(socket: WebSocket, table_id: str) -> None:
    """Serve one socket until it closes."""
    if not _same_site(socket):
        await socket.close(4403, "This page may not open tables here.")
        return
    hub: Hub = socket.app.state.hub
    await socket.accept()
    with suppress(WebSocketDisconnect):
        try:
            live = await hub.open(table_id)
            hello = Hello.model_validate_json(await _received(socket))
            async with hub.watch(live, hello.seen) as watcher:
                await Follower(socket, hub, live, hello, watcher).serve()
        except ValidationError:
            await socket.close(4400, "Say hello with your secrets and what you have seen.")
        except HotDiceError as error:
            await socket.close(4404, str(error)[:120])


def _same_site(socket: WebSocket) -> bool:
    """Browsers say which site a page is from; only our own pages may connect."""
    origin = socket.headers.get("origin")
    return origin is None or origin.partition("://")[2] == socket.headers.get("host")


async def _received(socket: WebSocket) -> str:
    text = await socket.receive_text()
    if len(text) > _LONGEST_MESSAGE:
        await socket.close(4413, "That message is too long.")
        raise WebSocketDisconnect(4413)
    return text


class Follower:
    """Somebody with a table open."""

    def __init__(
        self, socket: WebSocket, hub: Hub, live: Live, hello: Hello, watcher: Watcher
    ) -> None:
        self._watcher = watcher
        self._telling = False
        self._socket = socket
        self._hub = hub
        self._live = live
        self._seen = hello.seen
        self._visitor = Visitor(hello.secrets, hello.player)
        self._allowance, self._last = float(_BURST), time.monotonic()

    async def serve(self) -> None:
        """Show the table, then tell what happens and carry commands out."""
        shown = show_table(self._live, self._visitor, self._seen, self._hub.clock())
        await self._send(shown)
        task = asyncio.create_task(self._tell())
        try:
            while True:
                await self._obey(await _received(self._socket))
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
            await self._socket.send_text(text)

    async def _tell(self) -> None:
        while (text := await self._watcher.get()) is not None:
            self._telling = True  # nothing overtakes it
            await self._socket.send_text(text)
            self._telling = False
        await self._socket.close(1012, "Connect again.")

    async def _send(self, message: Message) -> None:
        await self._socket.send_text(message.model_dump_json())

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
            await self._send(Problem(error=str(error), kind=outcome))
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
            if seat not in live.seats_of(visitor):
                raise Forbidden("This seat is not yours.")
            game, advice = live.table.game, await hub.advise(live, command.seen)
            await self._send(_advice(game, command.seen, advice))
        elif command.do == "bot":
            await self._let_bot_in(command)
        else:
            self._watcher.acting = True
            await hub.act(live, visitor, seat, _work(command))

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


def _work(command: Command) -> Work:
    """What a command does to a table."""
    seat, seen, text = command.seat, command.seen, command.text
    works: dict[str, Work] = {
        "roll": lambda table, now: table.roll(seat, text, seen, now),
        "choose": lambda table, now: table.choose(seat, text, seen, now),
        "undo": lambda table, now: table.undo(seat, seen, now),
        "rematch": lambda table, now: table.rematch(seat, seen, now),
        "say": lambda table, now: table.say(seat, text, now),
        "back": lambda table, now: table.sit(seat, "", now),
    }
    return works[command.do]


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
