"""The ratings of a player, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from hotdice.storage import Store
from tests.analysis.games import played
from tests.server.finished import finish
from tests.server.test_analysing import ME, YOU, game, http, made_up, store

__all__ = ["http", "store"]  # fixtures


async def ratings(http: httpx.AsyncClient, player: str = ME) -> dict[str, Any]:
    answer = await http.get("/api/ratings", headers={"X-Player": player})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_ratings_of_games_against_others(http: httpx.AsyncClient, store: Store) -> None:
    for number in range(3):
        players = (ME, "bot:random") if number else (ME, YOU)
        await finish(store, f"t{number}", game(str(number)), players, at=float(number))
    before = await ratings(http)
    assert (before["games"], before["waiting"]) == (3, 3)
    [career] = before["rated"]
    assert (career["analysed"], career["skill"], career["play"]["accuracy"]) == (0, None, None)
    assert career["strength"]["games"] == 3  # wins need no analysis
    await made_up(http)
    after = await ratings(http)
    assert (after["games"], after["waiting"], after["older"]) == (3, 0, False)
    [career] = after["rated"]
    assert (career["title"], career["alone"], career["objective"]) == ("Cockroach", False, "win")
    history = career["history"]
    assert [one["table_id"] for one in history] == ["t0", "t1", "t2"]
    assert career["skill"] == history[-1]["skill"]
    costs = [one["cost"] for one in history]
    assert career["skill"]["value"] == pytest.approx(1000 - 2000 * sum(costs) / 3)
    assert career["play"]["cost"] == pytest.approx(sum(costs))
    assert career["luck"]["total"] == pytest.approx(sum(one["luck"] for one in history))
    assert career["results"]["value"] == pytest.approx(sum(one["won"] for one in history) / 3)
    assert career["busts"]["expected"] >= 0
    assert career["bests"] == []


async def test_personal_bests_of_series(http: httpx.AsyncClient, store: Store) -> None:
    records = [
        played("peruke", options, ("greedy",), f"best {options}")
        for options in ("games=1", "games=2", "games=2 uses=1")
    ]
    for number, record in enumerate(records):
        await finish(store, f"t{number}", record, (ME,), at=float(number))
    await made_up(http)
    [career] = (await ratings(http))["rated"]
    assert (career["alone"], career["objective"], career["strength"]) == (True, "points", None)
    found = {(one["rules"], one["length"]): one for one in career["bests"]}
    parts = [record.game.series(record.state()) for record in records]
    assert {key: one["points"] for key, one in found.items()} == {
        ("", 1): max(*parts[0], *parts[1]),
        ("", 2): sum(parts[1]),
        ("uses 1", 1): max(parts[2]),
        ("uses 1", 2): sum(parts[2]),
    }
    assert (found["", 1]["among"], found["", 2]["among"]) == (3, 1)
    assert found["", 2]["table_id"] == "t1"
    assert career["usual"] == "games=1"  # of three, one of each
    assert (career["rules"], career["length"]) == ("", 1)
    assert career["results"] == {"value": sum(parts[0]), "error": None, "games": 1}


async def test_averages_of_games_alone_are_over_the_same_rules(
    http: httpx.AsyncClient, store: Store
) -> None:
    kinds = [
        ("games=1", "a"),
        ("games=1", "b"),
        ("games=2", "c"),
        ("", "d"),
        ("games=1 uses=1", "e"),
    ]
    scores: dict[str, list[int]] = {}
    for options, seed in kinds:
        record = played("peruke", options, ("greedy",), seed)
        await finish(store, seed, record, (ME,))
        scores.setdefault(options, []).append(sum(record.game.series(record.state())))
    answer = await http.get("/api/statistics", headers={"X-Player": ME})
    found = {(one["length"], one["rules"]): one for one in answer.json()["careers"]}
    assert {key: one["mean"] for key, one in found.items()} == {
        (1, ""): sum(scores["games=1"]) / 2,
        (2, ""): scores["games=2"][0],
        (5, ""): scores[""][0],
        (1, "uses 1"): scores["games=1 uses=1"][0],
    }
    assert found[1, ""]["games"] == 2


async def test_nobody_gets_the_ratings_of_others(http: httpx.AsyncClient, store: Store) -> None:
    await finish(store, "t", game("mine"), (ME, "bot:random"))
    nothing = {"games": 0, "waiting": 0, "older": False, "rated": []}
    assert await ratings(http, YOU) == nothing
    assert (await http.get("/api/ratings")).json() == nothing
