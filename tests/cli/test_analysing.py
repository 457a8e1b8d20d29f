"""``hotdice analyse``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.games import played
from tests.cli.conftest import Command


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A saved game."""
    path = tmp_path / "evening.txt"
    text = played("cockroach", "target=6 starts=seat", ("perfect", "random"), "words").text()
    path.write_text(text, "utf-8")
    return path


def test_luck_and_skill_are_printed(hotdice: Command, record: Path) -> None:
    ran = hotdice("analyse", str(record))
    assert ran.code == 0
    assert "Cockroach, North and South" in ran.out
    assert "Exact chances to win if both players play their best." in ran.out
    assert "North played perfectly" in ran.out
    assert "The costliest decisions" in ran.out
    assert "South: " in ran.out.partition("The costliest decisions")[2]


def test_the_report_as_json(hotdice: Command, record: Path) -> None:
    found = hotdice("analyse", str(record), "--json").json()
    assert [one["name"] for one in found["seats"]] == ["North", "South"]
    assert found["events"][0]["luck"] != 0


def test_a_game_that_is_not_over_has_no_result(hotdice: Command, tmp_path: Path) -> None:
    path = tmp_path / "begun.txt"
    game = played("peruke", "games=1", ("casual",), "begun", most=4)
    path.write_text(game.text(), "utf-8")
    found = hotdice("analyse", str(path), "--json").json()
    assert found["seats"][0]["result"] is None
    assert found["objective"] == "points"
    assert hotdice("analyse", str(path)).code == 0


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "not a record"),
        ("hotdice record 1\ngame: nim\nseats: A | B\n\n", "nim"),
        ("hotdice record 1\ngame: farkle\nseats: A | B\n\n1. 9999", "9999"),
    ],
)
def test_bad_records_get_one_sentence(
    hotdice: Command, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "bad.txt"
    path.write_text(text, "utf-8")
    ran = hotdice("analyse", str(path))
    assert ran.code == 2
    assert said in ran.err
    assert ran.err.count("\n") == 1
    assert path.read_text("utf-8") == text


def test_a_missing_record_gets_one_sentence(hotdice: Command, tmp_path: Path) -> None:
    ran = hotdice("analyse", str(tmp_path / "none.txt"))
    assert ran.code == 2
    assert "none.txt" in ran.err
