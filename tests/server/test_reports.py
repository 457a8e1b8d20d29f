"""Analyses and positions over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from hotdice import load_game
from hotdice.analysis.report import analyse
from hotdice.analysis.telling import report_json
from hotdice.server.reports import ReportShown
from hotdice.solve.coach import advise
from tests.analysis.games import played
from tests.asking import client_of
from tests.server.test_app import PAIR, serving

SHORT = ("cockroach", "target=6 starts=seat")


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(f"sqlite:///{tmp_path / 'tables.db'}") as address,
        client_of(address) as client,
    ):
        yield client


def messages(answer: httpx.Response) -> list[dict[str, Any]]:
    """The messages of a stream."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = answer.text.removesuffix("\n\n").split("\n\n")
    return [json.loads(event.removeprefix("data: ")) for event in events]


async def posted(http: httpx.AsyncClient, record: str, **more: str) -> list[dict[str, Any]]:
    return messages(await http.post("/api/analysis", json={"record": record, **more}))


async def test_a_record_is_analysed_as_on_the_command_line(
    http: httpx.AsyncClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path / "cache"))  # nothing is solved yet
    record = played(*SHORT, ("casual", "random"), "http")
    *working, report = await posted(http, record.text())
    parts = [one["part"] for one in working]
    assert parts
    assert parts == sorted(parts)
    assert {one["type"] for one in working} == {"working"}
    ReportShown.model_validate(report)
    wanted = {"type": "report", **report_json(analyse(record))}
    for one in (*wanted["events"], *report["events"]):  # type: ignore[misc]
        one.setdefault("best", "")
        one.setdefault("choices", 0)
        one.setdefault("spread", 0.0)
        one.setdefault("risk", 0.0)
        one.setdefault("bust", False)
    assert report == wanted
    [again] = await posted(http, record.text())  # solved by now
    assert again == report


async def test_a_running_game_of_a_table_is_analysed(http: httpx.AsyncClient) -> None:
    wanted = {"game": SHORT[0], "options": {"target": "6", "starts": "seat"}, "seats": PAIR}
    made = (await http.post("/api/tables", json=wanted)).json()
    path = f"/api/tables/{made['id']}/report"
    report = messages(await http.get(path))[-1]
    assert report["seats"][0]["result"] is None
    assert [one["event"] for one in report["events"]]
    assert messages(await http.get(path, params={"game": 1}))[-1] == report
    missing = await http.get(path, params={"game": 7})
    assert (missing.status_code, missing.json()["error"]) == (
        422,
        "There is no game 7 at this table; there are 1.",
    )
    assert (await http.get("/api/tables/nowhere/report")).status_code == 404


async def test_what_cannot_be_solved_is_judged_by_points(http: httpx.AsyncClient) -> None:
    record = played("cockroach", "target=999 starts=seat", ("random", "random"), "far", most=20)
    report = (await posted(http, record.text()))[-1]
    assert (report["objective"], report["exact"]) == ("points", False)


@pytest.mark.parametrize(
    "text, said",
    [
        ("hello", "not a record"),
        ("hotdice record 99\ngame: farkle\nseats: A | B\n\n", "newer than this"),
        ("hotdice record 1\ngame: nim\nseats: A | B\n\n", "nim"),
        ("hotdice record 1\ngame: farkle\nseats: A | B\n\n1. {A} 9-9-9", "9-9-9"),
        ("hotdice record 1\ngame: farkle\nseats: A | B\n\n" + "{" * 20_000, "damaged"),
    ],
)
async def test_bad_records_get_one_sentence(http: httpx.AsyncClient, text: str, said: str) -> None:
    answer = await http.post("/api/analysis", json={"record": text})
    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert len(answer.json()["error"]) < 300


async def test_a_huge_record_is_refused(http: httpx.AsyncClient) -> None:
    answer = await http.post("/api/analysis", json={"record": "hotdice record 1\n" + "x" * 70_000})
    assert answer.status_code == 413


async def test_a_position_is_shown_with_the_coachs_ranking(http: httpx.AsyncClient) -> None:
    game = load_game("peruke", "games=1")
    state = next(
        step.after
        for step in played("peruke", "games=1", ("random",), "position").steps()
        if game.choices(step.after)
    )
    asked = {"options": "games=1", "state": game.state_text(state), "objective": "points"}
    found = (await http.get("/api/games/peruke/position", params=asked)).json()
    assert found["state"] == game.state_text(state)
    assert found["changed"] == "games=1"
    assert len(found["view"]["dice"]) == len(game.view(state).dice)
    best = advise(game, state, "points").best
    assert found["advice"]["counsels"][0]["words"] == best.meaning.words
    assert found["advice"]["counsels"][0]["value"] == pytest.approx(best.value)
    start = {**asked, "state": game.state_text(game.start(1))}
    plain = (await http.get("/api/games/peruke/position", params=start)).json()
    assert plain["advice"] is None


@pytest.mark.parametrize("state", ["", "nonsense", "x" * 3000, "discs=7"])
async def test_bad_positions_get_one_sentence(http: httpx.AsyncClient, state: str) -> None:
    answer = await http.get("/api/games/peruke/position", params={"state": state})
    assert answer.status_code == 422
    assert answer.json()["error"].endswith(".")
    missing = await http.get("/api/games/nim/position", params={"state": state})
    assert missing.status_code == 404
