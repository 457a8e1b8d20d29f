"""Analyses and positions over HTTP.

An analysis may have to wait until the game is solved, so it is sent as a stream of events: progress
first, then the report, or what went wrong. The report of a finished game is stored.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Literal, NamedTuple

from fastapi import FastAPI, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from hotdice.analysis.telling import VERSION
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_type, load_game
from hotdice.core.view import View
from hotdice.server.analysing import keep, solving
from hotdice.server.guarding import address_of
from hotdice.server.hub import Hub
from hotdice.server.jobs import RecordGame
from hotdice.server.limits import TooMany
from hotdice.server.messages import AdviceShown, Message, Working
from hotdice.server.refusals import Responses, refused
from hotdice.server.showing import show_advice
from hotdice.server.streaming import STREAM, streamed
from hotdice.table.log import Refused

Objective = Literal["", "win", "points"]
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
    busts: int
    risk: float
    risk_deviation: float
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
    risk: float = 0.0
    bust: bool = False


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
    rules: str
    series: list[int]
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
        if table.setup.challenge and not table.is_final:
            raise Refused("The report of a challenge comes when the game is over.")
        number = table.number if game is None else game
        is_usual = not objective and 1 <= number <= table.number
        at = await hub.store.ended(table_id, number) if is_usual else None
        table = (await hub.current(table_id)).table  # its end may have been undone meanwhile
        if at is None:
            return await _analysed(request, table.record(game).text(), objective)
        if stored := await hub.store.analysis(table_id, number, VERSION):
            return streamed(_stored(stored), hub.metrics)
        ended = _Ended(table_id, number, at)
        return await _analysed(request, table.record(number).text(), objective, ended)

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


class _Ended(NamedTuple):
    """Which finished game of a table a record is of, and when it ended."""

    table_id: str
    game: int
    at: float


async def _analysed(
    request: Request, record: str, objective: str, ended: _Ended | None = None
) -> StreamingResponse:
    """The stream of an analysis; raises ``HotDiceError`` if the record cannot be read."""
    hub, address = request.app.state.hub, address_of(request.scope)
    found = await hub.thinker.read_record(address, record)
    return streamed(_messages(hub, address, found, record, objective, ended), hub.metrics)


async def _messages(
    hub: Hub,
    address: str,
    found: RecordGame,
    record: str,
    objective: str,
    ended: _Ended | None,
) -> AsyncGenerator[Message, None]:
    """Progress, then the report, which is stored if it is that of a finished game."""
    is_best = True
    if not found.ready:
        try:
            async for part in solving(hub, address, found):
                yield Working(what="Computing the chances to win", part=part)
        except HotDiceError as error:
            if isinstance(error, TooMany):
                hub.metrics.refuse(error.limit)
            is_best = False  # the analysis does with what is known
    report = await hub.thinker.analyse(address, record, objective)
    if ended is not None and is_best:
        await keep(hub, *ended, report)
    yield ReportShown.model_validate(report)


async def _stored(report: str) -> AsyncGenerator[Message, None]:
    """A stored report."""
    yield ReportShown.model_validate_json(report)
