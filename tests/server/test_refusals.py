"""Requests are refused as the schema documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.asking import client_of
from tests.server.test_app import FARKLE, PAIR, serving

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(f"sqlite:///{tmp_path}/tables.db") as address,
        client_of(address) as client,
    ):
        yield client


async def test_wrong_methods_are_refused(http: httpx.AsyncClient) -> None:
    for method, path, allowed in (
        ("DELETE", "/api/tables", "GET, POST"),
        ("PUT", "/api/games/farkle/options", "POST"),
        ("GET", "/api/games/farkle/options", "POST"),
        ("GET", "/api/tables/x/seats", "POST"),
        ("BREW", "/api/health", "GET"),
        ("POST", "/api/openapi.json", "GET, HEAD"),
    ):
        answer = await http.request(method, path)
        assert answer.status_code == 405
        assert answer.headers["Allow"] == allowed
        assert answer.json() == {"type": "problem", "error": "Method Not Allowed.", "kind": "HTTP"}
    answer = await http.request("DELETE", "/settings")
    assert answer.status_code == 405
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD"}


async def test_an_unknown_path_has_no_allowed_methods(http: httpx.AsyncClient) -> None:
    for method in ("GET", "POST", "BREW"):
        answer = await http.request(method, "/api/nowhere")
        assert answer.status_code == 404
        assert "Allow" not in answer.headers
        assert answer.json()["error"] == "Not Found."


async def test_a_body_that_is_not_json_is_refused(http: httpx.AsyncClient) -> None:
    bodies = (b"{", b"{x", b'{"game": }', b"nonsense", b"[" * 50_000, b"\xff", b"9" * 5000)
    for path in ("/api/tables", "/api/games/farkle/options", "/api/tables/x/seats"):
        for body in bodies:
            answer = await http.post(path, content=body, headers=JSON)
            assert answer.status_code == 400, body[:9]
            assert answer.json()["type"] == "problem"


async def test_a_bad_player_key_gets_a_sentence(http: httpx.AsyncClient) -> None:
    why = "A player key has 16 to 64 characters; send one of that length, or leave X-Player out."
    for key in ("short", "k" * 65):
        for path in ("/api/statistics", "/api/learn/mistakes", "/api/challenges"):
            answer = await http.get(path, headers={"X-Player": key})
            assert (answer.status_code, answer.json()["error"]) == (422, why)


async def test_json_that_does_not_match_the_schema_is_refused(http: httpx.AsyncClient) -> None:
    for body in (b"", b"null", b"[]", b'"x"', b"1e999", b'{"game": "\\ud800"}', b'{"\\ud800": 1}'):
        answer = await http.post("/api/tables", content=body, headers=JSON)
        assert answer.status_code == 422, body
        assert answer.json()["kind"] == "Unreadable"


@pytest.mark.parametrize(
    "wrong", [{"coach": 0}, {"coach": "no"}, {"clock": True}, {"series": "3"}, {"first": 0.0}]
)
async def test_numbers_and_truths_are_not_guessed(
    http: httpx.AsyncClient, wrong: dict[str, object]
) -> None:
    wanted = {"game": "farkle", "seats": [{"name": "Ann"}, {"name": "Ben"}]}
    assert (await http.post("/api/tables", json=wanted)).status_code == 201
    answer = await http.post("/api/tables", json={**wanted, **wrong})
    assert (answer.status_code, answer.json()["kind"]) == (422, "Unreadable")


async def test_every_refusal_is_documented(http: httpx.AsyncClient) -> None:
    schema = (await http.get("/api/openapi.json")).json()
    problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            refusals = operation["responses"]
            assert {"400", "405", "413", "421", "422", "429", "503"} <= set(refusals)
            assert ("404" in refusals) == ("{" in path or operation["operationId"].startswith("cr"))
            for code in ("400", "405", "413", "421", "422", "429"):
                assert refusals[code]["content"] == {"application/json": problem}
            assert "Allow" in refusals["405"]["headers"]
            assert "Retry-After" in refusals["429"]["headers"]


async def test_errors_are_json_even_where_answers_are_text(
    http: httpx.AsyncClient,
) -> None:
    table = (await http.post("/api/tables", json={**FARKLE, "seats": PAIR})).json()
    for query in ({"game": "x"}, {"game": 7}):
        answer = await http.get(f"/api/tables/{table['id']}/record", params=query)
        assert answer.status_code == 422
        assert answer.json()["error"]
