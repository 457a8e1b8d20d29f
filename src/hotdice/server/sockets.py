"""The socket of a client at a table: a hello, then commands in and news out."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from pydantic import ValidationError
from starlette.datastructures import Headers, State
from starlette.types import ASGIApp, Receive, Scope, Send

from hotdice.core.errors import HotDiceError
from hotdice.server.guarding import address_of
from hotdice.server.hub import Hub
from hotdice.server.limits import Address, TooMany
from hotdice.server.live import Live, Visitor, Watcher
from hotdice.server.messages import Command, Hello, Message
from hotdice.server.problems import problem_of
from hotdice.server.showing import show_advice
from hotdice.server.site import Site
from hotdice.server.tables import table_json
from hotdice.storage import StorageError
from hotdice.storage.listening import end
from hotdice.table import commands
from hotdice.table.dice_commands import GiveLink
from hotdice.table.log import Refused
from hotdice.table.rights import Act

_PATH = re.compile(r"/api/tables/([^/]+)/socket")
_NUMBER = re.compile(r"[0-9]{1,9}")
_LONGEST_MESSAGE = 4096
_HOLD = 1.0
"""The most seconds that reading a client's next message waits after it has reached a limit."""
_HELLO = 10.0
"""Seconds that a client has to send its hello."""


class Gone(Exception):
    """The client has disconnected."""


class Unreadable(HotDiceError):
    """A message that is not a command."""


class Wire:
    """A WebSocket on bare ASGI, without the layers that only HTTP needs."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.scope = scope
        self.headers = Headers(scope=scope)
        self.address = address_of(scope)

    async def accept(self) -> None:
        """Accept the connection."""
        await self._receive()
        await self._send({"type": "websocket.accept"})

    async def receive(self) -> str:
        """The next message; raises ``Gone``."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            raise Gone
        text: str | None = message.get("text")
        if text is None:
            data: bytes = message["bytes"]
            text = data.decode(errors="replace")
        if len(text) > _LONGEST_MESSAGE:
            await self.close(4413, "That message is too long.")
            raise Gone
        return text

    async def send(self, text: str) -> None:
        """Send a message; raises ``Gone``."""
        try:
            await self._send({"type": "websocket.send", "text": text})
        except (RuntimeError, OSError):  # the connection has been closed in the meantime
            raise Gone from None

    async def close(self, code: int, reason: str) -> None:
        """Close the connection with a reason."""
        with suppress(RuntimeError, OSError):  # the client has closed it already
            await self._send({"type": "websocket.close", "code": code, "reason": reason})


class Sockets:
    """Middleware that handles the sockets of tables."""

    def __init__(self, app: ASGIApp, state: State, site: Site) -> None:
        self._app = app
        self._state = state
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a socket, or pass a request on to the application."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        wire, found = Wire(scope, receive, send), _PATH.fullmatch(scope["path"])
        ours = self._site.has(wire.headers.get("host"))
        if found is None or not ours or not self._site.may_act(scope, wire.headers):
            await wire.close(4403, "Connections from pages of other sites are refused.")
            return
        hub: Hub = self._state.hub
        address = hub.addresses.of(wire.address)
        try:
            address.take("requests")
            with followed(address):
                await follow(wire, hub, found[1])
        except TooMany as error:
            hub.metrics.refuse(error.limit)
            await wire.accept()
            await wire.close(4429, str(error))


async def follow(wire: Wire, hub: Hub, table_id: str) -> None:
    """Serve one socket until it closes."""
    await wire.accept()
    with suppress(Gone):
        try:
            async with asyncio.timeout(_HELLO):
                hello = Hello.model_validate_json(await wire.receive())
            live = await hub.current(table_id)
            hub.charge(wire.address, live.table.seq - hello.seen)
            visitor = Visitor(hello.secrets, hello.player)
            async with hub.watch(live, hello.seen, visitor, wire.address) as watcher:
                await Follower(wire, hub, live, hello.seen, watcher).serve()
        except (ValidationError, TimeoutError) as error:
            if isinstance(error, TimeoutError):
                hub.metrics.refuse("hellos")
            await wire.close(
                4400,
                "Send a hello first: your secrets and the last entry you have seen.",
            )
        except StorageError as error:
            await wire.close(1013, problem_of(error).error[:120])
        except TooMany as error:
            hub.metrics.refuse(error.limit)
            await wire.close(4429, str(error))
        except HotDiceError as error:
            await wire.close(4404, problem_of(error).error[:120])


@contextmanager
def followed(address: Address) -> Iterator[None]:
    """Count an open socket of an address; raises ``TooMany``."""
    address.check_sockets()
    address.sockets += 1
    try:
        yield
    finally:
        address.sockets -= 1


class Follower:
    """One client that follows a table."""

    def __init__(self, wire: Wire, hub: Hub, live: Live, seen: int, watcher: Watcher) -> None:
        self._watcher = watcher
        self._telling = False
        self._wire = wire
        self._hub = hub
        self._live = live
        self._seen = seen
        self._visitor = watcher.visitor
        self._address = hub.addresses.of(wire.address)
        self._advising: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """Send the table, then send what happens and carry out commands."""
        # The message is not kept in a variable: it can be long, and there are many sockets.
        trouble = self._hub.trouble
        await self._wire.send(table_json(self._live, self._visitor, self._seen, trouble))
        telling = asyncio.create_task(self._tell())
        # A task of its own is resumed without passing through all layers of the application.
        listening = asyncio.create_task(self._listen())
        try:
            await asyncio.wait({telling, listening}, return_when=asyncio.FIRST_COMPLETED)
            if telling.done():
                telling.result()  # an error ends the socket, so that the client connects again
            await listening
        finally:
            await end(*filter(None, (listening, telling, self._advising)))

    async def _listen(self) -> None:
        """Carry out commands until the client has disconnected."""
        with suppress(Gone):
            while True:
                await self._obey(await self._wire.receive())
                await self._catch_up()

    async def _catch_up(self) -> None:
        """Send what was queued while the command was carried out."""
        self._watcher.acting = False
        texts = self._watcher.texts
        while texts and not self._telling:
            text = texts.popleft()
            if text is None:
                self._watcher.put(None)
                return
            await self._wire.send(text)

    async def _tell(self) -> None:
        with suppress(Gone):
            while (text := await self._watcher.get()) is not None:
                self._telling = True  # keeps messages in order
                await self._wire.send(text)
                self._telling = False
            await self._wire.close(1012, "Connect again.")

    async def _send(self, message: Message) -> None:
        await self._wire.send(message.model_dump_json())

    async def _obey(self, text: str) -> None:
        do, began = "unread", time.perf_counter()
        problem: HotDiceError | None = None
        try:
            self._watcher.quiet = False
            self._address.take("commands")
            command = Command.model_validate_json(text)
            do = command.do
            await self._carry_out(command)
        except ValidationError:
            problem = Unreadable("The message is not a valid command.")
        except HotDiceError as error:
            problem = error
        outcome = type(problem).__name__ if problem else "done"
        self._hub.metrics.command(do, outcome).inc()
        self._hub.metrics.seconds.observe(time.perf_counter() - began)
        if problem is not None:
            await self._catch_up()  # it may be the reason
            await self._refuse(problem)
            # Others get their turn, however many messages wait here.
            await asyncio.sleep(min(_HOLD, problem.after) if isinstance(problem, TooMany) else 0)

    async def _carry_out(self, command: Command) -> None:
        hub, live, visitor = self._hub, self._live, self._visitor
        if command.do == "advise":
            await hub.check(live, visitor, Act.ADVISE, command.seat)
            if self._advising is not None:
                self._advising.cancel()  # only the latest question is answered
            self._advising = asyncio.create_task(self._advise(command.seen))
        elif command.do == "bot":
            await self._let_bot_in(command)
        else:
            self._address.check_entries()
            self._watcher.acting = True
            if command.do == "chain":
                tip, ended = read_chain(command.text)
                entries = await hub.take_part(live, self._watcher, command.seat, tip, ended)
            elif command.do == "link":
                entries = await hub.act(live, visitor, read_link(command.seat, command.text))
            else:
                entries = await hub.act(live, visitor, _COMMANDS[command.do](command))
            self._address.charge_entries(len(entries))
            live.payer = self._wire.address  # it was accepted, so they hold the seat

    async def _advise(self, seen: int) -> None:
        """Ask the coach; commands do not wait for the answer."""
        table = self._live.table
        with suppress(Gone):
            try:
                advice = await self._hub.advise(self._live, seen, self._wire.address)
            except HotDiceError as error:
                await self._refuse(error)
            else:
                await self._send(show_advice(table.game, seen, advice, table.names))

    async def _refuse(self, error: HotDiceError) -> None:
        if isinstance(error, TooMany):
            self._hub.metrics.refuse(error.limit)
        await self._send(problem_of(error))

    async def _let_bot_in(self, command: Command) -> None:
        if command.other is None or not command.text:
            raise Refused("Letting a bot play needs a seat and a level.")
        self._address.check_entries()
        entries = await self._hub.let_bot_in(
            self._live, self._visitor, command.seat, command.other, command.text
        )
        self._address.charge_entries(len(entries))


def read_chain(text: str) -> tuple[str, int | None]:
    """The tip of a chain, and the number of the one that it replaces; raises ``Refused``."""
    tip, _, ended = text.partition(" ")
    if ended and not _NUMBER.fullmatch(ended):
        raise Refused("A chain is announced by its tip and the number of the one it replaces.")
    return tip, int(ended) if ended else None


def read_link(seat: int, text: str) -> GiveLink:
    """A link from the number of the roll, that of the chain, and the link; raises ``Refused``."""
    words = text.split(" ")
    if len(words) != 3 or not all(map(_NUMBER.fullmatch, words[:2])):
        raise Refused("A link is the number of the roll, that of the chain, and the link.")
    return GiveLink(seat, chain=int(words[1]), number=int(words[0]), link=words[2])


_COMMANDS: dict[str, Callable[[Command], commands.Command]] = {
    "roll": lambda sent: commands.RollDice(sent.seat, sent.text, sent.seen),
    "choose": lambda sent: commands.Choose(sent.seat, sent.text, sent.seen),
    "undo": lambda sent: commands.Undo(sent.seat, sent.seen),
    "rematch": lambda sent: commands.Rematch(sent.seat, sent.seen),
    "say": lambda sent: commands.Say(sent.seat, sent.text),
    "back": lambda sent: commands.Return(sent.seat),
}
"""The commands of a table, by their word in a message."""
