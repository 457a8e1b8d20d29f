"""The server as its clients see it: real HTTP and real sockets on a real port."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator
from typing import Any, Unpack

import httpx
import pytest
import uvicorn
import websockets

from hotdice import game_names, game_type, read_record
from hotdice.bots import LEVELS
from hotdice.core.playthrough import examples
from hotdice.server.app import Given, create_app
from hotdice.server.clocks import Timepiece
from hotdice.server.driving import Work
from hotdice.server.hub import Hub
from hotdice.server.limits import Limits
from hotdice.server.live import Live
from hotdice.server.messages import (
    AdviceShown,
    Message,
    News,
    PresenceShown,
    Problem,
    TableShown,
    Trouble,
    Working,
)
from hotdice.server.protocols import UVICORN
from hotdice.storage import StorageError, Store
from tests.asking import AT_ANY_TIME, client_of

PAIR = [{"name": "Ann"}, {"name": "Ben"}]
FARKLE = {"game": "farkle", "options": {"starts": "seat", "entry": "0", "target": "200"}}


SHORT = {
    "farkle": FARKLE["options"],
    "cockroach": {"target": "6"},
    "rogue": {"target": "150", "war_at": "100"},
}


any_database = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For tests in which the kind of database makes no difference."""


@contextlib.asynccontextmanager
async def serving(database: str, *, buffer: int = 0, **given: Unpack[Given]) -> AsyncIterator[str]:
    """Run a server and yield its address; ``buffer`` is how much the system buffers to send."""
    app = create_app(database, **given)
    config = uvicorn.Config(app, port=0, log_level="warning", **UVICORN)
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
        assert not task.done()
    listening = server.servers[0].sockets[0]
    if buffer:  # connections inherit it
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, buffer)
    port = listening.getsockname()[1]
    yield f"127.0.0.1:{port}"
    server.should_exit = True
    await task


@pytest.fixture
async def address(database: str) -> AsyncIterator[str]:
    async with serving(database) as found:
        yield found


@pytest.fixture
async def http(address: str) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(address) as client:
        yield client


_SAID: dict[str, type[Message]] = {
    "table": TableShown,
    "news": News,
    "advice": AdviceShown,
    "working": Working,
    "trouble": Trouble,
    "presence": PresenceShown,
    "problem": Problem,
}


class Client:
    """A client at a table."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket
        self.table: dict[str, Any] = {}
        self.status: dict[str, Any] = {}
        self.view: dict[str, Any] = {}
        self.seqs: list[int] = []
        self.told: list[str] = []

    async def hear(self) -> dict[str, Any]:
        """The next message, except those that may come at any time."""
        while (said := await self.hear_any())["type"] in AT_ANY_TIME:
            pass
        return said

    async def hear_any(self) -> dict[str, Any]:
        text = await self.socket.recv()
        said: dict[str, Any] = json.loads(text)
        _SAID[said["type"]].model_validate_json(text)  # matches the schema
        if said["type"] == "table":
            self.table, self.status, self.view = said, said["status"], said["view"]
            self._note(said["log"])
        elif said["type"] == "news":
            self.status, self.view = said["status"], said["entries"][-1]["view"]
            self._note(said["entries"])
        return said

    def _note(self, lines: list[dict[str, Any]]) -> None:
        self.seqs += [line["seq"] for line in lines]
        self.told += [line["told"] for line in lines]

    async def say(self, **command: Any) -> None:
        await self.socket.send(json.dumps(command))

    async def act(self) -> None:
        """Act for the seat to act: roll, or bank if possible."""
        seat, seen = self.status["seat"], self.status["seq"]
        if self.status["due"] == "roll":
            await self.say(do="roll", seat=seat, seen=seen)
            return
        choices = self.view["choices"]
        best = next((c for c in choices if c["ends_turn"]), choices[0])
        await self.say(do="choose", seat=seat, seen=seen, text=best["text"])

    async def done(self, **command: Any) -> dict[str, Any]:
        """Send a command for the current state and return the answer."""
        await self.say(seen=self.status["seq"], **command)
        return await self.hear()


@contextlib.asynccontextmanager
async def sitting(
    address: str, table: dict[str, Any], *seats: int, seen: int = 0, **hello: Any
) -> AsyncIterator[Client]:
    async with websockets.connect(f"ws://{address}/api/tables/{table['id']}/socket") as socket:
        secrets = [seat["secret"] for seat in table["seats"] if seat["seat"] in seats]
        await socket.send(json.dumps({"secrets": secrets, "seen": seen, **hello}))
        client = Client(socket)
        await client.hear()
        yield client


async def created(http: httpx.AsyncClient, **wanted: Any) -> dict[str, Any]:
    answer = await http.post("/api/tables", json={**FARKLE, "seats": PAIR, **wanted})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@any_database
async def test_games_and_their_rules_are_served(http: httpx.AsyncClient) -> None:
    found = (await http.get("/api/games")).json()
    assert [game["slug"] for game in found["games"]] == list(game_names())
    assert [bot["level"] for bot in found["bots"]] == list(LEVELS)
    for slug in game_names():
        blocks = (await http.get(f"/api/games/{slug}/rules")).json()["blocks"]
        runs = [block for block in blocks if block["example"]]
        assert len(runs) == len(list(examples(game_type(slug).rules_text())))
        assert "```" not in "".join(block["html"] for block in blocks)
        assert all(step["told"] for block in runs for step in block["example"])
        clause = game_type(slug).options_type.describe()[0].clause
        assert any(f'id="{clause}"' in block["html"] for block in blocks)
    answer = await http.get("/api/games/chess/rules")
    assert answer.status_code == 404
    assert "There is no game 'chess'" in answer.json()["error"]
    for name in ("content-security-policy", "x-frame-options", "x-content-type-options"):
        assert name in answer.headers


@any_database
async def test_options_are_checked_before_a_table_is_created(http: httpx.AsyncClient) -> None:
    fine = await http.post("/api/games/farkle/options", json={"options": {"target": "500"}})
    assert fine.json()["text"] == "target=500"
    assert fine.json()["options"]["entry"] == "100"
    wrong = await http.post("/api/games/farkle/options", json={"options": {"target": "50"}})
    assert "is above the target" in wrong.json()["problem"]
    assert list(wrong.json()["wrong"]) == ["target"]
    options = {"target": "500", "entry": "many", "carry_over": "perhaps"}
    wrong = await http.post("/api/games/farkle/options", json={"options": options})
    assert list(wrong.json()["wrong"]) == ["entry", "carry_over"]
    assert "'perhaps'" in wrong.json()["wrong"]["carry_over"]


async def test_health_and_metrics(http: httpx.AsyncClient, address: str) -> None:
    assert (await http.get("/api/health")).json() == {"status": "ok", "problems": []}
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        await client.act()
        await client.hear()
        await client.socket.send("nonsense")
        await client.hear()
        text = (await http.get("/api/metrics")).text
    for line in (
        "hotdice_connections 1.0",
        "hotdice_tables_open 1.0",
        'hotdice_tables_created_total{game="farkle"} 1.0',
        'hotdice_commands_total{do="choose",outcome="done"} 1.0',
        'hotdice_commands_total{do="unread",outcome="Unreadable"} 1.0',
        "hotdice_command_seconds_count 2.0",
    ):
        assert line in text.splitlines()


@pytest.mark.parametrize("slug", game_names())
async def test_every_game_is_played_to_its_end(
    http: httpx.AsyncClient, address: str, slug: str
) -> None:
    seats = PAIR[: game_type(slug).max_players]
    table = await created(http, game=slug, options=SHORT.get(slug, {}), seats=seats)
    async with sitting(address, table, 0, 1) as client:
        while client.status["due"] != "over":
            await client.act()
            assert (await client.hear())["type"] == "news"
        assert client.seqs == list(range(1, client.status["seq"] + 1))
        assert client.status["result"]["clause"]
        record = (await http.get(f"/api/tables/{table['id']}/record")).text
        assert read_record(record).text() == record
        final = client.status["undoer"] is None  # else the seed would reveal the dice after an undo
        assert ("seed" in read_record(record).tags) == final
        await client.done(do="rematch", seat=0)
        assert client.status["game"] == 2
        second = (await http.get(f"/api/tables/{table['id']}/record")).text
        assert "seed" not in read_record(second).tags
        former = await http.get(f"/api/tables/{table['id']}/record", params={"game": 1})
        assert read_record(former.text).events == read_record(record).events
        assert "seed" in read_record(former.text).tags
        missing = await http.get(f"/api/tables/{table['id']}/record", params={"game": 3})
        assert missing.status_code == 422


async def test_spectators_can_watch_but_not_act(http: httpx.AsyncClient, address: str) -> None:
    table = await created(http)
    async with (
        sitting(address, table, 0) as ann,
        sitting(address, table, 1) as ben,
        sitting(address, table) as guest,
    ):
        people = [ann, ben]
        assert (ann.table["yours"], ben.table["yours"], guest.table["yours"]) == ([0], [1], [])
        assert not guest.table["host"]
        for _ in range(12):
            if ann.status["due"] == "over":
                break
            await people[ann.status["seat"]].act()
            for client in (*people, guest):
                await client.hear()
        assert ann.told == ben.told == guest.told
        for command in (
            {"do": "say", "text": "hello"},
            {"do": "choose", "text": "keep 1 bank"},
            {"do": "advise"},
            {"do": "bot", "other": 0, "text": "sharp"},
            {"do": "back"},
        ):
            assert (await guest.done(seat=0, **command))["kind"] == "Forbidden"


async def test_guests_take_open_seats(http: httpx.AsyncClient, address: str) -> None:
    seats = [{"name": "Ann"}, {"name": "Seat 2", "open": True}, {"name": "Seat 3", "open": True}]
    table = await created(http, seats=seats, dice="seeded")
    url = f"/api/tables/{table['id']}/seats"
    async with sitting(address, table, 0, secrets=[table["host"]]) as host:
        assert host.table["host"]
        assert host.status["due"] == "wait"
        answer = await http.post(
            url, json={"name": "Ben"}, headers={"X-Player": "ben's device, its own key"}
        )
        assert answer.status_code == 201
        assert answer.json()["seat"] == 1
        await host.hear()
        assert host.told == ["Ben sits down."]
        taken = await http.post(url, json={"name": "Eve", "seat": 1})
        assert taken.status_code == 422
        assert "taken" in taken.json()["error"]
        twice = await http.post(url, json={"name": "ben", "seat": 2})
        assert "another name" in twice.json()["error"]
        await host.done(do="bot", seat=-1, other=2, text="greedy")
        assert host.status["due"] == "choose"
        full = await http.post(url, json={"name": "Late"})
        assert full.status_code == 422
    async with sitting(address, table, player="ben's device, its own key") as ben:
        assert ben.table["yours"] == [1]
    async with sitting(address, table, secrets=[answer.json()["secret"]]) as ben:
        assert ben.table["yours"] == [1]


async def test_a_player_hands_over_to_a_bot_and_comes_back(
    http: httpx.AsyncClient, address: str
) -> None:
    table = await created(http)
    async with sitting(address, table, 0) as ann, sitting(address, table, 1) as ben:
        refused = await ben.done(do="bot", seat=1, other=0, text="sharp")
        assert "more seconds" in refused["error"]
        await ann.done(do="bot", seat=0, other=0, text="greedy")
        while ann.status["seat"] == 0:
            await ann.hear()
        await ann.say(do="back", seat=0, seen=0)
        while ann.status["seats"][0]["bot"]:
            await ann.hear()
        assert ann.told[-1] == "Ann is back."


async def test_the_coach_answers_where_the_table_has_one(
    http: httpx.AsyncClient, address: str
) -> None:
    table = await created(http, game="cockroach", options={})
    async with sitting(address, table, 0, 1) as client:
        seat = client.status["seat"]
        said = await client.done(do="advise", seat=seat)
        assert said["type"] == "advice"
        assert said["seq"] == client.status["seq"]
        texts = [counsel["text"] for counsel in said["counsels"]]
        assert sorted(texts) == sorted(choice["text"] for choice in client.view["choices"])
        assert said["counsels"][0]["cost"] == 0
    table = await created(http, game="cockroach", options={}, coach=False)
    async with sitting(address, table, 0, 1) as client:
        said = await client.done(do="advise", seat=client.status["seat"])
        assert said["error"] == "There is no coach at this table."


async def test_a_player_key_lists_its_tables_and_statistics(
    http: httpx.AsyncClient, address: str
) -> None:
    mine = {"X-Player": "a key of some length"}
    assert (await http.get("/api/tables", headers=mine)).json() == {"tables": [], "more": None}
    table = (await http.post("/api/tables", json={**FARKLE, "seats": PAIR}, headers=mine)).json()
    async with sitting(address, table, player=mine["X-Player"]) as client:
        while client.status["due"] != "over":
            await client.act()
            await client.hear()
    [listed] = (await http.get("/api/tables", headers=mine)).json()["tables"]
    assert (listed["id"], listed["due"], listed["yours"]) == (table["id"], "over", [0, 1])
    assert listed["result"] == client.status["result"]
    careers = (await http.get("/api/statistics", headers=mine)).json()["careers"]
    assert sorted((c["name"], c["games"]) for c in careers) == [("Ann", 1), ("Ben", 1)]
    assert (await http.get("/api/statistics")).json() == {"careers": []}
    for _ in range(21):
        await http.post("/api/tables", json={**FARKLE, "seats": PAIR}, headers=mine)
    page = (await http.get("/api/tables", headers=mine)).json()
    rest = (await http.get("/api/tables", headers=mine, params={"before": page["more"]})).json()
    assert (len(page["tables"]), len(rest["tables"]), rest["more"]) == (20, 2, None)


async def test_a_reconnecting_client_gets_what_it_missed(
    http: httpx.AsyncClient, address: str
) -> None:
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        seen = client.status["seq"]
        await client.act()
        await client.hear()
        count = client.status["seq"]
    async with sitting(address, table, 0, 1, seen=seen) as again:
        assert again.seqs == list(range(seen + 1, count + 1))


async def test_a_restarted_server_shows_the_same_turn(database: str) -> None:
    shown = []
    table: dict[str, Any] = {}
    for _ in range(2):
        async with (
            serving(database) as address,
            client_of(address) as http,
        ):
            table = table or await created(http)
            shown.append((await http.get(f"/api/tables/{table['id']}")).json())
    for one in shown:
        one.pop("now")
    assert shown[0] == shown[1]


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_players_can_be_split_between_two_servers(database: str) -> None:
    async with serving(database) as one, serving(database) as other:
        async with client_of(one) as http:
            table = await created(http)
        async with sitting(one, table, 0) as ann, sitting(other, table, 1) as ben:
            people = [ann, ben]
            while ann.status["due"] != "over":
                await people[ann.status["seat"]].act()
                for client in people:
                    await client.hear()
            assert ann.told == ben.told
            assert ann.status["result"] == ben.status["result"]


@any_database
@pytest.mark.parametrize(
    "wrong, code",
    [
        ({"game": "chess"}, 404),
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
        ({"series": 1000}, 422),
        ({"seats": [{"name": "A", "bot": "sharp", "open": True}, {"name": "B"}]}, 422),
    ],
)
async def test_impossible_tables_are_refused(
    http: httpx.AsyncClient, wrong: dict[str, Any], code: int
) -> None:
    answer = await http.post("/api/tables", json={**FARKLE, "seats": PAIR, **wrong})
    assert answer.status_code == code
    said = answer.json()
    assert set(said) == {"type", "error", "kind"}
    assert said["error"].endswith((".", ")"))


async def test_unknown_tables_are_not_found(http: httpx.AsyncClient, address: str) -> None:
    for path in ("/api/tables/nowhere", "/api/tables/nowhere/record"):
        answer = await http.get(path)
        assert answer.status_code == 404
        assert "no such table" in answer.json()["error"]
    with pytest.raises(websockets.ConnectionClosed) as closed:
        async with sitting(address, {"id": "nowhere", "seats": []}):
            pass
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 4404


async def test_database_errors_are_not_shown_to_visitors(
    http: httpx.AsyncClient, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_given: Any) -> None:
        raise StorageError("The database cannot be read: role hotdice at db.example.")

    monkeypatch.setattr(Store, "load", fail)
    answer = await http.get("/api/tables/somewhere")
    assert answer.status_code == 503
    assert answer.json()["error"] == "The database does not answer; try again in a moment."
    with pytest.raises(websockets.ConnectionClosed) as closed:
        async with sitting(address, {"id": "somewhere", "seats": []}):
            pass
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1013  # not "there is no such table": try again
    assert "example" not in closed.value.rcvd.reason


async def test_a_late_command_gets_the_newer_entries_then_the_refusal(
    http: httpx.AsyncClient, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process committed first: the client gets its news, then ``Stale``."""
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        plain = Hub._commit  # noqa: SLF001 - another process comes first

        async def late(hub: Hub, live: Live, work: Work) -> Any:
            await hub.store.append(live.id, work(live.table, 1.0).entries)
            return await plain(hub, live, work)

        monkeypatch.setattr(Hub, "_commit", late)
        await client.act()
        heard = [await client.hear(), await client.hear()]
    assert [one["type"] for one in heard] == ["news", "problem"]
    assert heard[0]["entries"][0]["at"] == 1.0
    assert heard[1]["kind"] == "Stale"


@any_database
async def test_a_socket_that_sends_no_hello_is_closed(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its table is not even looked up: it does not exist, but the reason is the missing hello."""
    monkeypatch.setattr("hotdice.server.sockets._HELLO", 0.05)
    async with websockets.connect(f"ws://{address}/api/tables/nowhere/socket") as socket:
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await socket.recv()
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 4400
    assert "hello" in closed.value.rcvd.reason


@any_database
@pytest.mark.parametrize(
    "message, kind",
    [
        ("", "Unreadable"),
        ("[]", "Unreadable"),
        ('{"do": "win", "seat": 0, "seen": 1}', "Unreadable"),
        ('{"do": "roll", "seat": 100, "seen": 1}', "Unreadable"),
        ('{"do": "roll", "seat": 0, "seen": 1}', "Refused"),
        ('{"do": "choose", "seat": 1, "seen": 1, "text": "keep 1 bank"}', "Refused"),
        ('{"do": "choose", "seat": 0, "seen": 0, "text": "keep 1 bank"}', "Stale"),
        ('{"do": "choose", "seat": 0, "seen": 7, "text": "keep 1 bank"}', "Stale"),
        ('{"do": "choose", "seat": 0, "seen": 1, "text": "keep 2 bank"}', "IllegalEvent"),
        ('{"do": "undo", "seat": 0, "seen": 1}', "CannotUndo"),
        ('{"do": "rematch", "seat": 0, "seen": 1}', "Refused"),
    ],
)
async def test_bad_messages_get_a_sentence_and_change_nothing(
    http: httpx.AsyncClient, address: str, message: str, kind: str
) -> None:
    table = await created(http)
    async with sitting(address, table, 0, 1) as client:
        before = client.view
        await client.socket.send(message)
        said = await client.hear()
        assert said["kind"] == kind
        assert said["error"].endswith(")") or said["error"].endswith(".")
        assert (await http.get(f"/api/tables/{table['id']}")).json()["view"] == before


@any_database
async def test_a_message_that_is_too_long_closes_the_socket(
    http: httpx.AsyncClient, address: str
) -> None:
    table = await created(http)
    async with sitting(address, table, 0) as client:
        await client.socket.send("x" * 5000)
        with pytest.raises(websockets.ConnectionClosed):
            await client.hear()


@any_database
async def test_messages_over_the_rate_limit_are_refused_one_by_one(database: str) -> None:
    """With a stopped clock, exactly those over the limit."""
    still, limits = Timepiece(steady=lambda: 0.0), Limits(commands=5)
    async with (
        serving(database, timepiece=still, limits=limits) as address,
        client_of(address) as http,
    ):
        table = await created(http)
        async with sitting(address, table, 0) as client:
            for _ in range(25):
                await client.say(do="say", seat=0, seen=0, text="again")
            said = [await client.hear() for _ in range(25)]
        counts = (await http.get("/api/metrics")).text
    kinds = [one.get("kind", "news") for one in said]
    assert kinds == ["news"] * 20 + ["TooMany"] * 5
    assert 'hotdice_refused_total{limit="commands"} 5.0' in counts.splitlines()


@any_database
async def test_the_schema_is_complete(http: httpx.AsyncClient) -> None:
    schema = (await http.get("/api/openapi.json")).json()
    assert set(schema["paths"]) == {
        "/api/health",
        "/api/metrics",
        "/api/lan",
        "/api/games",
        "/api/games/{game}/rules",
        "/api/games/{game}/look",
        "/api/games/{game}/options",
        "/api/games/{game}/position",
        "/api/tables",
        "/api/tables/{table_id}",
        "/api/tables/{table_id}/seats",
        "/api/tables/{table_id}/record",
        "/api/tables/{table_id}/report",
        "/api/tables/{table_id}/dice",
        "/api/analyses",
        "/api/analysis",
        "/api/challenges",
        "/api/challenges/{challenge_id}",
        "/api/challenges/{challenge_id}/tables",
        "/api/dice",
        "/api/learn",
        "/api/learn/mistakes",
        "/api/learn/{game}/guesses",
        "/api/learn/{game}/next",
        "/api/learn/{game}/positions/{name}",
        "/api/learn/{game}/roll",
        "/api/learn/{game}/rolls/{name}",
        "/api/learn/{game}/today",
        "/api/ratings",
        "/api/statistics",
    }
    assert {"Hello", "Command", "TableShown", "News", "AdviceShown", "Working", "Problem"} <= set(
        schema["components"]["schemas"]
    )
    assert "ReportShown" in schema["components"]["schemas"]


@any_database
async def test_guessable_player_keys_are_refused(http: httpx.AsyncClient) -> None:
    for key in ("a", "x" * 15, "x" * 65):
        answer = await http.get("/api/tables", headers={"X-Player": key})
        assert answer.status_code == 422


@any_database
async def test_oversized_bodies_and_bad_paths_are_refused(http: httpx.AsyncClient) -> None:
    answer = await http.post("/api/tables", content=b"x" * 100_000)
    assert answer.status_code == 413
    assert answer.json()["error"]
    for path in ("/%00", f"/{'x' * 400}", "/api/tables/%00", f"/api/tables/{'x' * 400}"):
        assert (await http.get(path)).status_code == 404
    assert (await http.request("BREW", "/")).status_code == 405
    assert "BREW" not in (await http.get("/api/metrics")).text


@any_database
async def test_unknown_paths_are_not_found(http: httpx.AsyncClient) -> None:
    for path in ("/api/nowhere", "/api/tables/x/y/z"):
        answer = await http.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"] == "Not Found."
    for path in ("/..%2f..%2fapp.py", "/assets/../../app.py", "/%2e%2e/app.py"):
        assert "FastAPI" not in (await http.get(path)).text
