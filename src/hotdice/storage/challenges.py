"""Challenges in the database: who has played them, and how it went."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
)

from hotdice.core.errors import HotDiceError
from hotdice.storage import schema
from hotdice.storage.stored import Addition, Try
from hotdice.table.challenge import Challenge, Outcome

if TYPE_CHECKING:
    from hotdice.storage.store import Store

_CHALLENGES, _TRIES = schema.challenges.c, schema.tries.c
_SCORES, _ANALYSES = schema.scores.c, schema.analyses.c
_GAME = 1
"""A challenge is the first game of its table, and the only one."""


class NoSuchChallenge(HotDiceError):
    """No challenge has this id."""


class Tried(NamedTuple):
    """A try of a challenge.

    Attributes:
        by: who made it.
        table_id: where.
        outcome: how it ended; ``None`` if it has not.
        digest: the digest of its analysis as JSON; empty if there is none.
    """

    by: Try
    table_id: str
    outcome: Outcome | None
    digest: str


class Progress(NamedTuple):
    """How far a challenge is.

    Attributes:
        tries: how many people have started it.
        finished: how many of them are done.
        table_id: where the player plays or played it; empty if they have not started.
        is_done: whether the player's own try is finished.
    """

    tries: int = 0
    finished: int = 0
    table_id: str = ""
    is_done: bool = False


class Challenges:
    """The challenges in a database."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def add(self, challenge: Challenge) -> None:
        """Store a new challenge; raises ``Conflict`` if there is one with this id."""
        await self._store.add(Addition("", (), challenge=challenge))

    async def find(self, challenge_id: str) -> Challenge:
        """The challenge with an id; raises ``NoSuchChallenge``."""
        query = select(schema.challenges).where(_CHALLENGES.id == challenge_id)
        async with self._store.reading() as connection:
            row = (await connection.execute(query)).mappings().one_or_none()
        if row is None:
            raise NoSuchChallenge("There is no such challenge; ask for its link again.")
        return _challenge(row)

    async def of(self, owner: str, limit: int) -> list[Challenge]:
        """The newest challenges that a player has made or played."""
        played = exists().where(_TRIES.challenge_id == _CHALLENGES.id, _TRIES.owner == owner)
        query = (
            select(schema.challenges)
            .where(or_(_CHALLENGES.owner == owner, played))
            .order_by(_CHALLENGES.created.desc(), _CHALLENGES.id)
            .limit(limit)
        )
        async with self._store.reading() as connection:
            return [_challenge(row) for row in (await connection.execute(query)).mappings()]

    async def progress(self, ids: Collection[str], owner: str) -> dict[str, Progress]:
        """How far challenges are, for everybody and for one player."""
        is_mine = and_(_TRIES.owner == owner, _TRIES.owner != "")
        query = (
            select(
                _TRIES.challenge_id,
                func.count(),
                func.count(_SCORES.seat),
                func.max(case((is_mine, _TRIES.table_id), else_="")),
                func.max(case((and_(is_mine, _SCORES.seat.is_not(None)), 1), else_=0)),
            )
            .select_from(schema.tries.outerjoin(schema.scores, _is_score()))
            .where(_TRIES.challenge_id.in_(ids))
            .group_by(_TRIES.challenge_id)
        )
        async with self._store.reading() as connection:
            found = {
                challenge_id: Progress(tries, finished, table_id, bool(done))
                for challenge_id, tries, finished, table_id, done in await connection.execute(query)
            }
        return {one: found.get(one, Progress()) for one in ids}

    async def tries(
        self, challenge: Challenge, owner: str, version: int, limit: int
    ) -> list[Tried]:
        """A player's own try of a challenge and the best ones, with analyses of a version.

        A try that ended after the challenge had closed has no outcome: others' dice were seen.
        """
        other = schema.scores.alias().c
        is_other = and_(other.table_id == _TRIES.table_id, other.seat != _TRIES.seat)
        others = select(func.max(other.score)).where(is_other, other.game == _GAME)
        analysis = and_(
            _ANALYSES.table_id == _TRIES.table_id,
            _ANALYSES.game == _GAME,
            _ANALYSES.version == version,
        )
        query = (
            select(
                *(_TRIES[name] for name in Try._fields),
                _TRIES.table_id,
                func.coalesce(_ANALYSES.digest, ""),
                _SCORES.won,
                _SCORES.score,
                _SCORES.at,
                others.scalar_subquery(),
            )
            .outerjoin(schema.scores, _is_score())
            .outerjoin(schema.analyses, analysis)
            .where(_TRIES.challenge_id == challenge.id)
            .order_by(
                _TRIES.owner != owner,
                _SCORES.seat.is_(None),
                _SCORES.won.desc(),
                _SCORES.score.desc(),
                *(_TRIES.at, _TRIES.table_id, _TRIES.seat),
            )
            .limit(limit)
        )
        found = []
        async with self._store.reading() as connection:
            for *by, table_id, digest, won, score, at, best in await connection.execute(query):
                counts = won is not None and not challenge.is_closed(at)
                outcome = Outcome(bool(won), score, best) if counts else None
                found.append(Tried(Try(*by), table_id, outcome, digest))
        return found


def _is_score() -> ColumnElement[bool]:
    """Whether a score is that of a try."""
    return and_(
        _SCORES.table_id == _TRIES.table_id, _SCORES.game == _GAME, _SCORES.seat == _TRIES.seat
    )


def _challenge(row: RowMapping) -> Challenge:
    return Challenge(**{**row, "bots": tuple(row["bots"].split())})


# Writing ----------------------------------------------------------------------------------------


def add_challenge(connection: Connection, challenge: Challenge) -> None:
    """Insert a challenge."""
    row = {**challenge._asdict(), "bots": " ".join(challenge.bots)}
    connection.execute(insert(schema.challenges), row)


def add_tries(connection: Connection, table_id: str, tries: Sequence[Try]) -> None:
    """Insert the tries of people who have got a seat at a table."""
    rows = [{"table_id": table_id, **one._asdict()} for one in tries]
    connection.execute(insert(schema.tries), rows)


def forget_challenges(connection: Connection, before: float) -> None:
    """Delete challenges made before a time of which no table is left."""
    played = exists().where(_TRIES.challenge_id == _CHALLENGES.id)
    connection.execute(delete(schema.challenges).where(_CHALLENGES.created < before, ~played))
