"""Queries about the finished games of a player: totals, and pages of games with their analyses."""

from __future__ import annotations

from itertools import groupby

from sqlalchemy import (
    JSON,
    ColumnElement,
    and_,
    case,
    cast,
    exists,
    func,
    select,
    tuple_,
    type_coerce,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from hotdice.storage import schema
from hotdice.storage.stored import Career, Finished, Mark, Played
from hotdice.table.summary import Summary

_SCORES, _ANALYSES = schema.scores.c, schema.analyses.c
_SUMMARY = [_SCORES[name] for name in Summary._fields]


def _is_own(owner: str) -> ColumnElement[bool]:
    """Whether a score is the player's own: nobody's, if a bot sat in at the end."""
    return and_(_SCORES.owner == owner, _SCORES.bot == "")


async def career_of(connection: AsyncConnection, owner: str) -> list[Career]:
    """Totals of a player's finished games, for every game and name, with and without others.

    Those of games alone are apart for each set of options: points under other rules are others.
    """
    other = schema.scores.alias().c
    others = exists().where(
        other.table_id == _SCORES.table_id, other.game == _SCORES.game, other.seat != _SCORES.seat
    )
    options = case((~others, _options(connection)), else_="").label("options")
    mine = (
        select(schema.scores, (~others).label("alone"), options)
        .join(schema.tables, schema.tables.c.id == _SCORES.table_id)
        .where(_is_own(owner))
        .subquery()
        .c
    )
    query = (
        select(
            mine.slug,
            mine.alone,
            mine.name,
            mine.options,
            func.count(),
            func.sum(case((mine.won, 1), else_=0)),
            func.avg(mine.score),
            func.max(mine.score),
            func.max(mine.best),
            func.sum(mine.turns),
            func.sum(mine.empty),
        )
        .group_by(mine.slug, mine.alone, mine.name, mine.options)
        .order_by(mine.slug, mine.alone, func.count().desc(), mine.name, mine.options)
    )
    found = await connection.execute(query)
    return [Career(*row)._replace(alone=bool(row[1]), mean=float(row[6])) for row in found]


def _options(connection: AsyncConnection) -> ColumnElement[str]:
    """The options of a table, from the JSON of its set-up."""
    setup = schema.tables.c.setup
    is_postgres = connection.dialect.name == "postgresql"
    read = cast(setup, JSON) if is_postgres else type_coerce(setup, JSON)
    found: ColumnElement[str] = read["options"].as_string()
    return found


def _is_analysed(version: int) -> ColumnElement[bool]:
    """Whether there is an analysis of a score's game in this version."""
    return and_(
        _ANALYSES.table_id == _SCORES.table_id,
        _ANALYSES.game == _SCORES.game,
        _ANALYSES.version == version,
    )


async def page_of(
    connection: AsyncConnection,
    owner: str,
    version: int,
    *,
    before: Mark,
    limit: int,
    whole: bool,
    analysed: bool | None,
) -> list[Finished]:
    """A page of a player's finished games, newest first.

    Args:
        connection: a connection to the database.
        owner: the player.
        version: the wanted version of analyses.
        before: where the page begins.
        limit: how many games are on it.
        whole: whether to read whole reports instead of their digests.
        analysed: whether to list only games that are analysed, or only those that are not.
    """
    key = (_SCORES.at, _SCORES.table_id, _SCORES.game)
    chosen = select(*key).where(_is_own(owner), tuple_(*key) < tuple_(*before)).distinct()
    if analysed is not None:
        has_one = exists().where(_is_analysed(version))
        chosen = chosen.where(has_one if analysed else ~has_one)
    page = chosen.order_by(*(column.desc() for column in key)).limit(limit).subquery()
    text = _ANALYSES.report if whole else _ANALYSES.digest
    query = (
        select(
            _SCORES.table_id,
            _SCORES.game,
            _SCORES.slug,
            _SCORES.at,
            func.coalesce(text, ""),
            _SCORES.seat,
            case((_is_own(owner), 1), else_=0),
            _SCORES.owner,
            _SCORES.name,
            _SCORES.bot,
            *_SUMMARY,
        )
        .join(page, and_(page.c.table_id == _SCORES.table_id, page.c.game == _SCORES.game))
        .outerjoin(schema.analyses, _is_analysed(version))
        .order_by(*(column.desc() for column in key), _SCORES.seat)
    )

    found, rows = [], await connection.execute(query)
    for (table_id, game, slug, at), seats in groupby(rows, lambda row: row[:4]):
        played, text_ = [], ""
        for row in seats:
            _, _, _, _, text_, seat, own, owner_, name, bot, *summary = row
            played.append(Played(seat, bool(own), owner_, name, bot, Summary(*summary)))
        found.append(Finished(table_id, game, slug, at, tuple(played), text_))
    return found


async def count_of(connection: AsyncConnection, owner: str, version: int) -> tuple[int, int]:
    """How many finished games a player has, and how many of them are analysed."""
    games = (
        select(_SCORES.table_id, _SCORES.game, func.max(_ANALYSES.version).label("version"))
        .outerjoin(schema.analyses, _is_analysed(version))
        .where(_is_own(owner))
        .group_by(_SCORES.table_id, _SCORES.game)
        .subquery()
        .c
    )
    query = select(func.count(games.table_id), func.count(games.version))
    found, analysed = (await connection.execute(query)).one()
    return found, analysed
