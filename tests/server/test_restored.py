"""A database that was restored, or fails over, to a shorter or another log than a process knows."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from sqlalchemy import text

from hotdice.server.hub import Hub
from hotdice.server.live import Live, Visitor
from hotdice.server.tables import show_table
from hotdice.storage import Store
from hotdice.table.commands import Say
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Refused
from hotdice.table.sitting import Seat
from tests.server.hubs import SETUP, act

BACK = "connect again"
MISSING = "set up a new table"


class Played:
    """A hub with a table of three entries, and its host."""

    def __init__(self, hub: Hub, live: Live, visitor: Visitor) -> None:
        self.hub, self.live, self.visitor = hub, live, visitor

    async def say(self, words: str, live: Live | None = None) -> list[Entry]:
        return await self.hub.act(live or self.live, self.visitor, Say(0, words))

    async def sql(self, statement: str) -> None:
        async with self.hub.store._engine.begin() as connection:  # noqa: SLF001 - no API for it
            await connection.execute(text(statement))

    async def seqs(self) -> list[int]:
        """The numbers of all stored entries."""
        query = text("SELECT seq FROM entries ORDER BY seq")
        async with self.hub.store.reading() as connection:
            return list((await connection.execute(query)).scalars())


@pytest.fixture
async def played(store: Store) -> Played:
    hub = Hub(store)
    opened = await hub.create(SETUP)
    found = Played(hub, await hub.open(opened.id), Visitor(opened.seats.values()))
    await found.say("one")
    await found.say("two")
    return found


async def test_a_command_after_a_restore_leaves_no_gap(played: Played) -> None:
    """It comes before the process has compared its tables with the database."""
    hub, live = played.hub, played.live
    await played.sql("DELETE FROM entries WHERE seq > 1")
    async with hub.watch(live, 3) as watcher:
        with pytest.raises(Refused, match=BACK):
            await played.say("three")
        assert watcher.texts[-1] is None  # its client is disconnected
        with pytest.raises(Refused, match=BACK):  # although its socket is still open
            await played.say("four")
    assert await played.seqs() == [1]
    again = await hub.open(live.id)
    assert (again.table.seq, again.closed) == (1, "")
    await played.say("once more", again)
    with pytest.raises(Refused, match=BACK):  # it must not fit by chance
        await played.say("five")
    with pytest.raises(Refused, match=BACK):
        await hub.room.refresh(live)
    assert await played.seqs() == [1, 2]
    assert await hub.open(live.id) is again


async def test_a_command_for_a_dropped_table_is_refused(played: Played) -> None:
    hub, live = played.hub, played.live
    await played.sql("DELETE FROM entries WHERE seq > 2")
    await hub.room.compare()
    with pytest.raises(Refused, match=BACK):
        await played.say("three")
    assert await played.seqs() == [1, 2]
    assert (await hub.open(live.id)).table.seq == 2


async def test_another_log_of_the_same_length_is_noticed(played: Played) -> None:
    """After a restore, another process has added as much already."""
    hub, live = played.hub, played.live
    await played.sql("DELETE FROM entries WHERE seq > 2")
    others = [Entry(seq, Kind.SAY, 1, "something else", 0.0) for seq in (3, 4)]
    await hub.store.append(live.id, others)
    with pytest.raises(Refused, match=BACK):
        await hub.room.refresh(live)
    again = await hub.current(live.id)
    assert [entry.text for entry in again.table.entries][1:] == ["one", *["something else"] * 2]
    await played.say("three", again)
    assert await played.seqs() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_a_hello_after_a_restore_gets_the_log_of_the_database(played: Played) -> None:
    await played.sql("DELETE FROM entries WHERE seq > 1")
    current = await played.hub.current(played.live.id)
    assert (current is played.live, current.table.seq) == (False, 1)


@pytest.fixture
async def torn(played: Played) -> Played:
    """The table as an earlier version may have left it, opened by another process."""
    await played.sql("DELETE FROM entries WHERE seq = 2")
    hub = Hub(played.hub.store)
    return Played(hub, await hub.open(played.live.id), played.visitor)


async def test_a_table_with_a_gap_opens_as_far_as_it_can_be_read(torn: Played) -> None:
    hub, live = torn.hub, torn.live
    assert live.table.seq == 1
    shown = show_table(live, torn.visitor, 0, "The disk is full.")
    assert shown.trouble == f"The disk is full. {live.closed}"
    assert MISSING in live.closed
    with pytest.raises(Refused, match=MISSING):
        await torn.say("hello")
    await hub.room.compare()
    await hub.room.refresh(live)
    assert await torn.seqs() == [1, 3]
    assert await hub.current(live.id) is live


async def test_the_sentence_stays_when_other_trouble_is_over(
    torn: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hotdice.server.hub._WATCHED_EVERY", 0.01)
    torn.hub.trouble = "The disk is full."
    async with torn.hub.running(), torn.hub.watch(torn.live, 1) as watcher:
        while (said := json.loads(await watcher.get() or "{}"))["type"] != "trouble":
            pass
    assert said["what"] == torn.live.closed


async def test_nobody_plays_at_a_table_with_a_gap(store: Store) -> None:
    """No bot tries again and again to add what is refused."""
    hub = Hub(store)
    setup = replace(SETUP, clock=1, seats=(Seat("Ann"), Seat("Bo", "greedy")))
    opened = await hub.create(setup)
    live = await hub.open(opened.id)
    while not live.table.bot_due():
        await act(hub, live, opened)
        if live.driver is not None:
            live.driver.cancel()
    length = live.table.seq
    await store.append(opened.id, [Entry(length + 1, Kind.SAY, 0, "x", 0.0)])
    await store.append(opened.id, [Entry(length + 2, Kind.SAY, 0, "x", 0.0)])
    async with store._engine.begin() as connection:  # noqa: SLF001 - no API for it
        lost = text("DELETE FROM entries WHERE seq = :seq")
        await connection.execute(lost, {"seq": length + 1})
    again = await Hub(store).open(opened.id)
    assert again.table.bot_due()
    assert (again.driver, again.alarm) == (None, None)
