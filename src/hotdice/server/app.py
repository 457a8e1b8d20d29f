"""The application: HTTP for setting up and looking, one WebSocket per client at a table."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from http import HTTPStatus
from ipaddress import ip_network
from typing import Annotated, TypedDict, Unpack

from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from hotdice import __version__
from hotdice.bots import LEVELS
from hotdice.core.errors import HotDiceError, UnknownGame
from hotdice.core.registry import game_names, game_type
from hotdice.server.analysing import STREAMED as ANALYSING
from hotdice.server.analysing import add_analysing
from hotdice.server.career_messages import Statistics
from hotdice.server.catalogue import (
    BotShown,
    Catalogue,
    GameShown,
    LookShown,
    OptionShown,
    RulesShown,
)
from hotdice.server.challenges import add_challenges
from hotdice.server.clocks import Timepiece
from hotdice.server.fairness import add_fairness
from hotdice.server.guarding import Guard, address_of, problem_response, too_many
from hotdice.server.headers import Player, Secrets
from hotdice.server.hub import AlreadyTried, Hub, Seeds
from hotdice.server.lan import LAN, Lan, add_lan
from hotdice.server.learning import add_learning
from hotdice.server.limits import Limits, TooMany
from hotdice.server.live import Visitor
from hotdice.server.looks import show_look
from hotdice.server.messages import (
    AdviceShown,
    Command,
    Health,
    Hello,
    News,
    OptionsRead,
    OptionsWanted,
    PresenceShown,
    Problem,
    SeatOpened,
    SeatTaken,
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
from hotdice.server.protocols import ADDRESSES
from hotdice.server.ratings import add_ratings
from hotdice.server.refusals import ANYWHERE, Responses, invalid_words, refused, status_and_headers
from hotdice.server.reports import STREAMED, add_reports
from hotdice.server.rulebook import show_rules
from hotdice.server.site import Site
from hotdice.server.sockets import Sockets
from hotdice.server.tables import (
    count_up,
    list_tables,
    read_options,
    read_wanted,
    show_opened,
    table_json,
)
from hotdice.storage import NoSuchTable, StorageError, Store, default_url
from hotdice.storage.challenges import NoSuchChallenge
from hotdice.table.log import Stale
from hotdice.table.rights import Forbidden

DATABASE = "HOTDICE_DB"
"""The environment variable with the URL of the database."""
LIMITS = "HOTDICE_LIMITS"
"""The environment variable with the limits that differ from their defaults."""
PUBLIC = "HOTDICE_PUBLIC"
"""The environment variable with the public addresses of the server."""
PROXIES = "HOTDICE_PROXIES"
"""The environment variable with the networks of trusted proxies."""
CONNECTIONS = "HOTDICE_CONNECTIONS"
"""The environment variable with the most connections of a process."""

_NOT_FOUND: Responses = {404: refused("There is no such table or game.")}
_RACED: Responses = {409: refused("Somebody else was quicker.")}
_CODES: dict[type[HotDiceError], int] = {
    NoSuchTable: 404,
    NoSuchChallenge: 404,
    UnknownGame: 404,
    Forbidden: 403,
    Stale: 409,
    AlreadyTried: 409,
    StorageError: 503,
}
_ON_SOCKETS = (
    Hello,
    Command,
    TableShown,
    News,
    AdviceShown,
    Working,
    Trouble,
    PresenceShown,
    Problem,
)


class Given(TypedDict, total=False):
    """What ``create_app`` may be given besides the database."""

    limits: Limits
    timepiece: Timepiece
    seeds: Seeds


def create_app(database: str = "", **given: Unpack[Given]) -> FastAPI:
    """The application on a database; by default that of HOTDICE_DB, or else that of this user.

    Everything else not given comes from the environment. Only tests give seeds or a timepiece.
    """
    database = database or os.environ.get(DATABASE, "") or default_url()
    given.setdefault("limits", Limits.read(os.environ.get(LIMITS, "").split()))
    metrics = Metrics()
    site = Site(os.environ.get(PUBLIC, "").split())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, object]]:
        _tune_interpreter()
        store = await Store.open(database)
        hub = app.state.hub = Hub(store, metrics=metrics, **given)
        hub.addresses.most_connections = int(os.environ.get(CONNECTIONS, "0"))
        hub.addresses.proxies = tuple(map(ip_network, os.environ.get(PROXIES, "").split()))
        lan = app.state.lan = Lan()
        try:
            async with hub.running():
                yield {ADDRESSES: hub.addresses, LAN: lan}
        finally:
            await lan.close()
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
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, metrics=metrics, site=site)
    app.add_middleware(Sockets, state=app.state, site=site)
    app.router.routes.extend(_routes())
    _describe_sockets(app)
    return app


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """The routes of every application: they find its hub by the request, and take long to build."""
    routes = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, responses=ANYWHERE)
    for add in (
        _add_server,
        add_lan,
        _add_games,
        _add_tables,
        add_reports,
        add_analysing,
        add_ratings,
        add_fairness,
        add_challenges,
        add_learning,
        add_pages,
    ):
        add(routes)
    return tuple(routes.router.routes)


def _tune_interpreter() -> None:
    """Tune the interpreter for many small requests and a writer thread.

    GC pauses block all clients, so collect rarely: tables make no cycles, and a connection leaves
    one of two kilobytes. The entries of tables survive in hundreds of thousands, so the middle
    generation is collected often enough to take about 20 ms, and all objects hardly ever.
    """
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 5, 200)


def _describe_sockets(app: FastAPI) -> None:
    """Add the messages of sockets to the OpenAPI schema."""
    plain = app.openapi

    def described() -> dict[str, object]:
        schema = plain()
        _, found = models_json_schema(
            [(model, "serialization") for model in (*_ON_SOCKETS, *STREAMED, *ANALYSING)],
            ref_template="#/components/schemas/{model}",
        )
        for name, part in found["$defs"].items():
            schema["components"]["schemas"].setdefault(name, part)
        return schema

    app.openapi = described  # type: ignore[method-assign]


# Errors -----------------------------------------------------------------------------------------


def _problem(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HotDiceError):
        raise error
    if isinstance(error, TooMany):
        return too_many(error, _hub(request).metrics)
    code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), 422)
    return problem_response(problem_of(error), code)


def _invalid(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    code = 400 if first["type"] == "json_invalid" else 422
    return problem_response(Problem(error=invalid_words(first), kind="Unreadable"), code)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    code, headers = status_and_headers(request, error)
    why = error.detail if code == error.status_code else HTTPStatus(code).phrase
    return problem_response(Problem(error=f"{why.rstrip('.')}.", kind="HTTP"), code, headers)


def _hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


# Routes -----------------------------------------------------------------------------------------


def _add_server(app: FastAPI) -> None:
    @app.get("/api/health", tags=["server"], responses={503: {"model": Health}})
    async def health(request: Request, response: Response) -> Health:
        """The health of the server: reads and writes the database, checks notices and solvers."""
        problems = await _hub(request).problems()
        response.status_code = 503 if problems else 200
        return Health(status="trouble" if problems else "ok", problems=problems)

    @app.get("/api/metrics", tags=["server"], response_class=PlainTextResponse)
    async def counts(request: Request) -> PlainTextResponse:
        """Metrics for Prometheus."""
        told = _hub(request).metrics.text()
        return PlainTextResponse(told, media_type="text/plain; version=0.0.4")


def _add_games(app: FastAPI) -> None:
    @app.get("/api/games", tags=["games"])
    async def games(request: Request) -> Catalogue:
        """All games with their options, and all levels of bots."""
        return Catalogue(
            version=__version__,
            trouble=_hub(request).trouble,
            games=[_game(name) for name in game_names()],
            bots=[BotShown(level=name, about=level.about) for name, level in LEVELS.items()],
        )

    @app.get("/api/games/{game}/rules", tags=["games"], responses=_NOT_FOUND)
    async def rules(game: str) -> RulesShown:
        """A game's rules, with examples that have been run."""
        return show_rules(game_type(game).slug)

    @app.get("/api/games/{game}/look", tags=["games"], responses=_NOT_FOUND)
    async def look_of(game: str, options: Annotated[str, Query(max_length=8000)] = "") -> LookShown:
        """How a game looks, with help, score chart and glossary for the rules in force."""
        return show_look(game_type(game).slug, options)

    @app.post("/api/games/{game}/options", tags=["games"], responses=_NOT_FOUND)
    async def options(game: str, wanted: OptionsWanted) -> OptionsRead:
        """Check options, and return them with all defaults."""
        return read_options(game_type(game).options_type, wanted.options)


def _game(name: str) -> GameShown:
    kind = game_type(name)
    return GameShown(
        slug=kind.slug,
        title=kind.title,
        summary=kind.summary,
        min_players=kind.min_players,
        max_players=kind.max_players,
        risky=kind.risky,
        options=[
            OptionShown.model_validate(
                {**info._asdict(), "among": list(info.among), "written": dict(info.written)}
            )
            for info in kind.options_type.describe()
        ],
        quick=dict(kind.quick),
        look=show_look(kind.slug),
    )


def _add_tables(app: FastAPI) -> None:
    @app.post("/api/tables", status_code=201, tags=["tables"], responses=_NOT_FOUND)
    async def create(wanted: TableWanted, request: Request, player: Player = "") -> TableOpened:
        """Set up a table; if dice are virtual, the first roll is already made."""
        hub, address = _hub(request), address_of(request.scope)
        setup = read_wanted(wanted)
        hub.addresses.of(address).take("tables")
        return await show_opened(hub, await hub.create(setup, player, address))

    @app.get("/api/tables", tags=["tables"])
    async def mine(
        request: Request, player: Player = "", before: Annotated[float, Query()] = 1e12
    ) -> Tables:
        """The player's tables, newest first."""
        return await list_tables(_hub(request), Visitor(player=player), before)

    @app.get("/api/statistics", tags=["tables"])
    async def statistics(request: Request, player: Player = "") -> Statistics:
        """Statistics of the player's finished games."""
        return await count_up(_hub(request), Visitor(player=player))

    @app.get(
        "/api/tables/{table_id}", tags=["tables"], response_model=TableShown, responses=_NOT_FOUND
    )
    async def look(
        table_id: str, request: Request, secrets: Secrets = None, player: Player = ""
    ) -> Response:
        """The current state of a table, for anybody who has its link."""
        hub = _hub(request)
        live = await hub.current(table_id)
        hub.charge(address_of(request.scope), live.table.seq)
        shown = table_json(live, Visitor(secrets or (), player), 0, hub.trouble)
        return Response(shown, media_type="application/json")

    @app.post(
        "/api/tables/{table_id}/seats",
        status_code=201,
        tags=["tables"],
        responses={**_NOT_FOUND, **_RACED},
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
        responses=_NOT_FOUND,
        response_class=PlainTextResponse,
    )
    async def record(
        table_id: str, request: Request, game: Annotated[int | None, Query()] = None
    ) -> PlainTextResponse:
        """The record of the current game, or of an earlier one by its number."""
        hub = _hub(request)
        table = (await hub.current(table_id)).table
        hub.charge(address_of(request.scope), table.seq)
        return PlainTextResponse(table.record(game).text())
