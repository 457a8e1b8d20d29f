"""Learning over HTTP: nothing is told before the answer, and answers are kept for the player."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from hotdice import load_game
from hotdice.analysis.guessing import find_wager
from hotdice.analysis.training import find_lesson
from hotdice.server import tutoring
from hotdice.server.app import create_app
from hotdice.server.clocks import Timepiece
from hotdice.server.limits import Limits
from hotdice.server.tutoring import Unnamed, read_name

pytestmark = pytest.mark.asyncio(loop_scope="module")

TODAY = date(2026, 11, 18)
ANN, BEN = ({"X-Player": letter * 32} for letter in "ab")
DAY = 86_400.0


class Clock:
    """A clock that stands still until it is set."""

    now = datetime(2026, 11, 18, 9, 30, tzinfo=UTC).timestamp()

    def pass_days(self, days: int) -> None:
        self.now += days * DAY


@asynccontextmanager
async def served(
    folder: Path, clock: Clock, limits: Limits | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(
        f"sqlite:///{folder / 'learn.db'}",
        timepiece=Timepiece(wall=lambda: clock.now),
        limits=limits or Limits(),
    )
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield http


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def place(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Any, Clock]]:
    clock = Clock()
    async with served(tmp_path_factory.mktemp("learn"), clock) as http:
        yield http, clock


def answers(name: str) -> tuple[str, str]:
    """A right and a wrong choice at a position of Peruke One."""
    game = load_game("peruke")
    lesson = find_lesson(game, name.removeprefix("points-"), "points")
    choices = game.choices(lesson.state)
    wrong = next(choice for choice in choices if choice not in lesson.right)
    return game.event_text(lesson.right[0]), game.event_text(wrong)


async def choose(http: httpx.AsyncClient, name: str, choice: str, **who: Any) -> dict[str, Any]:
    path = f"/api/learn/peruke/positions/{name}"
    found = await http.post(path, json={"choice": choice}, **who)
    assert found.status_code == 200, found.text
    shown: dict[str, Any] = found.json()
    return shown


async def test_a_position_is_shown_without_its_answer(place: tuple[Any, Clock]) -> None:
    http, _ = place
    shown = (await http.get("/api/learn/peruke/positions/points-17")).json()
    assert shown["task"] == "Find the choice that makes the most points on average."
    assert len(shown["view"]["choices"]) > 1
    assert shown["answer"] is None
    told = str(shown)
    assert not any(word in told for word in ("advice", "counsels", "difficulty", "misses", "cost"))
    game = load_game("peruke")
    state = find_lesson(game, "17", "points").state
    assert [one["text"] for one in shown["view"]["choices"]] == [
        game.event_text(choice) for choice in game.choices(state)
    ]


async def test_an_answer_is_judged_with_ranking_and_difficulty(place: tuple[Any, Clock]) -> None:
    http, _ = place
    right, wrong = answers("points-18")
    good = await choose(http, "points-18", right)
    assert (good["right"], good["counts"], good["again"]) == (True, False, None)
    assert good["advice"]["counsels"][0]["cost"] == 0
    assert [one["level"] for one in good["misses"]] == ["random", "greedy", "casual", "sharp"]
    assert good["level"] in ("easy", "medium", "hard", "very hard")
    bad = await choose(http, "points-18", wrong)
    assert (bad["right"], bad["chosen"]) == (False, wrong)


async def test_missed_positions_come_back_and_only_for_who_missed_them(
    place: tuple[Any, Clock],
) -> None:
    http, clock = place
    right, wrong = answers("points-19")
    assert (await choose(http, "points-19", wrong, headers=ANN))["again"] == 1
    again = await choose(http, "points-19", right, headers=ANN)
    assert (again["right"], again["counts"]) == (True, False)
    assert (await http.get("/api/learn/peruke/next", headers=BEN)).json()["name"] != "points-19"
    clock.pass_days(1)
    due = (await http.get("/api/learn/peruke/next", headers=ANN)).json()
    assert (due["name"], due["due"], due["answer"]) == ("points-19", True, None)
    overview = (await http.get("/api/learn", headers=ANN)).json()
    peruke = next(one for one in overview["games"] if one["game"] == "peruke")
    assert (peruke["due"], peruke["tried"], peruke["right"]) == (1, 1, 0)
    better = await choose(http, "points-19", right, headers=ANN)
    assert (better["counts"], better["again"], better["run"]) == (True, 3, 1)
    other = (await http.get("/api/learn", headers=BEN)).json()
    assert all(not one["tried"] and not one["due"] for one in other["games"])
    nobody = (await http.get("/api/learn")).json()
    assert nobody["streak"] == {"days": 0, "right": 0}


async def test_todays_position_makes_a_streak(place: tuple[Any, Clock]) -> None:
    http, clock = place
    who = {"headers": {"X-Player": "c" * 32}}
    for day, is_right in enumerate((True, False)):
        shown = (await http.get("/api/learn/peruke/today", **who)).json()
        today = datetime.fromtimestamp(clock.now, UTC).date().isoformat()
        assert (shown["name"], shown["exercise"], shown["answer"]) == (today, "daily", None)
        right, wrong = answers(today)
        judged = await choose(http, today, right if is_right else wrong, **who)
        assert judged["streak"] == {"days": day + 1, "right": 1}
        shown = (await http.get("/api/learn/peruke/today", **who)).json()
        assert shown["answer"]["right"] is is_right
        if not day:
            clock.pass_days(1)
    assert (await http.get("/api/learn", **who)).json()["streak"] == {"days": 2, "right": 1}
    clock.pass_days(2)
    overview = (await http.get("/api/learn", **who)).json()
    assert (overview["streak"]["days"], overview["longest"]) == (0, 2)


async def test_the_next_position_comes_from_those_found_ahead(place: tuple[Any, Clock]) -> None:
    http, _ = place
    names = [(await http.get("/api/learn/peruke/next")).json()["name"] for _ in range(4)]
    assert len(set(names)) == 4
    again = (await http.get(f"/api/learn/peruke/positions/{names[0]}")).json()
    assert again["name"] == names[0]


async def test_what_needs_a_solution_waits_for_it(
    tmp_path: Path, toy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its own solver, Pig has no values before it is solved as a whole."""
    begun: list[str] = []

    class NeverDone:
        part = 0.25

        def __init__(self, _thinker: object, _address: str, slug: str) -> None:
            begun.append(slug)
            self.task = asyncio.create_task(asyncio.Event().wait())

    monkeypatch.setattr(tutoring, "_Solving", NeverDone)
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path / "cache"))  # nothing is solved there
    async with served(tmp_path, Clock()) as http:
        for path in ("today", "next", "positions/win-3"):
            found = (await http.get(f"/api/learn/{toy}/{path}")).json()
            assert (found["type"], found["part"]) == ("working", 0.25), path
        answer = await http.post(f"/api/learn/{toy}/positions/win-3", json={"choice": "hold"})
        assert (answer.status_code, begun) == (422, [toy])
        assert answer.json()["error"].startswith("The chances to win are still being computed")


@pytest.mark.parametrize(
    "name, said",
    [
        ("win", "There is no such position"),
        ("win-0", "There is no such position"),
        ("points-1234567", "There is no such position"),
        ("2999-01-01", "every day until today"),
        ("2026-13-77", "every day until today"),
    ],
)
async def test_names_that_are_none_get_a_sentence(
    place: tuple[Any, Clock], name: str, said: str
) -> None:
    http, _ = place
    answer = await http.get(f"/api/learn/peruke/positions/{name}")
    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert (await http.get(f"/api/learn/nim/positions/{name}")).status_code == 404


async def test_a_choice_that_is_none_gets_a_sentence(place: tuple[Any, Clock]) -> None:
    http, _ = place
    path = "/api/learn/peruke/positions/points-17"
    answer = await http.post(path, json={"choice": "nonsense"})
    assert answer.status_code == 422
    assert answer.json()["error"] == "That is not one of the choices of this position."


async def test_chances_are_guessed_and_calibrated(place: tuple[Any, Clock]) -> None:
    http, _ = place
    roll = (await http.get("/api/learn/farkle/roll")).json()
    assert "chance" not in str(roll)
    assert roll["view"]["gauge"]["heat"] is None
    exact = find_wager(load_game("farkle"), roll["name"]).chance
    path = f"/api/learn/farkle/rolls/{roll['name']}"
    said = {"said": min(1.0, float(exact) + 0.05)}
    guess = (await http.post(path, json=said, headers=ANN)).json()
    assert guess["fraction"] == f"{exact.numerator}/{exact.denominator}"
    assert (guess["chance"], guess["points"]) == (pytest.approx(float(exact)), 80)
    assert guess["counts"]
    again = (await http.post(path, json={"said": 0}, headers=ANN)).json()
    assert not again["counts"]
    assert again["calibration"] == guess["calibration"]
    assert (guess["calibration"]["guesses"], guess["calibration"]["words"]) == (
        1,
        "too high by 5 points on average",
    )
    mine = (await http.get("/api/learn/farkle/guesses", headers=ANN)).json()
    assert mine == guess["calibration"]
    assert (await http.get("/api/learn/farkle/guesses", headers=BEN)).json()["guesses"] == 0


async def test_games_without_a_bust_say_why(place: tuple[Any, Clock]) -> None:
    http, _ = place
    answer = await http.get("/api/learn/rogue/roll")
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("In Rogue a poor roll only ends the turn")


async def test_bad_guesses_are_refused(place: tuple[Any, Clock]) -> None:
    http, _ = place
    for path, said in (("rolls/1", 1.5), ("rolls/0", 0.5), ("rolls/x", 0.5)):
        answer = await http.post(f"/api/learn/farkle/{path}", json={"said": said})
        assert answer.status_code == 422
    for no_number in (True, False, "0.5", None, [1]):
        answer = await http.post("/api/learn/farkle/rolls/1", json={"said": no_number})
        assert (answer.status_code, answer.json()["error"]) == (422, "said has to be a number.")


async def test_answers_are_limited(tmp_path: Path) -> None:
    async with served(tmp_path, Clock(), Limits(answers=1)) as http:
        path = "/api/learn/rogue/rolls/1"
        assert (await http.post(path, json={"said": 0.5})).status_code == 422
        answer = await http.post(path, json={"said": 0.5})
        assert answer.status_code == 429
        assert answer.json()["error"].startswith("Too many answers")


async def test_names_say_what_a_position_is_judged_by() -> None:
    assert read_name("win-17", TODAY) == ("win", "17", False)
    assert read_name("2026-11-18", TODAY) == ("", "2026-11-18", True)
    with pytest.raises(Unnamed):
        read_name("2026-11-19", TODAY)
