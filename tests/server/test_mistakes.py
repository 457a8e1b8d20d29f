"""A player's own mistakes: all of them, or a reason; nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from hotdice import Record
from hotdice.analysis.report import Report, analyse
from hotdice.analysis.telling import report_json
from hotdice.server.analysing import keep
from hotdice.server.app import create_app
from hotdice.server.hub import Hub
from tests.analysis.games import played
from tests.server.finished import finish

ME, YOU = "a key of some length", "the key of another player"
MINE, YOURS = {"X-Player": ME}, {"X-Player": YOU}


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Hub]]:
    app = create_app(f"sqlite:///{tmp_path / 'tables.db'}")
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield http, app.state.hub


def games(count: int) -> list[Record]:
    return [played("peruke", "games=1", ("random",), str(number)) for number in range(count)]


async def finished(hub: Hub, records: list[Record], player: str = ME) -> list[Report]:
    """Store finished games with their analyses."""
    reports = [analyse(record) for record in records]
    for number, (record, report) in enumerate(zip(records, reports, strict=True)):
        at = 1000.0 + number
        await finish(hub.store, f"t{number}", record, [player], at)
        await keep(hub, f"t{number}", 1, at, report_json(report))
    return reports


async def listed(
    http: httpx.AsyncClient, least: str = "mistake", at: str = "", who: str = ""
) -> dict[str, Any]:
    params = {"least": least, "table": at, "who": who}
    answer = await http.get("/api/learn/mistakes", params=params, headers=MINE)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_every_costly_decision_is_listed_or_counted(
    place: tuple[httpx.AsyncClient, Hub],
) -> None:
    http, hub = place
    reports = await finished(hub, games(3))
    costly = {
        f"t{number}.1.{at}": event.word.value
        for number, report in enumerate(reports)
        for at, event in enumerate(report.events)
        if event.cost > 0
    }
    everything = await listed(http, "slip")
    assert {one["name"]: one["word"] for one in everything["mistakes"]} == costly
    assert (everything["games"], everything["analysed"], everything["hidden"]) == (3, 3, [])
    for least in ("mistake", "blunder"):
        some = await listed(http, least)
        hidden = sum(one["count"] for one in some["hidden"])
        assert some["decisions"] == len(costly) == len(some["mistakes"]) + hidden
    one = await listed(http, "slip", "t1")
    assert {found["name"] for found in one["mistakes"]} == {
        name for name in costly if name.startswith("t1.")
    }
    assert (one["games"], one["analysed"]) == (1, 1)


async def test_people_at_one_device_have_their_own_mistakes(
    place: tuple[httpx.AsyncClient, Hub],
) -> None:
    http, hub = place
    together = played("cockroach", "target=6", ("random", "random"), "1")
    report = analyse(together)
    await finish(hub.store, "both", replace(together, names=("Ann", "Ben")), [ME, ME], 1.0)
    await keep(hub, "both", 1, 1.0, report_json(report))
    alone = replace(games(1)[0], names=("Ann",))
    await finish(hub.store, "alone", alone, [ME], 2.0)
    await keep(hub, "alone", 1, 2.0, report_json(analyse(alone)))
    costly = {
        name: {
            f"both.1.{at}" for at, one in enumerate(report.events) if one.seat == seat and one.cost
        }
        for seat, name in enumerate(("Ann", "Ben"))
    }
    assert all(costly.values())
    everybody = await listed(http, "slip")
    assert everybody["who"] == ["Ann", "Ben"]
    for name, games_of in (("Ann", 2), ("Ben", 1)):
        found = await listed(http, "slip", who=name)
        assert {one["who"] for one in found["mistakes"]} == {name}
        at_both = {one["name"] for one in found["mistakes"] if one["game"] == "cockroach"}
        assert at_both == costly[name]
        assert found["decisions"] == len(found["mistakes"])
        units = {(one["game"], one["lost"].partition(" ")[2]) for one in found["mistakes"]}
        assert units <= {("cockroach", "% of a win"), ("peruke", "points")}
        assert (found["who"], found["games"], found["analysed"]) == (
            ["Ann", "Ben"],
            games_of,
            games_of,
        )
    assert {
        one["name"] for one in (await listed(http, "slip", "both", "Ben"))["mistakes"]
    } == costly["Ben"]
    assert (await listed(http, "slip", "alone"))["who"] == ["Ann"]


async def test_games_that_are_not_analysed_are_counted(
    place: tuple[httpx.AsyncClient, Hub],
) -> None:
    http, hub = place
    await finish(hub.store, "t0", games(1)[0], [ME])
    found = await listed(http)
    assert (found["games"], found["analysed"], found["mistakes"]) == (1, 0, [])
    assert found["hidden"] == [{"count": 1, "why": "game that is not analysed yet"}]


async def test_a_mistake_is_found_better_and_comes_back_if_missed(
    place: tuple[httpx.AsyncClient, Hub],
) -> None:
    http, hub = place
    (report,) = await finished(hub, games(1))
    first = (await listed(http, "slip"))["mistakes"][0]
    event = report.events[int(first["name"].rpartition(".")[2])]
    path = f"/api/learn/peruke/positions/{first['name']}"
    shown = (await http.get(path, headers=MINE)).json()
    assert (shown["exercise"], shown["options"], shown["answer"]) == ("mistake", "games=1", None)
    again = (await http.post(path, json={"choice": event.event}, headers=MINE)).json()
    assert (again["right"], again["again"], again["played"]) == (False, 1, event.event)
    assert again["advice"]["counsels"][0]["text"] == event.best
    after = await listed(http, "slip")
    entry = next(one for one in after["mistakes"] if one["name"] == first["name"])
    assert (entry["right"], entry["due"]) == (False, False)


async def test_nobody_sees_the_mistakes_of_others(place: tuple[httpx.AsyncClient, Hub]) -> None:
    http, hub = place
    await finished(hub, games(1))
    name = (await listed(http, "slip"))["mistakes"][0]["name"]
    nobody: dict[str, str] = {}
    for who in (YOURS, nobody):
        assert (await http.get("/api/learn/mistakes", headers=who)).json()["games"] == 0
        path = f"/api/learn/peruke/positions/{name}"
        assert (await http.get(path, headers=who)).status_code == 422
        answer = await http.post(path, json={"choice": "pass"}, headers=who)
        assert answer.status_code == 422


@pytest.mark.parametrize("name", ["t0.1.9999", "t0.7.1", "nowhere.1.1"])
async def test_what_is_no_mistake_gets_a_sentence(
    place: tuple[httpx.AsyncClient, Hub], name: str
) -> None:
    http, hub = place
    await finished(hub, games(1))
    answer = await http.get(f"/api/learn/peruke/positions/{name}", headers=MINE)
    assert answer.status_code == 422
    assert answer.json()["error"] == "There is no such decision in your analysed games."
