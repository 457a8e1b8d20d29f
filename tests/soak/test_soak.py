"""The soak test detects the faults it looks for."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random

import psycopg
from tools.soak.checking import check
from tools.soak.house import House
from tools.soak.playing import Habits, Match, Player, Told
from tools.soak.proxy import Proxy
from tools.soak.report import Report
from tools.soak.servers import Server

from hotdice.storage import Key, Store, Stored
from hotdice.table.commands import Choose, auto_roll
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat


async def test_the_proxy_drops_only_notices(proxy: Proxy) -> None:
    address = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
    async with await psycopg.AsyncConnection.connect(address, autocommit=True) as listening:
        await listening.execute("LISTEN soaked")
        proxy.drops_notices = True
        await listening.execute("NOTIFY soaked, 'first'")
        proxy.drops_notices = False
        await listening.execute("NOTIFY soaked, 'second'")
        heard = [notice.payload async for notice in listening.notifies(stop_after=1)]
    assert heard == ["second"]
    assert proxy.dropped == 1


async def test_the_proxy_can_hang_only_the_listening_connection(proxy: Proxy) -> None:
    address = f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
    async with (
        await psycopg.AsyncConnection.connect(address, autocommit=True) as listening,
        await psycopg.AsyncConnection.connect(address, autocommit=True) as other,
    ):
        await listening.execute("LISTEN soaked")
        proxy.hang("listening")
        asked = asyncio.create_task(listening.execute("SELECT 1"))
        await other.execute("SELECT 1")
        assert not asked.done()
        proxy.hang("")
        await asked


def test_a_message_about_trouble_does_not_keep_a_client_from_acting() -> None:
    """It once waited for an answer to a command that it had not sent."""
    match = Match("t", "farkle", 1, [], Random(1), Report("test"), Habits())
    player = Player(match, 0, "", 0)
    for waits in (False, True):
        player.waits = waits
        player.hear(json.dumps({"type": "trouble", "what": "The database does not answer."}))
        assert player.waits is waits


async def played(tmp_path: Path) -> tuple[House, Match, Player, Table]:
    """A table in a database, and a client that has received all of it."""
    setup = Setup("farkle", "starts=seat", (Seat("Ann"), Seat("Ben")), seed="1").checked()
    table = auto_roll(Table.of(setup), 1.0).table
    text = table.game.event_text(table.game.choices(table.state)[0])
    table = Choose(0, text, table.seq).on(table, 2.0).table
    address = f"sqlite:///{tmp_path / 'hotdice.db'}"
    store = await Store.open(address)
    await store.create(Stored("t", setup, Key("h"), {}, 1.0, tuple(table.entries)))
    await store.close()
    match = Match("t", "farkle", 1, [], Random(1), Report("test"), Habits())
    server = Server("s", address, tmp_path)
    match.servers = [server]
    player = Player(match, None, "", 0)
    match.players.append(player)
    player.told = {e.seq: Told(e.kind, e.seat, e.at, e.text) for e in table.entries}
    player.seen, player.status = table.seq, {"game": 1}
    return House([server], [], address), match, player, table


async def test_entries_missing_or_different_in_the_database_count_as_lost(tmp_path: Path) -> None:
    house, match, player, table = await played(tmp_path)
    player.told[1] = player.told[1]._replace(text="666666")
    player.told[table.seq + 1] = Told("say", 0, 3.0, "gone")
    await check(house, [match], match.report)
    assert len(match.report.lost) == 2
    assert match.report.failed


async def test_a_client_that_ends_in_another_state_is_reported(tmp_path: Path) -> None:
    house, match, player, _ = await played(tmp_path)
    await check(house, [match], match.report)
    assert match.report.other == [
        "farkle t, spectator at s: ends with a different view than the database"
    ]
    match.report.other.clear()
    player.seen -= 1
    await check(house, [match], match.report)
    assert "ends at" in match.report.other[0]


def test_only_errors_of_outages_are_excused(tmp_path: Path) -> None:
    server = Server("s", "", tmp_path)
    lines = [
        {"level": "info", "message": "request"},
        {"level": "error", "message": "the database failed: The database cannot be read: gone."},
        {"level": "error", "message": "something went wrong", "error": "Traceback\nBoom"},
    ]
    server.log.write_text("\n".join([*map(json.dumps, lines), "Traceback (most recent call last)"]))
    assert len(server.complaints(outages=False)) == 3
    found = server.complaints(outages=True)
    assert len(found) == 2
    assert "Boom" in found[0]
    assert "not a log line: Traceback" in found[1]
