"""Databases of older versions are migrated with everything that is in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, MetaData, Table, create_engine, select

from hotdice.server.hub import Hub
from hotdice.server.live import Visitor, hashed
from hotdice.server.tables import count_up, list_tables
from hotdice.storage import Answered, Key, Scored, Store, migrations, schema
from hotdice.storage.challenges import Challenges, Progress
from hotdice.storage.opening import read_url
from hotdice.table.challenge import Challenge
from hotdice.table.commands import Say
from hotdice.table.entries import Entry, Kind
from hotdice.table.summary import Summary
from tests.databases import DRIVERS, migrate
from tests.storage.test_store import SETUP, stored

PLAYER = "the player key of Ann"
ANN = hashed(PLAYER)
BEN = "the secret of Ben"
SUMMARY = Summary(10_050, won=True, turns=12, best=1500, empty=3)
SCORED = Scored(1, 0, ANN, "farkle", "Ann", "", 20.5, SUMMARY)
CHALLENGE = Challenge("c", "farkle", "target=500", 1, ("sharp",), "secret", ANN, 5.0, None)
ANSWERED = Answered(
    ANN, "farkle", "trainer", "win-1", "bank", False, False, 700_000, 2, 700_004, 30.5, 0.25
)
SAID = Entry(2, Kind.SAY, 0, "Bon app\u00e9tit \U0001f3b2", 13.5)
PLAYED = (*stored().entries, SAID)

ROWS: dict[str, list[dict[str, Any]]] = {
    "tables": [
        {"id": "t1", "setup": SETUP.text(), "host": "h" * 64, "created": 12.5, "owner": ANN}
    ],
    "seats": [
        {"table_id": "t1", "seat": 0, "secret": "a" * 64, "owner": ANN},
        {"table_id": "t1", "seat": 1, "secret": hashed(BEN), "owner": ""},
    ],
    "entries": [{"table_id": "t1", **entry._asdict()} for entry in PLAYED],
    "scores": [
        {
            "table_id": "t1",
            **{name: value for name, value in SCORED._asdict().items() if name != "summary"},
            **SUMMARY._asdict(),
        }
    ],
    "analyses": [
        {"table_id": "t1", "game": 1, "version": 3, "digest": "{}", "report": '{"events": []}'}
    ],
    "challenges": [{**CHALLENGE._asdict(), "bots": "sharp"}],
    "tries": [
        {
            "challenge_id": "c",
            "owner": ANN,
            "table_id": "t1",
            "seat": 0,
            "name": "Ann",
            "at": 12.5,
        }
    ],
    "answers": [ANSWERED._asdict()],
    "pulse": [{"id": 1, "at": 5.0}],
}
"""What the database of every version contains, as far as it has the tables and columns."""


def _versions() -> list[str]:
    folder = Path(migrations.__file__).parent / "versions"
    return sorted(path.name[:4] for path in folder.glob("0*.py"))


async def test_migrations_lead_to_the_schema(empty_database: str) -> None:
    store = await Store.open(empty_database)
    async with store._engine.connect() as connection:  # noqa: SLF001 - looking inside

        def compare(sync: object) -> object:
            context = MigrationContext.configure(sync)  # type: ignore[arg-type]
            return compare_metadata(context, schema.metadata)

        assert await connection.run_sync(compare) == []
    await store.close()


def fill(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    """Fill all tables of a schema; returns what is in them."""
    found = MetaData()
    found.reflect(connection)
    filled: dict[str, list[dict[str, Any]]] = {}
    for table in found.sorted_tables:
        if table.name == "alembic_version":
            continue
        known = table.columns.keys()
        rows = [{name: row[name] for name in known} for row in ROWS[table.name]]
        connection.execute(table.insert(), rows)
        filled[table.name] = rows
    return filled


def rows_of(connection: Connection, table: Table) -> list[dict[str, Any]]:
    query = select(table).order_by(*table.primary_key.columns)
    return [dict(row) for row in connection.execute(query).mappings()]


@pytest.mark.parametrize("version", _versions())
async def test_databases_of_every_older_version_are_migrated(
    empty_database: str, version: str
) -> None:
    if "sqlite" in empty_database:
        Path(empty_database.removeprefix("sqlite:///")).parent.mkdir(parents=True)
    migrate(empty_database, version)
    url = read_url(empty_database)
    engine = create_engine(url.set(drivername=DRIVERS[url.get_backend_name()]))
    with engine.begin() as connection:
        filled = fill(connection)
    store = await Store.open(empty_database)
    with engine.connect() as connection:
        for name, rows in filled.items():
            table = schema.metadata.tables[name]
            new = {column.name for column in table.columns} - set(rows[0])
            expected = [{**row, **dict.fromkeys(new, "")} for row in rows]
            assert rows_of(connection, table) == expected
    engine.dispose()
    await check_served(store, filled)
    await store.close()


async def check_served(store: Store, filled: dict[str, list[dict[str, Any]]]) -> None:
    """Check that everything that was filled in is served, and that the table can be played."""
    has = filled.keys()
    owner = ANN if "scores" in has else ""
    found = await store.load("t1")
    keys = {0: Key("a" * 64, owner), 1: Key(hashed(BEN))}
    assert found == stored()._replace(host=Key("h" * 64, owner), keys=keys, entries=PLAYED)
    hub, ann = Hub(store), Visitor(player=PLAYER)
    if "scores" in has:
        [listed] = (await list_tables(hub, ann, 1e12)).tables
        assert (listed.id, listed.yours) == ("t1", [0])
        [career] = (await count_up(hub, ann)).careers
        assert (career.games, career.won, career.top) == (1, 1, 10_050)
        [game] = await store.finished(ANN, 3, whole=True)
        assert game.seats[0].summary == SUMMARY
        assert game.analysis == ('{"events": []}' if "analyses" in has else "")
    if "analyses" in has:
        assert await store.analysis("t1", 1, 3) == '{"events": []}'
    if "challenges" in has:
        challenges = Challenges(store)
        assert await challenges.of(ANN, 10) == [CHALLENGE]
        assert await challenges.progress(["c"], ANN) == {"c": Progress(1, 1, "t1", is_done=True)}
        [tried] = await challenges.tries(CHALLENGE, ANN, 3, 10)
        assert (tried.by.name, tried.digest) == ("Ann", "{}")
        assert tried.outcome is not None
    assert await store.answers(ANN) == ([ANSWERED] if "answers" in has else [])
    live = await hub.open("t1")
    await hub.act(live, Visitor([BEN]), Say(1, "still here"))
    assert (await store.since("t1", 2))[0].text == "still here"
    assert await store.problems() == []


def test_every_table_is_filled() -> None:
    assert ROWS.keys() == schema.metadata.tables.keys()
    for name, table in schema.metadata.tables.items():
        assert all(row.keys() == set(table.columns.keys()) for row in ROWS[name])
