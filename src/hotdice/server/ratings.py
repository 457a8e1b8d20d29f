"""The ratings of a player, over HTTP: folded from finished games, in a worker."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import FastAPI, Request

from hotdice.analysis.careers import Entered, Player
from hotdice.analysis.telling import VERSION
from hotdice.core.registry import game_names, game_type
from hotdice.server import headers
from hotdice.server.guarding import address_of
from hotdice.server.hub import Hub
from hotdice.server.live import Visitor
from hotdice.server.messages import Message
from hotdice.server.tables import rules_in
from hotdice.storage import NEWEST, Finished

_PAGE = 250
_MOST = 5000
"""The most games of a player that are rated, the newest."""


class EstimateShown(Message):
    """A mean of several games; ``error`` is its standard error, ``null`` for one game."""

    value: float
    error: float | None
    games: int


class StrengthShown(Message):
    """The openskill rating from wins; ``error`` is its standard deviation."""

    value: float
    error: float
    games: int


class LuckShown(Message):
    """The luck of games with exact values; see ``analysis.skill.Luck``."""

    total: float
    deviation: float
    percentile: float
    rolls: int
    games: int


class PlayShown(Message):
    """Accuracy and performance rating over all decisions; see ``analysis.skill.Play``."""

    decisions: int
    cost: float
    accuracy: float | None
    rating: float | None
    games: int


class BustsShown(Message):
    """Turns that a roll ended with nothing made, and how many were to be expected."""

    happened: int
    expected: float
    deviation: float


class MomentShown(Message):
    """A game in the history of a career; see ``analysis.careers.Moment``."""

    table_id: str
    game: int
    at: float
    won: bool
    score: int
    luck: float | None
    deviation: float | None
    accuracy: float | None
    decisions: int
    cost: float | None
    options: str | None
    skill: EstimateShown | None
    strength: StrengthShown | None


class BestShown(Message):
    """A personal best; see ``analysis.careers.Best``. The ``rules`` are in words."""

    rules: str
    length: int
    points: int
    among: int
    table_id: str
    game: int
    at: float


class RatedShown(Message):
    """The ratings of a player's games of one kind, under one name.

    ``analysed`` of its ``games`` are analysed, another ``other`` only by points of single turns.
    Of games alone, ``adjusted`` and ``results`` are those with the options ``usual``; ``rules`` are
    these in words, and ``length`` is how many games a series adds up under them, 0 without series.
    """

    game: str
    title: str
    alone: bool
    name: str
    objective: str
    games: int
    analysed: int
    other: int
    usual: str
    rules: str
    length: int
    play: PlayShown
    luck: LuckShown | None
    busts: BustsShown
    skill: EstimateShown | None
    adjusted: EstimateShown | None
    results: EstimateShown | None
    strength: StrengthShown | None
    bests: list[BestShown]
    history: list[MomentShown]


class Ratings(Message):
    """The ratings of a player; ``waiting`` games are not analysed yet.

    ``older`` if there are more games than are rated at once.
    """

    games: int
    waiting: int
    older: bool
    rated: list[RatedShown]


def add_ratings(app: FastAPI) -> None:
    """Add the route of a player's ratings."""

    @app.get("/api/ratings", tags=["analysis"])
    async def ratings(request: Request, player: headers.Player = "") -> Ratings:
        """Luck, skill and ratings in the player's finished games."""
        hub, owner = request.app.state.hub, Visitor(player=player).owner
        if not owner:
            return Ratings(games=0, waiting=0, older=False, rated=[])
        return await _ratings(hub, address_of(request.scope), owner)


async def _ratings(hub: Hub, address: str, owner: str) -> Ratings:
    games, analysed = await hub.store.count_finished(owner, VERSION)
    hub.charge(address, min(games, _MOST))
    entered = await _entered(hub, owner) if games else ()
    known = game_names()
    careers = await hub.thinker.careers(address, entered) if entered else []
    return Ratings(
        games=games,
        waiting=games - analysed,
        older=games > _MOST,
        rated=[_rated(career) for career in careers if career["game"] in known],
    )


async def _entered(hub: Hub, owner: str) -> tuple[Entered, ...]:
    """The newest finished games of a player."""
    found: list[Entered] = []
    mark = NEWEST
    while len(found) < _MOST:
        page = await hub.store.finished(owner, VERSION, mark, _PAGE)
        found += map(_enter, page)
        if len(page) < _PAGE:
            break
        mark = page[-1].mark
    return tuple(found)


def _enter(one: Finished) -> Entered:
    players = tuple(
        Player(
            f"bot:{seat.bot}" if seat.bot else f"{seat.owner}/{seat.name}",
            seat.name,
            seat.own,
            seat.summary.won,
            seat.summary.score,
        )
        for seat in one.seats
    )
    return Entered(one.slug, one.table_id, one.game, one.at, players, one.analysis)


def _rated(career: Mapping[str, object]) -> RatedShown:
    slug = str(career["game"])
    rules, length = rules_in(slug, str(career["usual"]))
    found = RatedShown.model_validate(
        {**career, "title": game_type(slug).title, "rules": rules, "length": length}
    )
    bests = [
        best.model_copy(update={"rules": rules_in(slug, best.rules)[0]}) for best in found.bests
    ]
    return found.model_copy(update={"bests": bests})
