"""``hotdice analyse``."""

from __future__ import annotations

import json
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


def test_several_records_are_told_in_a_line_each(
    hotdice: Command, record: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("nothing", "utf-8")
    ran = hotdice("analyse", str(record), str(bad), str(record))
    assert ran.code == 2
    lines = ran.out.splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert "North 100 % (" in lines[0]
    assert "3 of 3" in ran.err
    assert "not a record" in ran.err
    assert "1 of 3 files could not be analysed." in ran.err
    found = hotdice("analyse", str(record), str(record), "--json").out.splitlines()
    assert [json.loads(line)["file"] for line in found] == [str(record)] * 2


def test_the_report_as_a_page_of_its_own(hotdice: Command, record: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ran = hotdice("analyse", str(record), "--html", str(page))
    assert ran.code == 0, ran.err
    text = page.read_text("utf-8")
    data = text.partition('id="data">')[2].partition("</script>")[0]
    found = json.loads(data)
    assert [one["name"] for one in found["report"]["seats"]] == ["North", "South"]
    assert len(found["positions"]) == len(found["report"]["events"])
    assert "src=" not in text.partition("<body>")[2].partition("<script")[0]
    assert hotdice("analyse", str(record), str(record), "--html", str(page)).code == 2
    nowhere = hotdice("analyse", str(record), "--html", str(tmp_path / "no" / "page.html"))
    assert "cannot be saved" in nowhere.err


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
