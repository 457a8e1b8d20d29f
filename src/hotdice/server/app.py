"""The server: HTTP for setting up and looking, one WebSocket for each open table."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import ValidationError

from hotdice import __version__
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_names, game_type
from hotdice.server.hub import Forbidden, Hub, Live
from hotdice.server.messages import (
    Command,
    EntryShown,
    Hello,
    Problem,
    SeatOpened,
    TableOpened,
    TableShown,
    TableWanted,
)
from hotdice.server.showing import show_entries, show_table
from hotdice.storage import NoSuchTable, Store, default_url
from hotdice.table.log import Entry, Setup, Stale, Table
from hotdice.table.sitting import Seat

DATABASE = "HOTDICE_DB"
"""The environment variable that names the database to the processes of a server."""
_LONGEST_MESSAGE = 4096
_PER_SECOND = 20
_BURST = 60
_POLICY = (
    "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; "
    "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Secrets = Annotated[list[str] | None, Header(alias="X-Seat-Secret")]


def create_app(database: str = "") -> FastAPI:
    """The server on a database; without one, on what HOTDICE_DB says or that of this machine."""
    database = database or os.environ.get(DATABASE, "") or default_url()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = await Store.open(database)
        hub = app.state.hub = Hub(store)
        try:
            async with hub.listening():
                yield
        finally:
            await store.close()

    app = FastAPI(title="Hot Dice", version=__version__, lifespan=lifespan)
    app.add_exception_handler(HotDiceError, _problem)
    app.middleware("http")(_guarded)
    _add_pages(app)
    app.add_api_websocket_route("/api/tables/{table_id}/socket", _socket)
    return app


async def _guarded(request: Request, call_next: Any) -> Response:
    response: Response = await call_next(request)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def _problem(_request: Request, error: Exception) -> JSONResponse:
    code = 422
    if isinstance(error, NoSuchTable):
        code = 404
    elif isinstance(error, Forbidden):
        code = 403
    elif isinstance(error, Stale):
        code = 409
    return JSONResponse(_said(error).model_dump(), status_code=code)


def _said(error: Exception) -> Problem:
    return Problem(error=str(error), kind=type(error).__name__)


def _hub(request: Request | WebSocket) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def _add_pages(app: FastAPI) -> None:
    refused: dict[int | str, dict[str, Any]] = {
        404: {"model": Problem, "description": "There is no such table or game."},
        422: {"model": Problem, "description": "It cannot be, and why."},
    }

    @app.get("/api/health", tags=["server"])
    async def health(request: Request, response: Response) -> dict[str, str]:
        """Whether the server and its database answer."""
        well = await _hub(request).store.healthy()
        response.status_code = 200 if well else 503
        return {"status": "ok" if well else "the database does not answer"}

    @app.get("/api/games", tags=["games"])
    async def games() -> list[dict[str, Any]]:
        """Every game with its options."""
        return [_game(name) for name in game_names()]

    @app.get("/api/games/{game}/rules", tags=["games"], responses=refused)
    async def rules(game: str) -> PlainTextResponse:
        """A game's rules in Markdown."""
        return PlainTextResponse(game_type(game).rules_text(), media_type="text/markdown")

    @app.post("/api/tables", status_code=201, tags=["tables"], responses=refused)
    async def create(wanted: TableWanted, request: Request) -> TableOpened:
        """Set a table up."""
        kind = game_type(wanted.game)
        options = kind.options_type.read_values(wanted.options)
        seats = tuple(Seat(seat.name, seat.bot) for seat in wanted.seats)
        setup = Setup(kind.slug, options.text(), seats, wanted.dice, "", wanted.coach)
        setup = Setup(**{**vars(setup), "clock": wanted.clock, "first": wanted.first})
        opened = await _hub(request).create(setup)
        secrets = [SeatOpened(seat=seat, secret=word) for seat, word in opened.seats.items()]
        return TableOpened(id=opened.id, host=opened.host, seats=secrets)

    @app.get("/api/tables/{table_id}", tags=["tables"], responses=refused)
    async def look(table_id: str, request: Request, secrets: Secrets = None) -> TableShown:
        """A table as it stands; anybody with its link may look."""
        live = await _hub(request).open(table_id)
        return show_table(live, live.seats_of(secrets or ()))

    @app.get("/api/tables/{table_id}/record", tags=["tables"], responses=refused)
    async def record(table_id: str, request: Request) -> PlainTextResponse:
        """The game under way as a record to keep."""
        live = await _hub(request).open(table_id)
        return PlainTextResponse(live.table.record().text())


def _game(name: str) -> dict[str, Any]:
    kind = game_type(name)
    return {
        "slug": kind.slug,
        "title": kind.title,
        "summary": kind.summary,
        "players": [kind.min_players, kind.max_players],
        "options": [info._asdict() for info in kind.options_type.describe()],
    }


# Sockets ----------------------------------------------------------------------------------------


async def _socket(socket: WebSocket, table_id: str) -> None:
    """One open table: first a hello, then what was missed and what happens, and commands."""
    if not _same_site(socket):
        await socket.close(4403, "This page may not open tables here.")
        return
    hub = _hub(socket)
    await socket.accept()
    with suppress(WebSocketDisconnect):
        try:
            live = await hub.open(table_id)
            hello = Hello.model_validate_json(await _received(socket))
            async with hub.watch(live, hello.seen) as queue:
                await _serve(socket, hub, live, hello, queue)
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


async def _serve(
    socket: WebSocket,
    hub: Hub,
    live: Live,
    hello: Hello,
    queue: asyncio.Queue[tuple[Entry, ...] | None],
) -> None:
    told = Table(live.table.setup, live.table.entries[: hello.seen])
    yours = live.seats_of(hello.secrets)
    await socket.send_text(show_table(live, yours).model_dump_json())

    async def tell() -> None:
        while (entries := await queue.get()) is not None:
            shown = show_entries(told, entries)
            table = show_table(live, yours).model_dump(mode="json")
            await socket.send_json({"entries": [_plain(entry) for entry in shown], "table": table})
        await socket.close(4408, "You have not been listening; connect again.")

    task = asyncio.create_task(tell())
    try:
        await _obey(socket, hub, live, hello)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _plain(entry: EntryShown) -> dict[str, Any]:
    return entry.model_dump(mode="json")


async def _obey(socket: WebSocket, hub: Hub, live: Live, hello: Hello) -> None:
    clock = asyncio.get_running_loop().time
    allowance, last = float(_BURST), clock()
    while True:
        text = await _received(socket)
        now = clock()
        allowance, last = min(_BURST, allowance + (now - last) * _PER_SECOND), now
        if allowance < 1:
            problem = Problem(error="Too many messages; wait a moment.", kind="TooMany")
            await socket.send_text(problem.model_dump_json())
            continue
        allowance -= 1
        try:
            command = Command.model_validate_json(text)
            await hub.act(live, hello.secrets, command.seat, _work(command))
        except ValidationError:
            problem = Problem(error="That message cannot be understood.", kind="Unreadable")
            await socket.send_text(problem.model_dump_json())
        except HotDiceError as error:
            await socket.send_text(_said(error).model_dump_json())


def _work(command: Command) -> Any:
    """What a command does to a table."""
    seat, seen, text = command.seat, command.seen, command.text
    return {
        "roll": lambda table, now: table.roll(seat, text, seen, now),
        "choose": lambda table, now: table.choose(seat, text, seen, now),
        "undo": lambda table, now: table.undo(seat, seen, now),
        "rematch": lambda table, now: table.rematch(seat, seen, now),
        "say": lambda table, now: table.say(seat, text, now),
    }[command.do]
