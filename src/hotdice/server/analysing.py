"""Analyses of finished games: computed in workers, stored, and made up for over HTTP.

The games of a player that are not analysed yet are analysed one after another, newest first, so at
most one game is solved for a player at a time. Each analysis is stored as soon as it is done.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Literal

import orjson
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from hotdice.analysis.telling import VERSION, digest_json
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_names, game_type, load_game
from hotdice.server.guarding import address_of
from hotdice.server.headers import Player
from hotdice.server.hub import Hub
from hotdice.server.jobs import RecordGame
from hotdice.server.limits import TooMany
from hotdice.server.live import Visitor
from hotdice.server.messages import Message
from hotdice.server.refusals import Responses
from hotdice.server.streaming import STREAM, streamed
from hotdice.server.thinking import TooMuchWork
from hotdice.storage import NEWEST, Analysis, Finished, StorageError, Stored
from hotdice.table.log import Table

_PAGE = 50
_STREAMED: Responses = {
    200: {"content": {STREAM: {}}, "description": "Analysing, then an Analysed or a Problem."}
}


class Analysing(Message):
    """How far the analysis of a player's games is.

    ``done`` of ``total`` games are dealt with. The game of which ``title`` is the name comes next;
    ``part`` of its solution is computed, if it has to be solved first.
    """

    type: Literal["analysing"] = "analysing"
    done: int
    total: int
    title: str
    part: float | None = None


class Skipped(Message):
    """How many games were not analysed, and why not."""

    games: int
    why: str


class Analysed(Message):
    """The end of the analysis: ``done`` of ``total`` games were analysed, the others skipped."""

    type: Literal["analysed"] = "analysed"
    done: int
    total: int
    skipped: list[Skipped]


STREAMED = (Analysing, Analysed)
"""Messages that only stand in streams."""


def add_analysing(app: FastAPI) -> None:
    """Add the route that analyses a player's games."""
    busy: set[str] = set()

    @app.post(
        "/api/analyses", tags=["analysis"], responses=_STREAMED, response_class=StreamingResponse
    )
    async def analyses(request: Request, player: Player = "") -> StreamingResponse:
        """Analyse all finished games of the player that are not analysed yet."""
        hub: Hub = request.app.state.hub
        batch = _Batch(hub, address_of(request.scope), Visitor(player=player))
        return streamed(batch.messages(busy), hub.metrics)


async def solving(hub: Hub, address: str, found: RecordGame) -> AsyncGenerator[float, None]:
    """Solve the game of a record: the progress; raises ``HotDiceError`` if it cannot be solved."""
    parts: asyncio.Queue[float | None] = asyncio.Queue()
    game = load_game(found.slug, found.options)
    preparing = hub.thinker.preparing(address, game, found.players, parts.put_nowait)
    async with preparing as solver:
        yield 0.0
        solver.task.add_done_callback(lambda _: parts.put_nowait(None))
        while (part := await parts.get()) is not None:
            yield part
        if solver.task.cancelled():
            raise TooMuchWork("The solver was stopped.")
        solver.task.result()


async def keep(hub: Hub, table_id: str, game: int, at: float, report: dict[str, object]) -> None:
    """Store the analysis of a game that ended at a time."""
    digest, whole = (orjson.dumps(one).decode() for one in (digest_json(report), report))
    await hub.store.keep(table_id, Analysis(game, at, VERSION, digest, whole))


class _Batch:
    """The analysis of one player's games."""

    def __init__(self, hub: Hub, address: str, visitor: Visitor) -> None:
        self._hub, self._address, self._owner = hub, address, visitor.owner
        self._done = self._total = 0
        self._skipped: Counter[str] = Counter()
        self._hopeless: dict[RecordGame, str] = {}

    async def messages(self, busy: set[str]) -> AsyncGenerator[Message, None]:
        """Analyse the games, and tell how far it is; ``busy`` are players whose games are."""
        if self._owner in busy:
            why = "Your games are being analysed already; wait until that is done, or stop it."
            raise TooMany(why, "questions")
        if self._owner:
            busy.add(self._owner)
            try:
                async for message in self._all():
                    yield message
            finally:
                busy.discard(self._owner)
        skipped = [Skipped(games=games, why=why) for why, games in self._skipped.most_common()]
        done = self._done - self._skipped.total()
        yield Analysed(done=done, total=self._total, skipped=skipped)

    async def _all(self) -> AsyncIterator[Message]:
        store, mark = self._hub.store, NEWEST
        games, analysed = await store.count_finished(self._owner, VERSION)
        self._total = games - analysed
        while page := await store.finished(self._owner, VERSION, mark, _PAGE, analysed=False):
            for one in page:
                yield self._progress(one)
                try:
                    async for part in self._one(one):
                        yield self._progress(one, part)
                except (StorageError, TooMany):  # it would be the same with the next one
                    raise
                except HotDiceError as error:
                    self._skipped[str(error)] += 1
                self._done += 1
            mark = page[-1].mark
        self._total = self._done  # others may have ended or been undone meanwhile

    def _progress(self, one: Finished, part: float | None = None) -> Analysing:
        title = game_type(one.slug).title if one.slug in game_names() else one.slug
        total = max(self._total, self._done + 1)
        return Analysing(done=self._done, total=total, title=title, part=part)

    async def _one(self, one: Finished) -> AsyncIterator[float]:
        """Analyse a game and store it: the progress of its solver; raises ``HotDiceError``."""
        thinker, address = self._hub.thinker, self._address
        stored = await self._hub.store.load(one.table_id)
        self._hub.charge(address, len(stored.entries))
        record = await asyncio.to_thread(_record, stored, one.game)
        found = await thinker.read_record(address, record)
        if why := self._hopeless.get(found):
            raise TooMuchWork(why)
        try:
            if not found.ready:
                async for part in solving(self._hub, address, found):
                    yield part
            report = await thinker.analyse(address, record, "")
        except TooMany:
            raise
        except HotDiceError as error:
            self._hopeless[found] = str(error)  # games under the same rules are not tried again
            raise
        await keep(self._hub, one.table_id, one.game, one.at, report)


def _record(stored: Stored, game: int) -> str:
    return Table.of(stored.setup, stored.entries).record(game).text()
