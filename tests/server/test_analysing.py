"""Making up for analyses of finished games, over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

from hotdice import Record, load_game
from hotdice.analysis.report import analyse
from hotdice.analysis.telling import VERSION, report_json
from hotdice.server.analysing import solving
from hotdice.server.hub import Hub
from hotdice.server.jobs import RecordGame
from hotdice.server.live import hashed
from hotdice.server.thinking import Thinker
from hotdice.solve.coach import prepare
from hotdice.storage import Analysis, Store
from hotdice.table.entries import Entry, Kind
from tests.analysis.games import played
from tests.asking import client_of
from tests.server.finished import finish
from tests.server.test_app import serving
from tests.server.test_reports import messages

ME, YOU = "a key of some length", "the key of another player"
SHORT = ("cockroach", "target=6 starts=seat")


def game(seed: str, options: str = SHORT[1]) -> Record:
    return played(SHORT[0], options, ("casual", "random"), seed)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(f"sqlite:///{tmp_path / 'tables.db'}")
    yield opened
    await opened.close()


@pytest.fixture
async def http(store: Store, tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A server on the same database as ``store``; the short game is solved already."""
    prepare(load_game(*SHORT), 2)
    async with (
        serving(f"sqlite:///{tmp_path / 'tables.db'}") as address,
        client_of(address) as client,
    ):
        yield client


async def made_up(http: httpx.AsyncClient, player: str = ME) -> list[dict[str, Any]]:
    return messages(await http.post("/api/analyses", headers={"X-Player": player}))


async def test_games_are_analysed_one_by_one_and_stored(
    http: httpx.AsyncClient, store: Store
) -> None:
    records = [game(str(number)) for number in range(3)]
    for number, record in enumerate(records):
        await finish(store, f"t{number}", record, (ME, YOU), at=float(number))
    assert await made_up(http, "somebody else altogether") == [
        {"type": "analysed", "done": 0, "total": 0, "skipped": []}
    ]
    *working, last = await made_up(http)
    assert last == {"type": "analysed", "done": 3, "total": 3, "skipped": []}
    steps = [one for one in working if one["part"] is None]
    assert [(one["done"], one["total"], one["title"]) for one in steps] == [
        (number, 3, "Cockroach") for number in range(3)
    ]
    for number, record in enumerate(records):
        text = await store.analysis(f"t{number}", 1, VERSION)
        assert json.loads(text) == report_json(analyse(record))
    [found, *_] = await store.finished(hashed(ME), VERSION)
    digest = json.loads(found.analysis)
    assert digest["seats"] == json.loads(await store.analysis("t2", 1, VERSION))["seats"]
    assert "events" not in digest
    assert (await made_up(http))[-1]["total"] == 0  # nothing is done twice
    assert (await made_up(http, YOU))[-1]["total"] == 0


async def test_a_game_is_solved_first_if_it_has_to_be(
    http: httpx.AsyncClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path / "cache"))  # nothing is solved there
    await finish(store, "t", game("new"), (ME, YOU))
    *working, last = await made_up(http)
    parts = [one["part"] for one in working if one["part"] is not None]
    assert parts
    assert parts == sorted(parts)
    assert (last["done"], last["skipped"]) == (1, [])
    assert json.loads(await store.analysis("t", 1, VERSION))["exact"]


async def test_games_that_cannot_be_analysed_are_counted_with_the_reason(
    http: httpx.AsyncClient, store: Store, toy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        await finish(store, f"pig{number}", played(toy, "", ("random",) * 2, "x"), (ME, YOU))
    await finish(store, "t", game("known"), (ME, YOU))
    length = (await store.lengths(["pig0"]))["pig0"]
    await store.append("pig0", [Entry(length + 1, cast("Kind", "wave"), 0, "", 1.0)])
    monkeypatch.undo()  # the toy game is not installed any more
    *_, last = await made_up(http)
    assert (last["done"], last["total"]) == (1, 3)
    assert sum(one["games"] for one in last["skipped"]) == 2
    assert any("pig" in one["why"] for one in last["skipped"])
    assert await store.count_finished(hashed(ME), VERSION) == (3, 1)


async def test_a_report_uses_and_fills_the_store(http: httpx.AsyncClient, store: Store) -> None:
    await finish(store, "t", game("mine"), (ME, YOU))
    path = "/api/tables/t/report"
    [*_, report] = messages(await http.get(path))
    stored = await store.analysis("t", 1, VERSION)
    assert json.loads(stored)["events"][0]["state"] == report["events"][0]["state"]
    assert messages(await http.get(path)) == [report]
    assert messages(await http.get(path, params={"game": 1})) == [report]
    for wrong in ("0", "-1", "2", "9" * 30):
        assert (await http.get(path, params={"game": wrong})).status_code == 422
    changed = stored.replace('"start":', '"start":5', 1)
    [found] = await store.finished(hashed(ME), VERSION)
    await store.keep("t", Analysis(1, found.at, VERSION, found.analysis, changed))
    assert messages(await http.get(path))[0]["start"] != report["start"]  # it is the stored one
    [*_, points] = messages(await http.get(path, params={"objective": "points"}))
    assert points["objective"] == "points"  # which is not stored
    assert await store.analysis("t", 1, VERSION) == changed
    assert (await made_up(http))[-1]["total"] == 0


async def test_only_one_analysis_of_a_players_games_runs_at_a_time(
    http: httpx.AsyncClient, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that goes away ends it, and the next one starts where it was left."""
    for number in range(2):
        await finish(store, f"t{number}", game(str(number)), (ME, YOU), at=float(number))
    plain, gate = Thinker.read_record, asyncio.Event()

    async def gated(thinker: Thinker, address: str, text: str) -> RecordGame:
        await gate.wait()
        return await plain(thinker, address, text)

    monkeypatch.setattr(Thinker, "read_record", gated)

    async def first() -> dict[str, Any]:
        """The first message of an analysis, which is then left."""
        async with http.stream("POST", "/api/analyses", headers={"X-Player": ME}) as answer:
            line = await anext(answer.aiter_lines())
            found: dict[str, Any] = json.loads(line.removeprefix("data: "))
            if found["type"] == "analysing":
                [refused] = await made_up(http)
                assert (refused["type"], refused["kind"]) == ("problem", "TooMany")
                assert "already" in refused["error"]
        return found

    assert (await first())["done"] == 0
    while (await first())["type"] != "analysing":  # until the server has noticed
        pass
    gate.set()
    while (last := (await made_up(http))[-1])["type"] == "problem":
        pass
    assert last == {"type": "analysed", "done": 2, "total": 2, "skipped": []}


async def test_nothing_is_left_when_the_reader_leaves_while_a_game_is_solved(store: Store) -> None:
    hub = Hub(store)
    async with hub.running():
        progress = solving(
            hub, "", RecordGame("cockroach", "target=23 starts=seat", 2, ready=False)
        )
        assert await anext(progress) == 0.0
        waiting = asyncio.ensure_future(anext(progress))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        await progress.aclose()
        assert not [one for one in asyncio.all_tasks() if "Queue.get" in repr(one)]
