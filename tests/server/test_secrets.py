"""No interface lets a host choose or read the dice of a table that others sit at."""

from __future__ import annotations

import json
import logging
from hashlib import sha256
from typing import Any

import httpx
import pytest

from hotdice.server.app import create_app
from hotdice.server.hub import secret_seed
from hotdice.server.messages import SeatWanted, TableWanted
from hotdice.server.tables import read_wanted
from hotdice.table.setup import Setup
from tests.asking import client_of
from tests.server.test_app import FARKLE, PAIR, created, serving, sitting

OPEN = [{"name": "Ann"}, {"name": "Seat 2", "open": True}]


@pytest.mark.parametrize(
    ("asked", "is_open", "got"),
    [
        (None, True, "verified"),
        (None, False, "seeded"),
        ("seeded", True, "seeded"),
        ("typed", True, "typed"),
        ("verified", False, "verified"),
    ],
)
def test_dice_are_verified_if_a_seat_is_open(asked: Any, is_open: bool, got: str) -> None:
    seats = [SeatWanted(name="Ann"), SeatWanted(name="Seat 2", open=is_open)]
    assert read_wanted(TableWanted(game="farkle", seats=seats, dice=asked)).dice == got


@pytest.mark.parametrize("wanted", [{"seed": "mine"}, {"dice": "scripted"}, {"dice": "mine"}])
async def test_nobody_can_choose_the_seed_of_a_table(database: str, wanted: dict[str, str]) -> None:
    async with serving(database) as address, _http(address) as http:
        answer = await http.post("/api/tables", json={**FARKLE, "seats": PAIR, **wanted})
        assert answer.status_code == 422


@pytest.mark.parametrize("dice", ["seeded", "verified"])
async def test_no_answer_record_log_or_metric_tells_the_seed(
    database: str, dice: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Not even to the host, before and after others have joined."""
    seeds: list[str] = []

    def seed(setup: Setup) -> str:
        seeds.append(secret_seed(setup))
        return seeds[0]

    caplog.set_level(logging.DEBUG, "hotdice")
    async with serving(database, seeds=seed) as address, _http(address) as http:
        table = await created(http, seats=OPEN, dice=dice)
        url = f"/api/tables/{table['id']}"
        told = [json.dumps(table)]
        async with sitting(address, table, 0, secrets=[table["host"]]) as host:
            told.append((await http.post(f"{url}/seats", json={"name": "Ben"})).text)
            told += [json.dumps(host.table), json.dumps(await host.hear())]
            headers = {"X-Player": table["host"]}
            told += [
                (await http.get(path, headers=headers)).text
                for path in (url, f"{url}/record", "/api/metrics", "/api/tables", "/api/health")
            ]
    assert len(seeds) == 1
    told += [f"{record.getMessage()} {vars(record)}" for record in caplog.records]
    game_seed = sha256(f"{seeds[0]}/0".encode()).hexdigest()[:32]
    for text in told:
        assert seeds[0] not in text
        assert game_seed not in text


def test_requests_name_no_seed() -> None:
    """The fields of all requests are known; anything else is refused."""
    schemas = create_app("sqlite:///:memory:").openapi()["components"]["schemas"]
    assert schemas["TableWanted"]["additionalProperties"] is False
    assert not [name for name, one in schemas.items() if "seed" in one.get("properties", {})]


def _http(address: str) -> httpx.AsyncClient:
    return client_of(address)
