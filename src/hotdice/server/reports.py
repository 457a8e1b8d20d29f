"""Analyses and positions over HTTP.

An analysis may have to wait until the game is solved, so it is sent as a stream of events: progress
first, then the report, or what went wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import FastAPI, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_type, load_game
from hotdice.core.view import View
from hotdice.server.guarding import address_of
from hotdice.server.hub import Hub
from hotdice.server.jobs import RecordGame
from hotdice.server.messages import AdviceShown, Message, Working
from hotdice.server.problems import problem_of
from hotdice.server.refusals import Responses, refused
from hotdice.server.showing import show_advice

Objective = Literal["", "win", "points"]
STREAM = "text/event-stream"
_LONGEST_RECORD = 60_000
_LONGEST_OPTIONS = 8000
_LONGEST_STATE = 4000
_NOT_FOUND: Responses = {404: refused("There is no such table or game.")}
_STREAMED: Responses = {
    200: {"content": {STREAM: {}}, "description": "Progress, then a ReportShown or a Problem."}
}


class AnalysisWanted(Message):
    """A record to analyse, by chances to win or by points; by default as fits the game."""

    record: Annotated[str, Field(min_length=1, max_length=_LONGEST_RECORD)]
    objective: Objective = ""


class SeatReportShown(Message):
    """The luck and the skill of one seat; see ``analysis.report.SeatReport``."""

    name: str
    result: float | None
    rolls: int
    luck: float
    deviation: float
    percentile: float
    decisions: int
    cost: float
    difficulty: float | None
    accuracy: float | None
    rating: float | None
    verdicts: dict[str, int]
    summary: str


class AssessedShown(Message):
    """What an event was worth; see ``analysis.report.Assessment``."""

    seat: int
    event: str
    state: str
    told: str
    value: float
    luck: float
    cost: float
    word: str
    best: str = ""
    choices: int = 0
    spread: float = 0.0


class CostlyShown(Message):
    """One of the costliest decisions: the number of the event, what was better, and why."""

    event: int
    words: str
    why: str


class ReportShown(Message):
    """A game analysed; see ``docs/analysis.md``."""

    type: Literal["report"] = "report"
    game: str
    title: str
    options: dict[str, str]
    changed: str
    objective: str
    exact: bool
    basis: str
    start: float
    value: float
    seats: list[SeatReportShown]
    costliest: list[CostlyShown]
    events: list[AssessedShown]


class PositionShown(Message):
    """A position with its line of text, and the coach's ranking if there is a choice."""

    game: str
    title: str
    changed: str
    state: str
    view: View
    advice: AdviceShown | None


STREAMED = (ReportShown,)
"""Messages that only stand in streams."""


def add_reports(app: FastAPI) -> None:
    """Add the routes of analyses and positions."""

    @app.post(
        "/api/analysis", tags=["analysis"], responses=_STREAMED, response_class=StreamingResponse
    )
    async def analysis(wanted: AnalysisWanted, request: Request) -> StreamingResponse:
        """Luck and skill in a record."""
        return await _analysed(request, wanted.record, wanted.objective)

    @app.get(
        "/api/tables/{table_id}/report",
        tags=["analysis"],
        responses={**_NOT_FOUND, **_STREAMED},
        response_class=StreamingResponse,
    )
    async def report(
        table_id: str,
        request: Request,
        game: Annotated[int | None, Query()] = None,
        objective: Objective = "",
    ) -> StreamingResponse:
        """Luck and skill in the current game of a table, or in an earlier one by its number."""
        hub: Hub = request.app.state.hub
        table = (await hub.current(table_id)).table
        hub.charge(address_of(request.scope), table.seq)
        return await _analysed(request, table.record(game).text(), objective)

    @app.get("/api/games/{game}/position", tags=["analysis"], responses=_NOT_FOUND)
    async def position(
        game: str,
        request: Request,
        state: Annotated[str, Query(max_length=_LONGEST_STATE)],
        options: Annotated[str, Query(max_length=_LONGEST_OPTIONS)] = "",
        objective: Objective = "",
    ) -> PositionShown:
        """Any position of a game, from its line of text, with the coach's ranking."""
        kind, hub = game_type(game), request.app.state.hub
        found = await hub.thinker.position(
            address_of(request.scope), kind.slug, options, state, objective
        )
        rules = load_game(kind.slug, options)
        return PositionShown(
            game=kind.slug,
            title=kind.title,
            changed=found.options,
            state=found.text,
            view=found.view,
            advice=show_advice(rules, 0, found.advice) if found.advice else None,
        )


async def _analysed(request: Request, record: str, objective: str) -> StreamingResponse:
    """The stream of an analysis; raises ``HotDiceError`` if the record cannot be read."""
    hub, address = request.app.state.hub, address_of(request.scope)
    found = await hub.thinker.read_record(address, record)
    lines = _lines(hub, address, found, record, objective)
    return StreamingResponse(lines, media_type=STREAM, headers={"Cache-Control": "no-store"})


async def _lines(
    hub: Hub, address: str, found: RecordGame, record: str, objective: str
) -> AsyncIterator[str]:
    """The messages of an analysis, as server-sent events."""
    try:
        if not found.ready:
            async for part in _solving(hub, address, found):
                yield _line(Working(what="Computing the chances to win", part=part))
        report = await hub.thinker.analyse(address, record, objective)
        yield _line(ReportShown.model_validate(report))
    except HotDiceError as error:
        yield _line(problem_of(error))


def _line(message: Message) -> str:
    return f"data: {message.model_dump_json()}\n\n"


async def _solving(hub: Hub, address: str, found: RecordGame) -> AsyncIterator[float]:
    """The progress of the game's solver; ends when it is solved or cannot be."""
    parts: asyncio.Queue[float] = asyncio.Queue()
    game = load_game(found.slug, found.options)
    solving = hub.thinker.preparing(address, game, found.players, parts.put_nowait)
    async with solving as solver:
        yield 0.0
        while not solver.task.done():
            part = asyncio.ensure_future(parts.get())
            await asyncio.wait({part, solver.task}, return_when=asyncio.FIRST_COMPLETED)
            if part.done():
                yield part.result()
            part.cancel()
        # If it failed, the analysis does with what is known.
        solver.task.cancelled() or solver.task.exception()
