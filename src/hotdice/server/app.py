"""The server: HTTP for setting up and looking, one WebSocket for each open table."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from ipaddress import ip_network
from typing import Annotated, Any, TypedDict, Unpack

from fastapi import FastAPI, Header, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from hotdice import __version__
from hotdice.bots import LEVELS
from hotdice.core.errors import HotDiceError, UnknownGame
from hotdice.core.registry import game_names, game_type
from hotdice.server.catalogue import BotShown, Catalogue, GameShown, OptionShown, RulesShown
from hotdice.server.clocks import Timepiece
from hotdice.server.guarding import Guard, address_of, too_many
from hotdice.server.hub import Hub, Seeds
from hotdice.server.limits import Limits, TooMany
from hotdice.server.live import Visitor
from hotdice.server.messages import (
    PLAYER,
    AdviceShown,
    Command,
    Health,
    Hello,
    News,
    OptionsRead,
    OptionsWanted,
    Problem,
    SeatOpened,
    SeatTaken,
    Statistics,
    TableOpened,
    Tables,
    TableShown,
    TableWanted,
    Trouble,
    Working,
)
from hotdice.server.metrics import Metrics
from hotdice.server.pages import add_pages
from hotdice.server.problems import problem_of
from hotdice.server.protocols import DOOR
from hotdice.server.refusals import ANYWHERE, elsewhere, refused
from hotdice.server.rulebook import show_rules
from hotdice.server.site import Site
from hotdice.server.sockets import Sockets
from hotdice.server.tables import (
    count_up,
    list_tables,
    read_options,
    read_wanted,
    show_opened,
    show_table,
)
from hotdice.storage import NoSuchTable, StorageError, Store, default_url
from hotdice.table.log import Stale
from hotdice.table.rights import Forbidden

DATABASE = "HOTDICE_DB"
"""The environment variable that names the database to the processes of a server."""
LIMITS = "HOTDICE_LIMITS"
"""The environment variable that tells them the limits that are not the usual ones."""
PUBLIC = "HOTDICE_PUBLIC"
"""The environment variable that tells them the public addresses of the server."""
PROXIES = "HOTDICE_PROXIES"
"""The environment variable that tells them which proxies connect for many."""
CONNECTIONS = "HOTDICE_CONNECTIONS"
"""The environment variable that tells them how many connections they can have."""

Secrets = Annotated[
    list[str] | None, Header(alias="X-Seat-Secret", description="Secrets of seats or of the host.")
]
Player = Annotated[
    str,
    Header(alias="X-Player", pattern=PLAYER, description="A key that the player's device made up."),
]
_REFUSED: dict[int | str, dict[str, Any]] = {
    404: refused("There is no such table or game."),
}
_RACED: dict[int | str, dict[str, Any]] = {409: refused("Somebody else was quicker.")}
_CODES: dict[type[HotDiceError], int] = {
    NoSuchTable: 404,
    UnknownGame: 404,
    Forbidden: 403,
    Stale: 409,
    StorageError: 503,
}
_ON_SOCKETS = (Hello, Command, TableShown, News, AdviceShown, Working, Trouble, Problem)


class Given(TypedDict, total=False):
    """What a server may be given besides its database."""

    limits: Limits
    timepiece: Timepiece
    seeds: Seeds


def create_app(database: str = "", **given: Unpack[Given]) -> FastAPI:
    """The server on a database; without one, on what HOTDICE_DB says or that of this machine.

    What is not given comes from the environment. Seeds, and a time of their own, are for tests:
    nobody can ask a server that is started otherwise for them.
    """
    database = database or os.environ.get(DATABASE, "") or default_url()
    given.setdefault("limits", Limits.read(os.environ.get(LIMITS, "").split()))
    metrics = Metrics()
    site = Site(os.environ.get(PUBLIC, "").split())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        _settle()
        store = await Store.open(database)
        hub = app.state.hub = Hub(store, metrics=metrics, **given)
        hub.addresses.most_connections = int(os.environ.get(CONNECTIONS, "0"))
        hub.addresses.proxies = tuple(map(ip_network, os.environ.get(PROXIES, "").split()))
        try:
            async with hub.running():
                yield {DOOR: hub.addresses}
        finally:
            await store.close()

    app = FastAPI(
        title="Hot Dice",
        version=__version__,
        summary="Push-your-luck dice games: tables, rules, records.",
        lifespan=lifespan,
        docs_url=None,  # they load scripts from other hosts
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=ANYWHERE,
    )
    app.add_exception_handler(HotDiceError, _problem)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _elsewhere)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, metrics=metrics, site=site)
    app.add_middleware(Sockets, state=app.state, site=site)
    _add_server(app, metrics)
    _add_games(app)
    _add_tables(app)
    _describe_sockets(app)
    add_pages(app)
    return app


def _settle() -> None:
    """Tune the interpreter for many small answers beside a thread that writes.

    Everybody waits while lost cycles are looked for, so that is done rarely (tables make none, and
    a connection leaves one of two kilobytes), but not so rarely that anybody would notice it.
    """
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 50, 20)


def _describe_sockets(app: FastAPI) -> None:
    """Put the messages of sockets into the schema, where clients look for them."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        schema = plain()
        _, found = models_json_schema(
            [(model, "serialization") for model in _ON_SOCKETS],
            ref_template="#/components/schemas/{model}",
        )
        for name, part in found["$defs"].items():
            schema["components"]["schemas"].setdefault(name, part)
        return schema

    app.openapi = described  # type: ignore[method-assign]


# What goes wrong --------------------------------------------------------------------------------


def _problem(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HotDiceError):
        raise error
    if isinstance(error, TooMany):
        return too_many(error, _hub(request).metrics)
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), 422)
    return _said(problem_of(error), code)


def _unreadable(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"][1:]) or "the message"
    code = 400 if first["type"] == "json_invalid" else 422
    return _said(Problem(error=f"{place} cannot be: {first['msg']}.", kind="Unreadable"), code)


def _elsewhere(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    code, headers = elsewhere(request, error)
    why = error.detail if code == error.status_code else HTTPStatus(code).phrase
    return _said(Problem(error=f"{why.rstrip('.')}.", kind="HTTP"), code, headers)


def _said(problem: Problem, code: int, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(problem.model_dump(), code, headers)


def _hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


# What can be asked for --------------------------------------------------------------------------


def _add_server(app: FastAPI, metrics: Metrics) -> None:
    @app.get("/api/health", tags=["server"], responses={503: {"model": Health}})
    async def health(request: Request, response: Response) -> Health:
        """Whether all is well: the database is read and written, others are heard."""
        problems = await _hub(request).problems()
        response.status_code = 503 if problems else 200
        return Health(status="trouble" if problems else "ok", problems=problems)

    @app.get("/api/metrics", tags=["server"], response_class=PlainTextResponse)
    async def counts() -> PlainTextResponse:
        """What the server counts, for Prometheus."""
        return PlainTextResponse(metrics.text(), media_type="text/plain; version=0.0.4")


def _add_games(app: FastAPI) -> None:
    @app.get("/api/games", tags=["games"])
    async def games(request: Request) -> Catalogue:
        """Every game with its options, and every level of bots."""
        return Catalogue(
            version=__version__,
            trouble=_hub(request).trouble,
            games=[_game(name) for name in game_names()],
            bots=[BotShown(level=name, about=level.about) for name, level in LEVELS.items()],
        )

    @app.get("/api/games/{game}/rules", tags=["games"], responses=_REFUSED)
    async def rules(game: str) -> RulesShown:
        """A game's rules, with examples that have been run."""
        return show_rules(game_type(game).slug)

    @app.post("/api/games/{game}/options", tags=["games"], responses=_REFUSED)
    async def options(game: str, wanted: OptionsWanted) -> OptionsRead:
        """Whether options fit together, and how they are understood."""
        return read_options(game_type(game).options_type, wanted.options)


def _game(name: str) -> GameShown:
    kind = game_type(name)
    return GameShown(
        slug=kind.slug,
        title=kind.title,
        summary=kind.summary,
        min_players=kind.min_players,
        max_players=kind.max_players,
        options=[
            OptionShown.model_validate({**info._asdict(), "among": list(info.among)})
            for info in kind.options_type.describe()
        ],
    )


def _add_tables(app: FastAPI) -> None:
    @app.post("/api/tables", status_code=201, tags=["tables"], responses=_REFUSED)
    async def create(wanted: TableWanted, request: Request, player: Player = "") -> TableOpened:
        """Set a table up; the answer shows it with its first dice."""
        hub, address = _hub(request), address_of(request.scope)
        setup = read_wanted(wanted)
        hub.addresses.of(address).take("tables")
        return await show_opened(hub, await hub.create(setup, player, address))

    @app.get("/api/tables", tags=["tables"])
    async def mine(
        request: Request, player: Player = "", before: Annotated[float, Query()] = 1e12
    ) -> Tables:
        """One's own tables, the newest first."""
        return await list_tables(_hub(request), Visitor(player=player), before)

    @app.get("/api/statistics", tags=["tables"])
    async def statistics(request: Request, player: Player = "") -> Statistics:
        """What one's finished games add up to."""
        return await count_up(_hub(request), Visitor(player=player))

    @app.get("/api/tables/{table_id}", tags=["tables"], responses=_REFUSED)
    async def look(
        table_id: str, request: Request, secrets: Secrets = None, player: Player = ""
    ) -> TableShown:
        """A table as it stands; anybody with its link may look."""
        hub = _hub(request)
        live = await hub.current(table_id)
        hub.charge(address_of(request.scope), live.table.seq)
        return show_table(live, Visitor(secrets or (), player), 0, hub.trouble)

    @app.post(
        "/api/tables/{table_id}/seats",
        status_code=201,
        tags=["tables"],
        responses={**_REFUSED, **_RACED},
    )
    async def join(
        table_id: str, taken: SeatTaken, request: Request, player: Player = ""
    ) -> SeatOpened:
        """Take an open seat."""
        hub = _hub(request)
        live = await hub.current(table_id)
        seat, secret = await hub.join(live, taken.name, taken.seat, player)
        return SeatOpened(seat=seat, secret=secret)

    @app.get(
        "/api/tables/{table_id}/record",
        tags=["tables"],
        responses=_REFUSED,
        response_class=PlainTextResponse,
    )
    async def record(
        table_id: str, request: Request, game: Annotated[int | None, Query()] = None
    ) -> PlainTextResponse:
        """A game as a record to keep: the one under way, or a former one by its number."""
        hub = _hub(request)
        table = (await hub.current(table_id)).table
        hub.charge(address_of(request.scope), table.seq)
        return PlainTextResponse(table.record(game).text())
