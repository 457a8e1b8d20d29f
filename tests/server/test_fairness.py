"""How evenly dice fall, over HTTP."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hotdice import read_record
from hotdice.analysis.fairness import Roller
from hotdice.core.dice import numbered_die
from hotdice.core.events import Roll
from hotdice.server.fairness import bounded, kind_of
from hotdice.server.hub import Hub
from hotdice.storage.stored import Listed
from tests.asking import client_of
from tests.server.test_app import PAIR, Client, serving, sitting

ME = {"X-Player": "a key of some length"}
OTHER = {"X-Player": "the key of another player"}
GAME = {"game": "farkle", "options": {"starts": "seat", "entry": "0", "target": "300"}}


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    async with serving(f"sqlite:///{tmp_path / 'tables.db'}") as found:
        yield found


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(address) as client:
        yield client


async def created(http: httpx.AsyncClient, **wanted: Any) -> dict[str, Any]:
    answer = await http.post("/api/tables", json={**GAME, "seats": PAIR, **wanted}, headers=ME)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def play(client: Client) -> None:
    """Play the game of two people to its end."""
    while client.status["due"] != "over":
        await client.act()
        await client.hear()


async def rolled(http: httpx.AsyncClient, table: dict[str, Any], game: int) -> Counter[int]:
    """The faces in the record of a game."""
    path = f"/api/tables/{table['id']}/record"
    record = read_record((await http.get(path, params={"game": game})).text)
    return Counter(
        face for event in record.events if isinstance(event, Roll) for face in event.faces
    )


async def test_all_games_of_a_table_are_counted(http: httpx.AsyncClient, address: str) -> None:
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        await play(client)
        await client.done(do="rematch", seat=0)
        await play(client)
    found = (await http.get(f"/api/tables/{table['id']}/dice")).json()
    [game] = found["games"]
    assert (found["tables"], game["title"], game["source"], game["games"]) == (
        *(1, "Farkle", "seeded"),
        2,
    )
    faces = await rolled(http, table, 1) + await rolled(http, table, 2)
    [kind] = game["kinds"]
    counts = [one["count"] for one in kind["all"]["faces"]]
    assert counts == [faces[n] for n in range(1, 7)]
    assert kind["all"]["judged"]["thrown"] == sum(counts)
    assert [face["token"] for face in kind["die"]["faces"]] == list("123456")
    assert kind["parties"] == []  # no bots
    assert [one["who"] for one in kind["rollers"]] == ["Ann", "Ben"]
    by_name = [[one["count"] for one in part["faces"]] for part in kind["rollers"]]
    assert [sum(both) for both in zip(*by_name, strict=True)] == counts
    [source] = found["sources"]
    assert source["judged"]["p"] == pytest.approx(kind["all"]["judged"]["p"])
    assert found["looks"] == sum(
        part["judged"]["p"] is not None for part in (kind["all"], *kind["rollers"])
    )


async def test_a_player_sees_the_dice_of_their_own_tables(http: httpx.AsyncClient) -> None:
    await created(http)
    await created(http, game="go500", options={})
    await created(http, dice="typed")  # nothing rolled yet
    found = (await http.get("/api/dice", headers=ME)).json()
    assert found["tables"] == 3
    assert not found["older"]
    assert [(one["game"], one["rolls"]) for one in found["games"]] == [("farkle", 1)]
    [kind] = found["games"][0]["kinds"]
    assert kind["all"]["judged"] == {
        "thrown": 6,
        "chi_square": pytest.approx(kind["all"]["judged"]["chi_square"]),
        "freedom": 5,
        "p": None,
        "odds": "",
        "verdict": "too few",
        "words": "6 dice so far, too few to tell; it takes at least 30.",
    }
    empty = {"tables": 0, "older": False, "looks": 0, "games": [], "sources": []}
    assert (await http.get("/api/dice", headers=OTHER)).json() == empty
    assert (await http.get("/api/dice")).json() == empty


async def test_people_bots_and_real_dice_are_told_apart(
    http: httpx.AsyncClient, address: str
) -> None:
    seats = [{"name": "Ann"}, {"name": "Greta", "bot": "greedy"}]
    table = await created(http, dice="typed", seats=seats)
    async with sitting(address, table, 0) as client:
        await client.done(do="roll", seat=0, text="223466")  # nothing: the bot is next
        while client.status["seat"] != 1:
            await client.hear()
        await client.done(do="roll", seat=0, text="113466")
    found = (await http.get("/api/dice", headers=ME)).json()
    [game] = found["games"]
    assert (game["source"], game["rolls"]) == ("typed", 2)
    people, bots = game["kinds"][0]["parties"]
    assert (people["who"], [one["count"] for one in people["faces"]]) == (
        "People",
        [0, 2, 1, 1, 0, 2],
    )
    assert (bots["bot"], [one["count"] for one in bots["faces"]]) == (True, [2, 0, 1, 1, 0, 2])


async def test_an_unknown_table_is_not_found(http: httpx.AsyncClient) -> None:
    answer = await http.get("/api/tables/nowhere/dice")
    assert answer.status_code == 404
    assert answer.json()["error"].startswith("There is no such table")


async def test_reading_logs_is_charged_by_their_length(
    http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await created(http), await created(http)
    charged: list[int] = []
    monkeypatch.setattr(Hub, "charge", lambda _hub, _address, entries: charged.append(entries))
    assert (await http.get(f"/api/tables/{first['id']}/dice")).status_code == 200
    assert (await http.get("/api/dice", headers=ME)).status_code == 200
    lengths = [one["table"]["status"]["seq"] for one in (first, second)]
    assert charged == [lengths[0], sum(length + 50 for length in lengths)]
    assert lengths[0] > 0


def test_what_is_read_is_bounded() -> None:
    listed = [Listed(str(n), 0.0, 100, 0.0) for n in range(9)]
    assert bounded(listed, tables=4) == listed[:4]
    assert bounded(listed, entries=350) == listed[:3]
    assert bounded(listed, entries=99) == []


def test_parts_that_are_the_whole_are_not_compared_twice() -> None:
    die, counts = numbered_die("die", "white"), dict.fromkeys(range(1, 7), 10)
    ann, ben, bot = Roller("Ann", bot=False), Roller("Ben", bot=False), Roller("Bo", bot=True)
    assert kind_of(die, {ann: counts}).looks == 1
    assert kind_of(die, {ann: counts, bot: counts}).looks == 3
    assert kind_of(die, {ann: counts, ben: counts}).looks == 3
    assert kind_of(die, {ann: counts, ben: counts, bot: counts}).looks == 5
