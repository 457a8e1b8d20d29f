"""The statements that make additions to the database; ``writing`` commits them."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from sqlalchemy import Connection, delete, insert, select, text

from hotdice.storage import schema
from hotdice.storage.answers import add_answer, forget_answers
from hotdice.storage.challenges import add_challenge, add_tries, forget_challenges
from hotdice.storage.stored import Addition, Analysis, Key

# One statement for all rows of a batch: every statement switches the GIL between the event loop and
# the writer thread. An addition that is not the next one of its log gets no number, which the
# schema refuses, and with it the whole statement.
ADD_SQLITE = (
    "INSERT INTO entries (table_id, seq, kind, seat, text, at) "
    "SELECT value ->> 0, CASE WHEN value ->> 6 IS NULL OR value ->> 6 = "
    "(SELECT coalesce(max(seq), 0) FROM entries WHERE table_id = value ->> 0) "
    "THEN value ->> 1 END, value ->> 2, value ->> 3, value ->> 4, value ->> 5 "
    "FROM json_each(?)"
)
ADD_POSTGRESQL = text(
    "INSERT INTO entries (table_id, seq, kind, seat, text, at) "
    "SELECT row ->> 0, CASE WHEN row ->> 6 IS NULL OR CAST(row ->> 6 AS int) = "
    "(SELECT coalesce(max(seq), 0) FROM entries WHERE table_id = row ->> 0) "
    "THEN CAST(row ->> 1 AS int) END, row ->> 2, CAST(row ->> 3 AS int), row ->> 4, "
    "CAST(row ->> 5 AS double precision) FROM json_array_elements(CAST(:rows AS json)) AS row"
)


def rows_of(additions: Sequence[Addition]) -> str:
    """The entries of additions as JSON, each with the length that the stored log must have.

    That is ``null`` for an entry whose predecessor is in the same batch.
    """
    rows = []
    last: dict[str, int] = {}
    for one in additions:
        for entry in one.entries:
            before = entry.seq - 1
            follows = last.get(one.table_id) == before
            rows.append((one.table_id, *entry, None if follows else before))
            last[one.table_id] = entry.seq
    return orjson.dumps(rows).decode()


def is_plain(addition: Addition) -> bool:
    """Whether it adds only entries."""
    return not any(addition[2:])


def add_tables(connection: Connection, additions: Sequence[Addition]) -> None:
    """Insert new tables and the keys of their seats."""
    for one in additions:
        if (table := one.new) is None:
            continue
        row = {
            "id": one.table_id,
            "setup": table.setup.text(),
            "host": table.host.secret,
            "owner": table.host.owner,
            "created": table.created,
        }
        connection.execute(insert(schema.tables), row)
        for seat, key in table.keys.items():
            add_key(connection, one.table_id, seat, key)


def add_more(connection: Connection, additions: Sequence[Addition]) -> None:
    """Apply the rarer parts of additions, such as taken seats, scores and deleted tables."""
    for one in additions:
        if one.gone:
            _delete_table(connection, one.table_id)
        if one.claim is not None:
            add_key(connection, one.table_id, *one.claim)
        if one.game:
            _add_scores(connection, one)
        if one.analysis is not None:
            _add_analysis(connection, one.table_id, one.analysis)
        if one.challenge is not None:
            add_challenge(connection, one.challenge)
        if one.tries:
            add_tries(connection, one.table_id, one.tries)
        if one.answered is not None:
            add_answer(connection, one.answered)
        if one.forgotten:
            forget_answers(connection, one.forgotten)


def _delete_table(connection: Connection, table_id: str) -> None:
    """Delete a table, and challenges before it of which no table is left."""
    tables = schema.tables
    found = connection.execute(select(tables.c.created).where(tables.c.id == table_id))
    created = found.scalar_one_or_none()
    if created is not None:
        connection.execute(delete(tables).where(tables.c.id == table_id))
        forget_challenges(connection, created)


def add_key(connection: Connection, table_id: str, seat: int, key: Key) -> None:
    """Insert the key of a seat."""
    row = {"table_id": table_id, "seat": seat, **key._asdict()}
    connection.execute(insert(schema.seats), row)


def _add_scores(connection: Connection, addition: Addition) -> None:
    """Replace the scores of a game; its analysis goes after them, see ``_add_analysis``."""
    for table in (schema.scores, schema.analyses):
        of_game = (table.c.table_id == addition.table_id, table.c.game == addition.game)
        connection.execute(delete(table).where(*of_game))
    rows = []
    for scored in addition.scores:
        row = {"table_id": addition.table_id, **scored._asdict()}
        row.update(row.pop("summary")._asdict())
        rows.append(row)
    if rows:
        connection.execute(insert(schema.scores), rows)


def _add_analysis(connection: Connection, table_id: str, analysis: Analysis) -> None:
    """Store the analysis of a game, unless its end was undone or replaced meanwhile.

    The lock makes a process that undoes the end wait, so that it deletes this analysis, too.
    """
    scores, analyses = schema.scores.c, schema.analyses.c
    ended = (
        select(scores.seat)
        .where(scores.table_id == table_id, scores.game == analysis.game, scores.at == analysis.at)
        .with_for_update(read=True)
    )
    if not connection.execute(ended).all():
        return
    connection.execute(
        delete(schema.analyses).where(analyses.table_id == table_id, analyses.game == analysis.game)
    )
    row = {"table_id": table_id, **analysis._asdict()}
    del row["at"]
    connection.execute(insert(schema.analyses), row)
