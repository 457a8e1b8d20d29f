"""The commands that solve and advise, with output for people and as JSON."""

from __future__ import annotations

import pytest

from hotdice import load_game
from tests.cli.conftest import Command

SMALL = {
    "farkle": ["--set", "target=100", "--set", "entry=20"],
    "rogue": ["--set", "target=100", "--set", "war_at=60"],
    "cockroach": ["--set", "target=8"],
}
KEYS = {"value", "residual", "states", "seconds"}


@pytest.mark.parametrize("slug", SMALL)
def test_solve_reports_the_chance_to_win(hotdice: Command, slug: str) -> None:
    found = hotdice("solve", slug, *SMALL[slug], "--json").json()
    assert set(found) >= KEYS
    assert found["objective"] == "win"
    assert 0.4 < found["value"] < 0.8
    assert found["residual"] <= 1e-9
    later = hotdice(
        "solve", slug, *SMALL[slug], "--scores", "60,20" if slug != "cockroach" else "6,2", "--json"
    )
    assert later.json()["value"] > found["value"]
    ran = hotdice("solve", slug, *SMALL[slug])
    assert ran.code == 0
    assert f"{100 * found['value']:.1f} %" in ran.out
    assert "residual" in ran.out


def test_solve_reports_both_places_in_a_round(hotdice: Command) -> None:
    first, second = (
        hotdice("solve", "rogue", *SMALL["rogue"], "--place", place, "--json").json()
        for place in ("first", "second")
    )
    assert first["value"] == first["first"] == second["first"]
    assert second["value"] == second["second"] == first["second"]
    assert first["value"] != second["value"]


@pytest.mark.parametrize(
    "scores, place", [("100,100", "first"), ("120,90", "first"), ("90,120", "second")]
)
def test_last_rounds_are_solved_too(hotdice: Command, scores: str, place: str) -> None:
    words = ("solve", "rogue", *SMALL["rogue"], "--scores", scores, "--place", place)
    assert 0 < hotdice(*words, "--json").json()["value"] < 1


@pytest.mark.parametrize(
    "words, low, high",
    [
        (("farkle",), 55.3, 55.4),
        (("farkle", "--scores", "0,0"), 44.0, 44.1),
        (("rogue",), 65.6, 65.7),
        (("cockroach",), 3.1, 3.2),
        (("peruke",), 14.6, 14.7),
        (("go500",), 602, 603),
    ],
)
def test_solve_reports_expected_points(
    hotdice: Command, words: tuple[str, ...], low: float, high: float
) -> None:
    found = hotdice("solve", *words, "--objective", "points", "--json").json()
    assert set(found) >= KEYS
    assert low < found["value"] < high


@pytest.mark.parametrize(
    "words", [("peruke",), ("at_least", "--goal", "12"), ("series", "--goal", "60"), ("win",)]
)
def test_solve_reports_the_chances_of_peruke_one(hotdice: Command, words: tuple[str, ...]) -> None:
    found = hotdice("solve", "peruke", "--objective", *words, "--json").json()
    assert set(found) >= KEYS
    assert 0 < found["value"] < 1


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("chess",), "There is no game 'chess'"),
        (("farkle", "--objective", "glory"), "Farkle is solved for win and points"),
        (("farkle", "--scores", "3"), "Write two scores"),
        (("farkle", "--scores", "-5,3"), "Write two scores"),
        (("farkle", "--scores", "50,300"), "No turn of Farkle starts at 50 against 300"),
        (("farkle", "--scores", "1000,300"), "No turn of Farkle starts"),
        (("farkle", "--scores", "997,0"), "Points come in steps of 5"),
        (("rogue", "--set", "target=100", "--set", "war_at=60", "--scores", "20,120"), "No round"),
        (("farkle", "--place", "second"), "Farkle has no rounds"),
        (("rogue", "--place", "third"), "first or second"),
        (("farkle", "--goal", "3"), "has no goal"),
        (("farkle", "--set", "target=100000"), "too high to be solved exactly"),
        (("peruke", "--objective", "series"), "Say how many points"),
        (("peruke", "--objective", "series", "--goal", "9" * 30), "A goal is between"),
        (("cockroach", "--objective", "points", "--scores", "99,99"), "No turn of Cockroach"),
        (("peruke", "--scores", "1,2"), "played alone"),
        (("go500", "--scores", "1,2"), "leave --scores out"),
        (("go500", "--objective", "win", "--set", "rerolls=50"), "up to 6 rerolls"),
    ],
)
def test_unsolvable_questions_get_one_sentence(
    hotdice: Command, words: tuple[str, ...], sentence: str
) -> None:
    ran = hotdice("solve", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


def test_a_game_without_a_solver_of_its_own_is_enumerated(hotdice: Command, toy: str) -> None:
    words = ("scores=0,0", "phase=choose", "total=4", "tray=4", "--set", "target=15", "--json")
    assert hotdice("advise", toy, *words).json()["exact"] is False
    assert "leave --place out" in hotdice("solve", toy, "--place", "first").err
    ran = hotdice("solve", toy, "--set", "target=15", "--json").json()
    assert ran["value"] == pytest.approx(0.6537869732, abs=1e-9)
    assert ran["residual"] < 1e-12
    assert hotdice("advise", toy, *words).json()["exact"] is True


DISCS = ("discs=0,0,1,1,1,1", "past=12,15", "round=3", "phase=use", "tray=1,2,3,r3")
STATE = ("scores=300,450", "phase=choose", "tray=112355")


def test_advise_ranks_every_choice(hotdice: Command) -> None:
    game = load_game("farkle")
    found = hotdice("advise", "farkle", *STATE, "--objective", "points", "--json").json()
    state = game.read_state(" ".join(STATE))
    assert {row["choice"] for row in found["choices"]} == {
        game.event_text(choice) for choice in game.choices(state)
    }
    assert found["exact"] is True
    assert found["choices"][0]["cost"] == 0
    assert found["choices"][0]["why"].endswith(".")
    values = [row["value"] for row in found["choices"]]
    assert values == sorted(values, reverse=True)


def test_advise_prints_its_reasons(hotdice: Command) -> None:
    ran = hotdice("advise", "farkle", *STATE)
    assert ran.code == 0
    assert ran.out.startswith("Exact expected points of this turn")
    assert "Keep a 1 for 10. Roll five dice with 10 at stake." in ran.out
    assert "farkle 7.7 %" in ran.out
    assert "hotdice solve farkle --objective win once" in ran.out
    other = hotdice("advise", "farkle", *STATE, "--set", "target=505", "--objective", "win")
    assert "hotdice solve farkle --objective win --set target=505." in other.err
    large = hotdice("advise", "farkle", *STATE, "--set", "target=50000", "--objective", "win")
    assert "cannot be solved exactly" in large.err


def test_advise_solves_first_if_asked_to(hotdice: Command) -> None:
    state = ("scores=40,40", "phase=choose", "tray=112355")
    ran = hotdice("advise", "farkle", *state, *SMALL["farkle"], "--solve")
    assert ran.out.startswith("Exact chances to win")
    three = hotdice("advise", "farkle", "scores=40,40,60", *state[1:], *SMALL["farkle"], "--json")
    assert three.json()["exact"] is False
    assert three.json()["objective"] == "win"


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("farkle", "scores=0,0"), "nothing to choose"),
        (("farkle", "scores=0,0", "phase=choose", "tray=9"), ""),
        (("farkle", "nonsense"), ""),
        (("farkle", *STATE, "--objective", "glory"), "solved for win and points"),
        (("peruke", *DISCS, "--objective", "series"), "needs a goal"),
        (("peruke", *DISCS, "--goal", "3"), "has no goal"),
        (("farkle", *STATE, "--objective", "win"), "not solved yet"),
        (("rogue", "scores=5,0", "phase=choose", "tray=2245", "kept=33", "total=7"), "No turn"),
    ],
)
def test_bad_questions_to_advise_get_one_sentence(
    hotdice: Command, words: tuple[str, ...], sentence: str
) -> None:
    ran = hotdice("advise", *words)
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1


def test_solutions_are_listed_and_cleared(
    hotdice: Command, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr("hotdice.solve.finding._made", {})
    assert "No solutions in" in hotdice("solutions").out
    hotdice("solve", "cockroach", "--set", "target=5")
    assert "target=5" in hotdice("solutions").out
    assert "0.1 MB" in hotdice("solutions", "cockroach").out
    [kept] = hotdice("solutions", "--json").json()["solutions"]
    assert (kept["game"], kept["what"]) == ("cockroach", "win")
    assert hotdice("tables", "--json").json()["tables"] == [kept]  # by its former name
    assert "No solutions" in hotdice("solutions", "farkle").out
    assert "One solution deleted" in hotdice("solutions", "--clear").out
    assert hotdice("solutions", "--json").json()["solutions"] == []
    assert hotdice("solutions", "chess").code == 2


def test_the_coach_can_be_asked_while_playing(hotdice: Command) -> None:
    ran = hotdice(
        "play",
        "farkle",
        "--seat",
        "Ann",
        "--seat",
        "Ben",
        "--seed",
        "table",
        "--set",
        "starts=seat",
        typed="\ncoach\nquit\n",
    )
    assert "Exact expected points of this turn" in ran.out
    assert "best" in ran.out


def test_a_perfect_bot_has_its_game_solved_first(hotdice: Command) -> None:
    ran = hotdice(
        "play",
        "farkle",
        "--seat",
        "P=bot:perfect",
        "--seat",
        "C=bot:casual",
        *SMALL["farkle"],
        "--seed",
        "1",
        "--json",
    )
    assert ran.json()["result"]["clause"] == "F11"


@pytest.mark.parametrize(
    "words",
    [("series", "--goal", "70"), ("at_least", "--goal", "12"), ("peruke",), ("win",), ("points",)],
)
def test_the_coach_advises_on_every_objective_of_peruke_one(
    hotdice: Command, words: tuple[str, ...]
) -> None:
    found = hotdice("advise", "peruke", *DISCS, "--objective", *words, "--json").json()
    assert found["exact"] is True
    values = [row["value"] for row in found["choices"]]
    assert values == sorted(values, reverse=True)
    assert words[0] == "points" or 0 < values[0] < 1
