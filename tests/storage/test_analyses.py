"""Stored analyses and the finished games of players, on SQLite and PostgreSQL."""

from __future__ import annotations

import pytest

from hotdice.storage import Addition, Analysis, Mark, Scored, Store
from hotdice.table.entries import Entry, Kind
from hotdice.table.summary import Summary
from tests.storage.test_store import stored

VERSION = 3


def scored(game: int, seat: int, owner: str, at: float, bot: str = "") -> Scored:
    summary = Summary(100 + game, seat == 0, 10, 50, 3)
    return Scored(game, seat, owner, "farkle", f"Seat {seat}", bot, at, summary)


async def end(store: Store, seq: int, game: int, *rows: Scored, table_id: str = "t1") -> None:
    """End a game, or undo its end if there are no rows."""
    entry = Entry(seq, Kind.SAY, 0, "over", 0.0)
    await store.add(Addition(table_id, [entry], game=game, scores=rows))


async def keep(
    store: Store, game: int, at: float, said: str = "{}", version: int = VERSION
) -> None:
    await store.keep("t1", Analysis(game, at, version, f"digest {said}", said))


@pytest.fixture
async def two_games(store: Store) -> Store:
    """Two finished games of ``me``: against ``you``, and against a bot."""
    await store.create(stored())
    await end(store, 2, 1, scored(1, 0, "me", 1.0), scored(1, 1, "you", 1.0))
    await end(store, 3, 2, scored(2, 0, "me", 2.0), scored(2, 1, "", 2.0, "sharp"))
    return store


async def test_finished_games_are_listed_with_their_analyses(two_games: Store) -> None:
    store = two_games
    assert await store.count_finished("me", VERSION) == (2, 0)
    await keep(store, 1, 1.0, "first")
    assert await store.count_finished("me", VERSION) == (2, 1)
    newer, older = await store.finished("me", VERSION)
    assert (newer.table_id, newer.game, newer.slug, newer.at) == ("t1", 2, "farkle", 2.0)
    assert (older.game, older.analysis, newer.analysis) == (1, "digest first", "")
    assert [(one.name, one.own, one.bot) for one in newer.seats] == [
        ("Seat 0", True, ""),
        ("Seat 1", False, "sharp"),
    ]
    assert [one.owner for one in older.seats] == ["me", "you"]
    assert older.seats[1].summary == Summary(101, won=False, turns=10, best=50, empty=3)
    [whole] = await store.finished("me", VERSION, newer.mark, whole=True)
    assert whole == older._replace(analysis="first")
    assert await store.analysis("t1", 1, VERSION) == "first"
    assert await store.finished("me", VERSION, analysed=False) == [newer]
    assert [await store.ended("t1", game) for game in (1, 2, 3)] == [1.0, 2.0, None]


async def test_players_see_only_their_own_games(two_games: Store) -> None:
    """Of a game between two people each sees it as their own; of other games nothing."""
    [shared] = await two_games.finished("you", VERSION)
    assert [one.own for one in shared.seats] == [False, True]
    for owner in ("", "somebody else", "sharp"):
        assert await two_games.finished(owner, VERSION) == []
        assert await two_games.count_finished(owner, VERSION) == (0, 0)


async def test_analyses_of_other_versions_do_not_count(two_games: Store) -> None:
    await keep(two_games, 1, 1.0, "old", VERSION - 1)
    assert await two_games.analysis("t1", 1, VERSION) == ""
    assert await two_games.count_finished("me", VERSION) == (2, 0)
    assert {one.analysis for one in await two_games.finished("me", VERSION)} == {""}
    assert len(await two_games.finished("me", VERSION, analysed=False)) == 2
    await keep(two_games, 1, 1.0, "new")  # replaces it
    assert await two_games.analysis("t1", 1, VERSION) == "new"
    assert await two_games.analysis("t1", 1, VERSION - 1) == ""


async def test_undoing_the_end_of_a_game_removes_its_analysis(two_games: Store) -> None:
    await keep(two_games, 1, 1.0)
    await keep(two_games, 2, 2.0)
    await end(two_games, 4, 2)
    assert await two_games.analysis("t1", 2, VERSION) == ""
    assert await two_games.analysis("t1", 1, VERSION) == "{}"
    await keep(two_games, 2, 2.0)  # computed before the end was undone
    assert await two_games.analysis("t1", 2, VERSION) == ""
    await end(two_games, 5, 2, scored(2, 0, "me", 9.0))
    await keep(two_games, 2, 2.0)  # still of the former end
    assert await two_games.analysis("t1", 2, VERSION) == ""
    await keep(two_games, 2, 9.0)
    assert await two_games.analysis("t1", 2, VERSION) == "{}"
    assert await two_games.problems() == []


async def test_analyses_go_with_their_table(two_games: Store) -> None:
    await keep(two_games, 1, 1.0)
    await two_games.add(Addition("t1", (), gone=True))
    assert await two_games.analysis("t1", 1, VERSION) == ""
    await keep(two_games, 1, 1.0)  # does not fail
    await two_games.keep("nowhere", Analysis(1, 1.0, VERSION, "", "{}"))
    assert await two_games.finished("me", VERSION) == []


async def test_seats_that_a_bot_played_to_the_end_are_not_the_players_own(store: Store) -> None:
    await store.create(stored())
    await end(store, 2, 1, scored(1, 0, "me", 1.0, "casual"), scored(1, 1, "you", 1.0))
    assert await store.finished("me", VERSION) == []
    assert [one.own for one in (await store.finished("you", VERSION))[0].seats] == [False, True]


async def test_pages_of_many_games_leave_nothing_out(store: Store) -> None:
    """Also when many games end at the same moment, as with an imported clock."""
    for table_id in ("t1", "t2"):
        await store.create(stored(table_id))
        for game in range(1, 41):
            rows = [scored(game, seat, "me", float(game // 7)) for seat in (0, 1)]
            await end(store, game + 1, game, *rows, table_id=table_id)
    found, mark = [], Mark(1e12)
    while page := await store.finished("me", VERSION, mark, limit=9):
        assert len(page) <= 9
        assert all(len(one.seats) == 2 for one in page)
        found += page
        mark = page[-1].mark
    keys = [(one.at, one.table_id, one.game) for one in found]
    assert keys == sorted(set(keys), reverse=True)
    assert len(keys) == 80
    assert await store.count_finished("me", VERSION) == (80, 0)
