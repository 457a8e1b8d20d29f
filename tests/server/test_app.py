"""The server as its clients see it: real HTTP and real sockets on a real port."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import uvicorn
import websockets

from hotdice import game_names, game_type, read_record
from hotdice.server.app import create_app

PAIR = [{"name": "Ann"}, {"name": "Ben"}]
FARKLE = {"game": "farkle", "options": {"starts": "seat", "entry": "0", "target": "200"}}


SHORT = {
    "farkle": FARKLE["options"],
    "cockroach": {"target": "6"},
    "rogue": {"target": "150", "war_at": "100"},
}


@contextlib.asynccontextmanager
async def serving(database: str) -> AsyncIterator[str]:
    """The address of a server of its own."""
    config = uvicorn.Config(
        create_app(database), port=0, log_level="warning", ws="websockets-sansio"
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
        assert not task.done()
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"127.0.0.1:{port}"
    server.should_exit = True
    await task


@pytest.fixture
async def address(database: str) -> AsyncIterator[str]:
    async with serving(database) as found:
        yield found


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"http://{address}") as client:
        yield client


class Client:
    """Somebody at a table."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.table: dict[str, Any] = {}
        self.seqs: list[int] = []
        self.told: list[str] = []

    async def hear(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), 10))
        if "entries" in said:
            self.table = said["table"]
            self.seqs += [entry["seq"] for entry in said["entries"]]
            self.told += [entry["told"] for entry in said["entries"]]
        elif "view" in said:
            self.table = said
        return said

    async def say(self, **command: Any) -> None:
        await self.socket.send(json.dumps(command))

    async def act(self) -> None:
        """What whoever has to act does next: roll, or bank if that can be."""
        seat, seen = self.table["view"]["seat"], self.table["seq"]
        if self.table["due"] == "roll":
            await self.say(do="roll", seat=seat, seen=seen)
            return
        choices = self.table["view"]["choices"]
        best = next((c for c in choices if c["ends_turn"]), choices[0])
        await self.say(do="choose", seat=seat, seen=seen, text=best["text"])


@contextlib.asynccontextmanager
async def sitting(
    address: str, table: dict[str, Any], *seats: int, seen: int = 0
) -> AsyncIterator[Client]:
    async with websockets.connect(f"ws://{address}/api/tables/{table['id']}/socket") as socket:
        secrets = [seat["secret"] for seat in table["seats"] if seat["seat"] in seats]
        await socket.send(json.dumps({"secrets": secrets, "seen": seen}))
        client = Client(socket)
        await client.hear()
        yield client


async def created(http: httpx.AsyncClient, **wanted: Any) -> dict[str, Any]:
    answer = await http.post("/api/tables", json={**FARKLE, "seats": PAIR, **wanted})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_games_rules_and_health(http: httpx.AsyncClient) -> None:
    found = (await http.get("/api/games")).json()
    assert [game["slug"] for game in found] == list(game_names())
    rules = await http.get("/api/games/rogue/rules")
    assert rules.text == game_type("rogue").rules_text()
    assert (await http.get("/api/health")).json() == {"status": "ok"}
    answer = await http.get("/api/games/chess/rules")
    assert answer.status_code == 422
    assert "There is no game 'chess'" in answer.json()["error"]
    for name in ("content-security-policy", "x-frame-options", "x-content-type-options"):
        assert name in answer.headers


@pytest.mark.parametrize("slug", game_names())
async def test_every_game_is_played_to_its_end(
    http: httpx.AsyncClient, address: str, slug: str
) -> None:
    seats = (PAIR if game_type(slug).max_players > 1 else PAIR[:1]) if slug != "go500" else PAIR
    options = {
        "farkle": FARKLE["options"],
        "cockroach": {"target": "6"},
        "rogue": {"target": "150", "war_at": "100"},
    }
    table = await created(http, game=slug, options=options.get(slug, {}), seats=seats)
    async with sitting(address, table, 0, 1) as client:
        if client.table["seq"]:
            await client.hear()
        while client.table["due"] != "over":
            await client.act()
            assert "entries" in await client.hear()
        assert client.seqs == list(range(1, client.table["seq"] + 1))
        assert client.table["result"]["clause"]
        record = (await http.get(f"/api/tables/{table['id']}/record")).text
        assert read_record(record).text() == record
        await client.say(do="rematch", seat=0, seen=client.table["seq"])
        await client.hear()
        assert client.table["games"] == 2
        record = (await http.get(f"/api/tables/{table['id']}/record")).text
        assert "seed" not in read_record(record).tags


async def test_two_people_and_a_spectator(http: httpx.AsyncClient, address: str) -> None:
    table = await created(http)
    async with (
        sitting(address, table, 0) as ann,
        sitting(address, table, 1) as ben,
        sitting(address, table) as guest,
    ):
        people = [ann, ben]
        for client in (*people, guest):
            await client.hear()
        assert (ann.table["yours"], ben.table["yours"], guest.table["yours"]) == ([0], [1], [])
        for _ in range(12):
            if ann.table["due"] == "over":
                break
            await people[ann.table["view"]["seat"]].act()
            for client in (*people, guest):
                await client.hear()
        assert ann.told == ben.told == guest.told
        await guest.say(do="say", seat=0, seen=0, text="hello")
        assert (await guest.hear())["kind"] == "Forbidden"


async def test_coming_back_one_gets_what_one_missed(http: httpx.AsyncClient, address: str) -> None:
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        await client.hear()
        seen = client.table["seq"]
        await client.act()
        await client.hear()
        count = client.table["seq"]
    async with sitting(address, table, 0, 1, seen=seen) as again:
        await again.hear()
        assert again.seqs == list(range(seen + 1, count + 1))


async def test_a_killed_server_comes_back_to_the_same_turn(database: str) -> None:
    async with (
        serving(database) as address,
        httpx.AsyncClient(base_url=f"http://{address}") as http,
    ):
        table = await created(http)
        before = (await http.get(f"/api/tables/{table['id']}")).json()
    async with (
        serving(database) as address,
        httpx.AsyncClient(base_url=f"http://{address}") as http,
    ):
        assert (await http.get(f"/api/tables/{table['id']}")).json() == before


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_players_split_between_two_servers(database: str) -> None:
    async with serving(database) as one, serving(database) as other:
        async with httpx.AsyncClient(base_url=f"http://{one}") as http:
            table = await created(http)
        async with sitting(one, table, 0) as ann, sitting(other, table, 1) as ben:
            people = [ann, ben]
            for client in people:
                await client.hear()
            while ann.table["due"] != "over":
                await people[ann.table["view"]["seat"]].act()
                for client in people:
                    await client.hear()
            assert ann.told == ben.told
            assert ann.table["result"] == ben.table["result"]


@pytest.mark.parametrize(
    "wrong, code",
    [
        ({"game": "chess"}, 422),
        ({"options": {"target": "much"}}, 422),
        ({"options": {"colour": "red"}}, 422),
        ({"options": {"course": "/etc/passwd"}, "game": "go500"}, 422),
        ({"seats": []}, 422),
        ({"seats": PAIR * 5}, 422),
        ({"seats": [{"name": "A"}, {"name": "a"}]}, 422),
        ({"seats": [{"name": "A\0"}, {"name": "B"}]}, 422),
        ({"seats": [{"name": "A", "bot": "genius"}, {"name": "B"}]}, 422),
        ({"dice": "loaded"}, 422),
        ({"clock": -1}, 422),
        ({"first": 5}, 422),
        ({"extra": 1}, 422),
    ],
)
async def test_tables_that_cannot_be(
    http: httpx.AsyncClient, wrong: dict[str, Any], code: int
) -> None:
    answer = await http.post("/api/tables", json={**FARKLE, "seats": PAIR, **wrong})
    assert answer.status_code == code
    assert "Traceback" not in answer.text


async def test_unknown_tables(http: httpx.AsyncClient, address: str) -> None:
    for path in ("/api/tables/nowhere", "/api/tables/nowhere/record"):
        answer = await http.get(path)
        assert answer.status_code == 404
        assert "no such table" in answer.json()["error"]
    with pytest.raises(websockets.ConnectionClosed) as closed:
        async with sitting(address, {"id": "nowhere", "seats": []}):
            pass
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 4404


@pytest.mark.parametrize(
    "message, kind",
    [
        ("", "Unreadable"),
        ("[]", "Unreadable"),
        ('{"do": "win", "seat": 0, "seen": 1}', "Unreadable"),
        ('{"do": "roll", "seat": 99, "seen": 1}', "Unreadable"),
        ('{"do": "roll", "seat": 0, "seen": 1}', "Refused"),
        ('{"do": "choose", "seat": 1, "seen": 1, "text": "keep 1 bank"}', "Refused"),
        ('{"do": "choose", "seat": 0, "seen": 0, "text": "keep 1 bank"}', "Stale"),
        ('{"do": "choose", "seat": 0, "seen": 7, "text": "keep 1 bank"}', "Stale"),
        ('{"do": "choose", "seat": 0, "seen": 1, "text": "keep 66666 bank"}', "IllegalEvent"),
        ('{"do": "undo", "seat": 0, "seen": 1}', "CannotUndo"),
        ('{"do": "rematch", "seat": 0, "seen": 1}', "Refused"),
    ],
)
async def test_bad_messages_get_a_sentence_and_change_nothing(
    http: httpx.AsyncClient, address: str, message: str, kind: str
) -> None:
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        await client.hear()
        before = client.table
        await client.socket.send(message)
        said = await client.hear()
        assert said["kind"] == kind
        assert said["error"].endswith(")") or said["error"].endswith(".")
        assert (await http.get(f"/api/tables/{table['id']}")).json()["view"] == before["view"]


async def test_what_is_too_long_or_too_much_or_from_elsewhere(
    http: httpx.AsyncClient, address: str
) -> None:
    table = await created(http)
    async with sitting(address, table, 0) as client:
        await client.hear()
        await client.socket.send("x" * 5000)
        with pytest.raises(websockets.ConnectionClosed):
            await client.hear()
    async with sitting(address, table, 0) as client:
        await client.hear()
        for _ in range(80):
            await client.say(do="say", seat=0, seen=0, text="again")
        said = [await client.hear() for _ in range(80)]
        assert any("Too many" in one.get("error", "") for one in said)
    url = f"ws://{address}/api/tables/{table['id']}/socket"
    with pytest.raises(websockets.InvalidStatus):
        async with websockets.connect(url, origin="https://evil.example"):  # type: ignore[arg-type]
            pass


async def test_the_schema_is_complete(http: httpx.AsyncClient) -> None:
    paths = (await http.get("/openapi.json")).json()["paths"]
    assert set(paths) == {
        "/api/health",
        "/api/games",
        "/api/games/{game}/rules",
        "/api/tables",
        "/api/tables/{table_id}",
        "/api/tables/{table_id}/record",
    }
