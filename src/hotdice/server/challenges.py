"""Challenges over HTTP: making, starting and ranking them.

A daily challenge exists for everybody who looks at it, and is stored when somebody starts it: its
id is the game and the day, so two processes cannot store two. The secret that the dice follow from
is in no message.
"""

from __future__ import annotations

import asyncio
import re
import secrets

from fastapi import FastAPI, Request

from hotdice.analysis.telling import VERSION
from hotdice.core.registry import game_names, game_type
from hotdice.server.challenge_messages import (
    ChallengeListed,
    ChallengeShown,
    ChallengesShown,
    ChallengeWanted,
    TryWanted,
)
from hotdice.server.guarding import address_of
from hotdice.server.headers import Player
from hotdice.server.hub import Hub
from hotdice.server.live import Visitor
from hotdice.server.messages import TableOpened
from hotdice.server.refusals import Responses, refused
from hotdice.server.standings import read_digest, show_standings
from hotdice.server.tables import show_opened
from hotdice.storage import Conflict
from hotdice.storage.challenges import Challenges, NoSuchChallenge, Progress
from hotdice.table.challenge import BOTS, Challenge, daily, daily_id, read_daily, today
from hotdice.table.log import Refused

_BYTES = 16
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_DAY = 86_400.0
_MOST_LISTED = 30
_MOST_TRIES = 300
"""Tries that standings show."""
_NOT_FOUND: Responses = {404: refused("There is no such challenge or game.")}
_TRIED: Responses = {409: refused("The player has started this challenge already.")}


def add_challenges(app: FastAPI) -> None:
    """Add the routes of challenges."""

    @app.post("/api/challenges", status_code=201, tags=["challenges"], responses=_NOT_FOUND)
    async def create(
        wanted: ChallengeWanted, request: Request, player: Player = ""
    ) -> ChallengeShown:
        """Make a challenge; nobody can see or choose its dice."""
        hub, visitor = _hub(request), Visitor(player=player)
        challenge = read_wanted(hub, wanted, visitor)
        hub.addresses.of(address_of(request.scope)).take("tables")
        await Challenges(hub.store).add(challenge)
        return await _shown(hub, challenge, visitor, address_of(request.scope))

    @app.get("/api/challenges", tags=["challenges"])
    async def listed(request: Request, player: Player = "") -> ChallengesShown:
        """Today's challenges, and those that the player made or played."""
        return await list_challenges(_hub(request), Visitor(player=player))

    @app.get("/api/challenges/{challenge_id}", tags=["challenges"], responses=_NOT_FOUND)
    async def look(challenge_id: str, request: Request, player: Player = "") -> ChallengeShown:
        """A challenge; with its standings once the player's own try is done."""
        hub, visitor = _hub(request), Visitor(player=player)
        challenge = await find_challenge(hub, challenge_id)
        return await _shown(hub, challenge, visitor, address_of(request.scope))

    @app.post(
        "/api/challenges/{challenge_id}/tables",
        status_code=201,
        tags=["challenges"],
        responses={**_NOT_FOUND, **_TRIED},
    )
    async def start(
        challenge_id: str, wanted: TryWanted, request: Request, player: Player = ""
    ) -> TableOpened:
        """Start the player's only try: set up their table."""
        hub, address = _hub(request), address_of(request.scope)
        challenge = await find_challenge(hub, challenge_id)
        await hub.check_start(challenge, Visitor(player=player).owner)
        hub.addresses.of(address).take("tables")
        challenge = await stored_challenge(hub, challenge)
        opened = await hub.create(challenge.setup(wanted.name), player, address)
        return await show_opened(hub, opened)


def _hub(request: Request) -> Hub:
    hub: Hub = request.app.state.hub
    return hub


def read_wanted(hub: Hub, wanted: ChallengeWanted, visitor: Visitor) -> Challenge:
    """The challenge that a request asks for; raises ``HotDiceError`` if it is not valid."""
    kind, now = game_type(wanted.game), hub.timepiece.wall()
    if not visitor.owner:
        raise Refused("A challenge is made by a player; send a player key.")
    challenge = Challenge(
        id=secrets.token_urlsafe(_BYTES),
        game=kind.slug,
        options=kind.options_type.read_values(wanted.options).text(),
        people=wanted.people,
        bots=tuple(wanted.bots),
        secret="",
        owner=visitor.owner,
        created=now,
        closes=None if wanted.days is None else now + wanted.days * _DAY,
    ).checked()
    return challenge._replace(secret=hub.new_seed(challenge.setup("Player")))


async def find_challenge(hub: Hub, challenge_id: str) -> Challenge:
    """A challenge, stored or daily; raises ``NoSuchChallenge``."""
    if not _ID.fullmatch(challenge_id):
        raise NoSuchChallenge("There is no such challenge; ask for its link again.")
    try:
        return await Challenges(hub.store).find(challenge_id)
    except NoSuchChallenge:
        found = daily(challenge_id, hub.timepiece.wall())
        if found is None:
            raise
        return found


async def stored_challenge(hub: Hub, challenge: Challenge) -> Challenge:
    """The challenge as it is stored; a daily one is stored with a new secret if nobody has yet."""
    if challenge.secret:
        return challenge
    made = challenge._replace(secret=hub.new_seed(challenge.setup("Player")))
    try:
        await Challenges(hub.store).add(made)
    except Conflict:  # somebody else was quicker; everybody plays theirs
        return await Challenges(hub.store).find(challenge.id)
    return made


# Showing ----------------------------------------------------------------------------------------


async def list_challenges(hub: Hub, visitor: Visitor) -> ChallengesShown:
    """Today's challenges, and the newest that a player made or played."""
    now, known = hub.timepiece.wall(), game_names()
    ids = [daily_id(slug, today(now)) for slug in known]
    dailies = [one for one in (daily(id_, now) for id_ in ids) if one is not None]
    stored, mine = Challenges(hub.store), list[Challenge]()
    if visitor.owner:
        mine = [
            one
            for one in await stored.of(visitor.owner, _MOST_LISTED)
            if one.game in known and one.id not in ids
        ]
    progress = await stored.progress([one.id for one in (*dailies, *mine)], visitor.owner)

    def shown(one: Challenge) -> ChallengeListed:
        return ChallengeListed.model_validate(_fields(one, progress[one.id], visitor, now))

    return ChallengesShown(
        day=today(now).isoformat(),
        bots=list(BOTS),
        daily=[shown(one) for one in dailies],
        yours=[shown(one) for one in mine],
    )


async def _shown(hub: Hub, challenge: Challenge, visitor: Visitor, address: str) -> ChallengeShown:
    now, stored = hub.timepiece.wall(), Challenges(hub.store)
    progress = (await stored.progress([challenge.id], visitor.owner))[challenge.id]
    is_open = progress.is_done or challenge.is_closed(now)
    hub.charge(address, min(progress.tries, _MOST_TRIES) if is_open else 0)
    tries = await stored.tries(challenge, visitor.owner, VERSION, _MOST_TRIES) if is_open else []
    digests = await asyncio.to_thread(lambda: [read_digest(one) for one in tries])
    known = next((one for one in digests if one is not None), None)
    newest = daily_id(challenge.game, today(now)) if read_daily(challenge.id) else ""
    return ChallengeShown.model_validate(
        {
            **_fields(challenge, progress, visitor, now),
            "alone": challenge.people + len(challenge.bots) == 1,
            "open": is_open,
            "standings": show_standings(tries, digests, visitor.owner),
            "objective": known.objective if known else "",
            "exact": known is not None and known.exact,
            "more": is_open and len(tries) < progress.tries,
            "today": "" if newest == challenge.id or challenge.owner else newest,
        }
    )


def _fields(one: Challenge, progress: Progress, visitor: Visitor, now: float) -> dict[str, object]:
    """The fields of ``ChallengeListed``."""
    kind, found = game_type(one.game), read_daily(one.id)
    return {
        "id": one.id,
        "game": one.game,
        "title": kind.title,
        "changed": one.options,
        "rules": kind.options_type.read(one.options).words(),
        "people": one.people,
        "bots": list(one.bots),
        "day": found[1].isoformat() if found and not one.owner else "",
        "created": one.created,
        "closes": one.closes,
        "closed": one.is_closed(now),
        "yours": bool(visitor.owner) and one.owner == visitor.owner,
        "tries": progress.tries,
        "finished": progress.finished,
        "table": progress.table_id,
        "done": progress.is_done,
    }
