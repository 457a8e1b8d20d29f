"""A player's own mistakes, from the stored analyses of finished games."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple

from fastapi import FastAPI, Query, Request

from hotdice.analysis.judging import BLUNDER, MISTAKE, Verdict
from hotdice.analysis.telling import VERSION, lost_words
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_names, game_type
from hotdice.server.guarding import address_of
from hotdice.server.headers import Player
from hotdice.server.hub import Hub
from hotdice.server.learner import Learner
from hotdice.server.learning_messages import Hidden, Least, MistakeShown, MistakesShown
from hotdice.server.lessons import LessonFound
from hotdice.server.live import Visitor
from hotdice.server.reports import AssessedShown, ReportShown
from hotdice.storage import NEWEST, Answered, Finished

EXERCISE = "mistake"
_NAME = re.compile(r"([\w-]{1,64})\.([1-9]\d{0,5})\.(\d{1,6})", re.ASCII)
_MOST_GAMES = 100
_PAGE = 20
"""Games whose analyses are read at once."""
_MOST_LISTED = 300
_A_GAME = 250
"""Reading an analysis costs as much as this many lines of a log."""
_RANKS: dict[str, int] = {Verdict.SLIP: 0, Verdict.MISTAKE: 1, Verdict.BLUNDER: 2}
_PLURALS = {
    Verdict.SLIP.value: ("slip", "slips", MISTAKE),
    Verdict.MISTAKE.value: ("mistake", "mistakes", BLUNDER),
}
"""What is smaller than others, and below which part of a win."""


class NotYours(HotDiceError):
    """There is no such mistake of this player."""


class Own(NamedTuple):
    """A decision of the player that cost something, in a finished game."""

    slug: str
    name: str
    at: float
    who: str
    objective: str
    event: AssessedShown


def add_mistakes(app: FastAPI) -> None:
    """Add the route of a player's own mistakes."""

    @app.get("/api/learn/mistakes", tags=["learning"])
    async def mistakes(
        request: Request,
        player: Player = "",
        least: Annotated[Least, Query(description="The smallest that are listed.")] = "mistake",
        table: Annotated[str, Query(max_length=64, description="Only those at this table.")] = "",
        who: Annotated[
            str, Query(max_length=40, description="Only those made under this name.")
        ] = "",
    ) -> MistakesShown:
        """The player's decisions that cost something, and how many are not listed, and why."""
        hub: Hub = request.app.state.hub
        learner = Learner.of(request, player, game_names()[0])
        owner = Visitor(player=player).owner
        if not owner:
            return MistakesShown(games=0, analysed=0, decisions=0, who=[], mistakes=[], hidden=[])
        games, analysed = await hub.store.count_finished(owner, VERSION)
        hub.charge(address_of(request.scope), min(analysed, _MOST_GAMES) * _A_GAME)
        found = await _read(hub, owner)
        waiting, older = games - analysed, 0 if table else analysed - len(found.games)
        kept = {one.name: one for one in await hub.store.answers(owner, exercise=EXERCISE)}
        there = [one for one in found.games if one.table_id == table or not table]
        names = Counter(name for one in there for name in one.names)
        own = [
            one
            for one in found.own
            if (one.name.startswith(f"{table}.") or not table) and (one.who == who or not who)
        ]
        if table or who:  # games that wait to be analysed may be among them, too
            analysed = sum(who in one.names or not who for one in there)
        listed = [one for one in own if _RANKS[one.event.word] >= _RANKS[least]]
        listed.sort(key=lambda one: _order(one, kept.get(one.name), learner.day))
        first = listed[:_MOST_LISTED]
        return MistakesShown(
            games=analysed + waiting,
            analysed=analysed,
            decisions=len(own),
            who=[name for name, _ in names.most_common()],
            mistakes=[_shown(one, kept.get(one.name), learner.day) for one in first],
            hidden=_hidden(own, least, waiting, older, len(listed)),
        )


class _Game(NamedTuple):
    """A game that was read: its table, and the names under which the player sat there."""

    table_id: str
    names: frozenset[str]


class _Read(NamedTuple):
    """What games cost a player, and the games that were read."""

    own: list[Own]
    games: list[_Game]


async def _read(hub: Hub, owner: str) -> _Read:
    """What the player's newest analysed games cost them."""
    own: list[Own] = []
    games: list[_Game] = []
    mark = NEWEST
    while len(games) < _MOST_GAMES:
        page = await hub.store.finished(owner, VERSION, mark, _PAGE, whole=True, analysed=True)
        own += await asyncio.to_thread(_own, page)
        games += [_Game(one.table_id, frozenset(_names(one).values())) for one in page]
        if len(page) < _PAGE:
            break
        mark = page[-1].mark
    return _Read(own, games)


def _names(one: Finished) -> dict[int, str]:
    """The player's own seats in a game, and their names: several people may share a device."""
    return {played.seat: played.name for played in one.seats if played.own}


def _own(page: Sequence[Finished]) -> list[Own]:
    found: list[Own] = []
    for one in page:
        if one.slug in game_names():
            report = ReportShown.model_validate_json(one.analysis)
            names = _names(one)
            found += [
                Own(
                    one.slug,
                    f"{one.table_id}.{one.game}.{at}",
                    one.at,
                    names[event.seat],
                    report.objective,
                    event,
                )
                for at, event in _costly(report)
                if event.seat in names
            ]
    return found


def _costly(report: ReportShown) -> Iterator[tuple[int, AssessedShown]]:
    return ((at, event) for at, event in enumerate(report.events) if event.cost > 0.0)


def _order(one: Own, before: Answered | None, today: int) -> tuple[int, float]:
    """What is due comes first, then what was never answered, then the rest; the costly first."""
    if before is None:
        return 1, -one.event.cost
    return (0 if _is_due(before, today) else 2), -one.event.cost


def _is_due(before: Answered, today: int) -> bool:
    return before.due is not None and before.due <= today


def _shown(one: Own, before: Answered | None, today: int) -> MistakeShown:
    return MistakeShown(
        game=one.slug,
        title=game_type(one.slug).title,
        name=one.name,
        at=one.at,
        who=one.who,
        word=one.event.word,
        lost=lost_words(one.event.cost, one.objective),
        right=before.correct if before else None,
        due=before is not None and _is_due(before, today),
    )


def _hidden(
    own: Iterable[Own], least: Least, waiting: int, older: int, listed: int
) -> list[Hidden]:
    """What is not listed, and why."""
    words = Counter(one.event.word for one in own)
    found = []
    for word, (single, many, part) in _PLURALS.items():
        if words[word] and _RANKS[word] < _RANKS[least]:
            named = single if words[word] == 1 else many
            why = f"{named} below {100 * part:.0f} %"
            found.append(Hidden(count=words[word], why=why))
    if waiting > 0:
        found.append(Hidden(count=waiting, why=f"{_games(waiting)} not analysed yet"))
    if older > 0:
        why = f"{_games(older)} older than your last {_MOST_GAMES}"
        found.append(Hidden(count=older, why=why))
    if listed > _MOST_LISTED:
        why = f"that come after the first {_MOST_LISTED}"
        found.append(Hidden(count=listed - _MOST_LISTED, why=why))
    return found


def _games(count: int) -> str:
    return "game that is" if count == 1 else "games that are"


class Mistaken(NamedTuple):
    """A position of a player's own game: its rules, the position, and what was chosen then."""

    options: str
    found: LessonFound
    played: str


def is_mistake(name: str) -> bool:
    """Whether a name is that of a decision in a game."""
    return _NAME.fullmatch(name) is not None


async def find_mistake(learner: Learner, name: str) -> Mistaken:
    """A position by its table, game and event; raises ``NotYours``."""
    match, store = _NAME.fullmatch(name), learner.hub.store
    keys = await store.keys(match[1]) if match and learner.owner else {}
    if not match or all(key.owner != learner.owner for key in keys.values()):
        raise NotYours("There is no such decision in your analysed games.")
    learner.hub.charge(learner.address, _A_GAME)
    text = await store.analysis(match[1], int(match[2]), VERSION)
    if not text:
        raise NotYours("There is no such decision in your analysed games.")
    report = await asyncio.to_thread(ReportShown.model_validate_json, text)
    at = int(match[3])
    event = report.events[at] if at < len(report.events) else None
    key = keys.get(event.seat) if event else None
    is_own = key is not None and key.owner == learner.owner
    if event is None or not is_own or event.cost <= 0.0 or report.game != learner.slug:
        raise NotYours("There is no such decision in your analysed games.")
    position = await learner.hub.thinker.position(
        learner.address, learner.slug, report.changed, event.state, report.objective
    )
    if position.advice is None:
        raise NotYours("There is no such decision in your analysed games.")
    found = LessonFound(position.view, position.text, position.advice, None)
    return Mistaken(report.changed, found, event.event)
