"""Challenges over HTTP: one try each, the same dice, and rankings nobody sees too early."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from time import time
from typing import Any

import httpx
import pytest

from hotdice import game_names, game_type, read_record
from hotdice.server.challenges import find_challenge, stored_challenge
from hotdice.server.clocks import Timepiece
from hotdice.server.hub import AlreadyTried, Hub, secret_seed
from hotdice.server.limits import Limits
from hotdice.server.live import hashed
from hotdice.storage import Store
from hotdice.storage.challenges import Challenges
from hotdice.table.challenge import daily_id, today
from hotdice.table.setup import Setup
from tests.asking import client_of
from tests.server.hubs import two_hubs
from tests.server.test_app import Client, serving, sitting

ANN, BEN, EVE = ({"X-Player": f"the key of {name}'s device"} for name in ("ann", "ben", "eve"))
FARKLE = {"game": "farkle", "options": {"starts": "seat", "entry": "0", "target": "200"}}
ALONE = {"game": "peruke", "options": {"games": "1"}}


Quick = tuple[httpx.AsyncClient, str]


@pytest.fixture
async def quick(tmp_path: Path) -> AsyncIterator[Quick]:
    async with served(f"sqlite:///{tmp_path / 'quick.db'}") as found:
        yield found


@asynccontextmanager
async def served(database: str, **given: Any) -> AsyncIterator[tuple[httpx.AsyncClient, str]]:
    async with (
        serving(database, **given) as address,
        client_of(address) as http,
    ):
        yield http, address


async def made(http: httpx.AsyncClient, **wanted: Any) -> str:
    """The id of a new challenge."""
    body = {**FARKLE, "bots": ["greedy"], **wanted}
    answer = await http.post("/api/challenges", json=body, headers=ANN)
    assert answer.status_code == 201, answer.text
    found: str = answer.json()["id"]
    return found


async def started(
    http: httpx.AsyncClient, challenge: str, who: dict[str, str], name: str
) -> dict[str, Any]:
    path = f"/api/challenges/{challenge}/tables"
    answer = await http.post(path, json={"name": name}, headers=who)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def looked(http: httpx.AsyncClient, challenge: str, who: dict[str, str]) -> dict[str, Any]:
    answer = await http.get(f"/api/challenges/{challenge}", headers=who)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def act(client: Client, *, rolls: bool) -> None:
    """Act for the player: bank as soon as possible, or only when that is all one can do."""
    choices = client.view["choices"]
    wanted = [one for one in choices if one["ends_turn"] != rolls]
    if client.status["due"] == "choose" and wanted:
        seat, seen = client.status["seat"], client.status["seq"]
        await client.say(do="choose", seat=seat, seen=seen, text=wanted[0]["text"])
        return
    await client.act()


async def play(
    address: str, table: dict[str, Any], *, rolls: bool = False, most: int = 10_000
) -> list[str]:
    """Play a table to its end, or for so many moves: everything that the client was told."""
    heard = [json.dumps(table)]
    async with sitting(address, table, 0) as client:
        heard.append(json.dumps(client.table))
        for _ in range(most):
            while client.status["seat"] not in (0, None):
                heard.append(json.dumps(await client.hear()))
            if client.status["due"] == "over":
                break
            await act(client, rolls=rolls)
            said = await client.hear()
            assert said["type"] == "news", said
            heard.append(json.dumps(said))
    return heard


async def test_players_with_the_same_choices_get_the_same_game(database: str) -> None:
    """Also at another process, after a restart, and days later."""
    records = []
    async with served(database) as (http, address):
        challenge = await made(http, bots=["random"])
        table = await started(http, challenge, ANN, "Ann")
        await play(address, table, most=3)
    async with served(database) as (http, address):
        await play(address, table)
        other = await started(http, challenge, BEN, "Ben")
        assert other["id"] != table["id"]
        await play(address, other)
        for one in (table, other):
            text = (await http.get(f"/api/tables/{one['id']}/record")).text
            records.append(read_record(text))
        third = await started(http, challenge, EVE, "Eve")
        await play(address, third, rolls=True)
        text = (await http.get(f"/api/tables/{third['id']}/record")).text
        shown = await looked(http, challenge, EVE)
    assert records[0].events == records[1].events
    assert records[0].names != records[1].names
    assert read_record(text).events[0] == records[0].events[0]
    assert read_record(text).events != records[0].events
    [standings] = shown["standings"]
    by_name = {one["name"]: one for one in standings["tries"]}
    assert by_name["Ann"]["by_result"] == by_name["Ben"]["by_result"]  # ties are shared
    assert {one["yours"] for one in standings["tries"] if one["name"] != "Eve"} == {False}
    assert by_name["Eve"]["yours"]


async def test_every_game_has_a_daily_challenge(tmp_path: Path, toy: str) -> None:
    noon = Timepiece(wall=lambda: 1_800_014_400.0)
    async with served(f"sqlite:///{tmp_path / 'daily.db'}", timepiece=noon) as (http, address):
        await _daily_challenges(http, address, toy)


async def _daily_challenges(http: httpx.AsyncClient, address: str, toy: str) -> None:
    found = (await http.get("/api/challenges", headers=ANN)).json()
    assert [one["game"] for one in found["daily"]] == list(game_names())
    for one in found["daily"]:
        assert (one["tries"], one["table"], one["yours"]) == (0, "", False)
        assert one["day"] == found["day"]
        assert one["bots"] == (["sharp"] if game_type(one["game"]).max_players > 1 else [])
        table = await started(http, one["id"], ANN, "Casimir")  # the name of a bot, too
        shown = table["table"]
        assert (shown["dice"], shown["coach"], shown["challenge"]) == (
            "challenge",
            False,
            one["id"],
        )
        await play(address, table, most=1)
        seen = await looked(http, one["id"], ANN)
        assert (seen["tries"], seen["finished"], seen["table"]) == (1, 0, table["id"])
    assert toy in game_names()
    again = (await http.get("/api/challenges", headers=ANN)).json()
    assert {one["table"] for one in again["daily"]} != {""}
    assert not again["yours"]  # they are listed above


async def test_the_secret_of_a_challenge_is_told_nowhere(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in an answer, a message, a record, an export, a log or a metric of a whole play."""
    seeds: list[str] = []

    def seed(setup: Setup) -> str:
        seeds.append(secret_seed(setup))
        return seeds[-1]

    caplog.set_level(logging.DEBUG)
    async with served(f"sqlite:///{tmp_path / 'told.db'}", seeds=seed) as (http, address):
        made_ = await http.post("/api/challenges", json={**ALONE}, headers=ANN)
        challenge = made_.json()["id"]
        table = await started(http, challenge, ANN, "Ann")
        told = [made_.text, *await play(address, table)]
        own = f"/api/tables/{table['id']}"
        paths = [own, f"{own}/record", f"{own}/report", f"{own}/dice", "/api/tables", "/api/dice"]
        paths += [f"/api/challenges/{challenge}", "/api/challenges", "/api/metrics"]
        paths += ["/api/statistics", "/api/health", "/api/openapi.json"]
        for path in paths:
            answer = await http.get(path, headers=ANN)
            assert answer.status_code == 200, answer.text
            told += [answer.text, repr(answer.headers)]
    assert len(seeds) == 1
    assert "over" in "".join(told)
    told += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    for text in told:
        assert seeds[0] not in text
    record = next(text for text in told if text.startswith("hotdice record"))
    assert "seed" not in read_record(record).tags


async def test_everybody_has_one_try(database: str) -> None:
    async with served(database) as (http, _):
        challenge = await made(http)
        table = await started(http, challenge, ANN, "Ann")
        path = f"/api/challenges/{challenge}/tables"
        again = await http.post(path, json={"name": "Ann again"}, headers=ANN)
        assert (again.status_code, again.json()["kind"]) == (409, "AlreadyTried")
        nameless = await http.post(path, json={"name": "Nobody"})
        assert nameless.status_code == 422
        assert "player key" in nameless.json()["error"]
        seen = await looked(http, challenge, ANN)
        assert (seen["tries"], seen["table"], seen["done"]) == (1, table["id"], False)


async def test_one_try_each_even_at_two_processes(database: str) -> None:
    async with two_hubs(database) as hubs:
        now = hubs[0].timepiece.wall()
        name = daily_id("farkle", today(now))

        async def start(hub: Hub) -> str:
            challenge = await stored_challenge(hub, await find_challenge(hub, name))
            return (await hub.create(challenge.setup("Ann"), ANN["X-Player"])).id

        tried = await asyncio.gather(*map(start, hubs * 3), return_exceptions=True)
        tables = [one for one in tried if isinstance(one, str)]
        assert len(tables) == 1
        assert sum(isinstance(one, AlreadyTried) for one in tried) == 5
        owner = hashed(ANN["X-Player"])
        progress = await Challenges(hubs[1].store).progress([name], owner)
        assert (progress[name].tries, progress[name].table_id) == (1, tables[0])
        assert len(await hubs[0].store.tables_of(owner, 1e12, 10)) == 1


async def test_a_daily_challenge_is_made_once(database: str) -> None:
    """Processes that race agree on its secret; nobody makes one in advance or long afterwards."""

    stores = [await Store.open(database) for _ in range(2)]
    hubs = [Hub(one, seeds=secret_seed) for one in stores]
    now = hubs[0].timepiece.wall()
    name = daily_id("rogue", today(now))
    found = [await find_challenge(hub, name) for hub in hubs]
    assert [one.secret for one in found] == ["", ""]
    made_ = await asyncio.gather(
        *(stored_challenge(hub, one) for hub, one in zip(hubs * 4, found * 4, strict=True))
    )
    assert len({one.secret for one in made_}) == 1
    assert made_[0].secret
    assert await find_challenge(hubs[1], name) == made_[0]
    for store in stores:
        await store.close()


async def test_other_days_have_no_challenge(quick: Quick) -> None:
    http, _ = quick
    days = ("2126-01-01", "1999-01-01", "2026-02-30", "")
    for name in (*(f"farkle-{day}" for day in days), "nim-2026-11-18", "x"):
        for answer in (
            await http.get(f"/api/challenges/{name}", headers=ANN),
            await http.post(f"/api/challenges/{name}/tables", json={"name": "A"}, headers=ANN),
        ):
            assert answer.status_code == 404
            assert answer.json()["error"].startswith("There is no such challenge")


NOON = 1_795_000_000.0


async def test_a_daily_challenge_of_last_week_is_closed(tmp_path: Path) -> None:
    days = 0.0
    clock = Timepiece(lambda: NOON + days * 86_400)
    async with served(f"sqlite:///{tmp_path / 'past.db'}", timepiece=clock) as (http, address):
        names = [daily_id(slug, today(clock.wall())) for slug in ("peruke", "farkle")]
        await play(address, await started(http, names[0], ANN, "Ann"))
        assert (await looked(http, names[0], EVE))["today"] == ""
        days = 8.0
        for name, tries in zip(names, (1, 0), strict=True):
            seen = await looked(http, name, EVE)
            assert (seen["closed"], seen["open"], seen["tries"]) == (True, True, tries)
            assert [len(one["tries"]) for one in seen["standings"]] == [1] * tries
            assert seen["today"] == daily_id(seen["game"], today(clock.wall()))
            path = f"/api/challenges/{name}/tables"
            late = await http.post(path, json={"name": "Eve"}, headers=EVE)
            assert (late.status_code, "is closed" in late.json()["error"]) == (422, True)


async def test_others_are_seen_only_after_ones_own_try(database: str) -> None:
    async with served(database) as (http, address):
        challenge = await made(http)
        table = await started(http, challenge, ANN, "Ann")
        unfinished = await http.get(f"/api/tables/{table['id']}/report")
        assert unfinished.status_code == 422
        assert "when the game is over" in unfinished.json()["error"]
        await play(address, table)
        mine = await started(http, challenge, BEN, "Ben")
        for who in (BEN, EVE, {}):
            seen = await looked(http, challenge, who)
            assert (seen["open"], seen["standings"]) == (False, [])
            assert (seen["tries"], seen["finished"]) == (2, 1)
            assert table["id"] not in json.dumps(seen)
            assert "Ann" not in json.dumps(seen)
        await play(address, mine)
        seen = await looked(http, challenge, BEN)
        [standings] = seen["standings"]
        assert {one["table"] for one in standings["tries"]} == {table["id"], mine["id"]}
        assert all(one["done"] and one["skill"] is None for one in standings["tries"])


async def test_skill_and_luck_come_with_the_analysis(quick: Quick) -> None:
    http, address = quick
    challenge = await made(http, **ALONE, bots=[])
    for who, name in ((ANN, "Ann"), (BEN, "Ben")):
        await play(address, await started(http, challenge, who, name), rolls=who is BEN)
    seen = await looked(http, challenge, ANN)
    assert seen["alone"]
    assert seen["objective"] == ""
    tries = seen["standings"][0]["tries"]
    for one in tries:
        assert one["margin"] == one["score"]
        report = await http.get(f"/api/tables/{one['table']}/report")
        assert '"type":"report"' in report.text
    seen = await looked(http, challenge, ANN)
    tries = seen["standings"][0]["tries"]
    assert (seen["objective"], seen["exact"]) == ("points", True)
    for one in tries:
        assert 0 <= one["skill"]["accuracy"] <= 1
        assert one["skill"]["decisions"] > 0
        assert 0 <= one["skill"]["percentile"] <= 1
    ranked = sorted(tries, key=lambda one: one["by_skill"])
    accuracies = [one["skill"]["accuracy"] for one in ranked]
    assert accuracies == sorted(accuracies, reverse=True)


async def test_a_table_of_several_is_one_try_for_each_of_them(database: str) -> None:
    async with served(database) as (http, address):
        challenge = await made(http, people=2, bots=[])
        table = await started(http, challenge, ANN, "Ann")
        assert table["table"]["status"]["due"] == "wait"
        seats = f"/api/tables/{table['id']}/seats"
        for who in (ANN, {}):
            answer = await http.post(seats, json={"name": "Other"}, headers=who)
            assert answer.status_code in (409, 422)
        joined = await http.post(seats, json={"name": "Ben"}, headers=BEN)
        assert joined.status_code == 201
        secret = joined.json()["secret"]
        async with sitting(
            address, table, 0, secrets=[table["seats"][0]["secret"], secret]
        ) as both:
            refused = await both.done(do="bot", seat=0, other=0, text="sharp")
            assert "nobody can play for" in refused["error"]
            while both.status["due"] != "over":
                await both.act()
                await both.hear()
            undone = await both.done(do="undo", seat=0)
            assert "nothing can be undone" in undone["error"]
            again = await both.done(do="rematch", seat=0)
            assert "only once" in again["error"]
        path = f"/api/challenges/{challenge}/tables"
        other = await http.post(path, json={"name": "Ben"}, headers=BEN)
        assert other.status_code == 409
        seen = await looked(http, challenge, BEN)
        assert [one["seat"] for one in seen["standings"]] == [0, 1]
        assert [one["by_result"] for row in seen["standings"] for one in row["tries"]] == [1, 1]


async def test_a_closed_challenge_cannot_be_started_and_is_open_to_all(tmp_path: Path) -> None:
    days = 0.0
    clock = Timepiece(lambda: time() + days * 86_400)
    async with served(f"sqlite:///{tmp_path / 'closed.db'}", timepiece=clock) as (http, address):
        challenge = await made(http, days=1)
        table = await started(http, challenge, ANN, "Ann")
        await play(address, table)
        await started(http, challenge, BEN, "Ben")
        assert not (await looked(http, challenge, EVE))["open"]
        days = 1.5
        path = f"/api/challenges/{challenge}/tables"
        late = await http.post(path, json={"name": "Eve"}, headers=EVE)
        assert (late.status_code, "closed" in late.json()["error"]) == (422, True)
        seen = await looked(http, challenge, EVE)
        assert (seen["closed"], seen["open"]) == (True, True)
        assert [one["name"] for one in seen["standings"][0]["tries"]] == ["Ann", "Ben"]
        assert [one["by_result"] for one in seen["standings"][0]["tries"]] == [1, None]
        assert (await looked(http, challenge, BEN))["open"]  # who ends later is not ranked
        for odd in ("a%00b", "x" * 65, "a b"):
            assert (await http.get(f"/api/challenges/{odd}")).status_code == 404


async def test_bad_challenges_get_one_sentence(quick: Quick) -> None:
    http, _ = quick
    bad: list[tuple[dict[str, Any], str]] = [
        ({"game": "chess"}, "chess"),
        ({"bots": ["genius"]}, "No bot 'genius'"),
        ({"bots": ["perfect"]}, "No bot 'perfect'"),
        ({"bots": ["sharp"] * 8}, "bots"),
        ({"people": 9, "bots": []}, "2 to 8 players"),
        ({"people": 1, "bots": []}, "2 to 8 players"),
        ({"people": 0}, "people"),
        ({"options": {"target": "many"}}, "target"),
        ({"secret": "mine"}, "secret"),
        ({"days": 0}, "days"),
        ({"days": True}, "days has to be a whole number."),
        ({"days": "7"}, "days has to be a whole number."),
        ({"people": True}, "people has to be a whole number."),
    ]
    for wrong, said in bad:
        body = {**FARKLE, "bots": ["greedy"], **wrong}
        answer = await http.post("/api/challenges", json=body, headers=ANN)
        assert answer.status_code in (404, 422)
        assert said in answer.json()["error"]
    nobody = await http.post("/api/challenges", json={**FARKLE, "bots": ["greedy"]})
    assert "player key" in nobody.json()["error"]


async def test_new_challenges_and_tries_count_as_new_tables(tmp_path: Path) -> None:
    limits = Limits(tables=3)
    async with served(f"sqlite:///{tmp_path / 'many.db'}", limits=limits) as (http, _):
        challenge = await made(http)
        await started(http, challenge, ANN, "Ann")
        await made(http)
        path = f"/api/challenges/{challenge}/tables"
        for answer in (
            await http.post(path, json={"name": "Ben"}, headers=BEN),
            await http.post("/api/challenges", json={**FARKLE, "bots": ["greedy"]}, headers=ANN),
        ):
            assert answer.status_code == 429
            assert "Too many new tables" in answer.json()["error"]


def test_days_are_those_of_utc() -> None:
    assert today(0.0) == date(1970, 1, 1)
    assert today(86_399.9) == date(1970, 1, 1)
    assert today(86_400.0) == date(1970, 1, 2)
