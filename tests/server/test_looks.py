"""Looks for the client: texts follow the options, and a bad look does not stop a game."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import httpx
import pytest

from hotdice.conformance import check_look
from hotdice.core.errors import BadOption
from hotdice.core.look import PALETTE, PLAIN, BadLook, Look, icons_of, read_look
from hotdice.server import looks, pages
from hotdice.server.app import create_app
from hotdice.server.looks import checked_look, draw_look, show_look
from tests.toy import Pig


@pytest.fixture(autouse=True)
def _fresh() -> None:
    show_look.cache_clear()
    looks._look.cache_clear()  # noqa: SLF001 - the looks below are not those of the package
    looks._report.cache_clear()  # noqa: SLF001 - as above


def test_texts_name_the_values_of_options() -> None:
    assert "has 1,000 " in show_look("farkle").help.goal  # type: ignore[union-attr]
    assert "has 250 " in show_look("farkle", "target=250").help.goal  # type: ignore[union-attr]
    with pytest.raises(BadOption):
        show_look("farkle", "target=none")


def test_the_rules_say_what_the_chart_does_not() -> None:
    chart = {row.words: row.points for row in show_look("farkle", "three_ones=77").chart}
    assert chart["three 1s"] == ["77"]
    assert chart["a straight"] == ["100"]
    rows = show_look("rogue").chart
    assert [(row.words, row.points) for row in rows if "rogue" in row.words] == [
        ("a pair with a rogue", ["doubled"])
    ]
    assert rows[0].times == [2, 3, 4, 5, 6]
    assert rows[0].points == ["4", "20", "100", "500", "1,300"]


def test_dice_that_the_rules_do_not_have_are_left_out() -> None:
    dice = "name: small; black: 0 5; green: flat 10; flag: green red; yellow: -5; red: -25"
    shown = show_look("go500", f"dice='{dice}'")
    assert shown.sample == []


def test_a_game_without_a_look_is_plain(toy: str) -> None:
    shown = show_look(toy)
    assert shown.surface == "felt"
    assert shown.light == {role: colours[0] for role, colours in PALETTE.items()}
    assert shown.help is None


def test_a_third_party_can_ship_a_look(toy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    look = read_look('surface = "tiles"\nchart = [{ dice = ["6"] }]', lambda _name: "")
    monkeypatch.setattr(Pig, "look", classmethod(lambda _cls: look))
    shown = show_look(toy)
    assert shown.surface == "tiles"
    assert len(shown.chart[0].dice) == 1


def _broken(_cls: type[Pig]) -> Look:
    raise RuntimeError("the loader has failed")


def _of(text: str) -> Callable[[type[Pig]], Look]:
    def look(_cls: type[Pig]) -> Look:
        return read_look(text, lambda name: Path(name).read_text("utf-8"))

    return look


@pytest.mark.parametrize(
    ("look", "why"),
    [
        (_of('surface = "grass"'), "There is no surface 'grass'"),
        (_of('help = {goal = "{no}", turn = "b", danger = "c"}'), "There is no option 'no'"),
        (_of('faces.6 = { drawing = "six" }'), "It cannot be read: FileNotFoundError"),
        (_of('faces.6 = { icon = "no-such-icon" }'), "There is no icon 'no-such-icon'; there are "),
        (_of('emblem = { icon = "no-such-icon" }'), "There is no icon 'no-such-icon'"),
        (_of('meters.rolls = { icon = "no-such-icon" }'), "There is no icon 'no-such-icon'"),
        (_broken, "It cannot be read: RuntimeError: the loader has failed."),
        (lambda _cls: "felt", "It cannot be read: it is no Look."),
        (lambda _cls: Look(sample=7), "It cannot be shown: "),  # type: ignore[arg-type]
    ],
)
def test_a_bad_look_is_logged_once_replaced_and_refused_by_the_conformance_suite(
    toy: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    look: Callable[[type[Pig]], Look],
    why: str,
) -> None:
    monkeypatch.setattr(Pig, "look", classmethod(look))
    for options in ("", "target=30", "target=40"):
        assert show_look(toy, options) == draw_look(Pig(), PLAIN)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1
    assert said[0].startswith(f"the look of pig cannot be used: {why}")
    with pytest.raises(AssertionError, match=re.escape(why)):
        check_look(Pig())


async def test_a_look_that_is_no_text_does_not_hide_the_other_games(
    toy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "look").mkdir()
    (tmp_path / "look" / "look.toml").write_bytes(b"\xff\xfe\x00")
    monkeypatch.setattr("hotdice.core.look.files", lambda package: _files(package, tmp_path))
    app = create_app(f"sqlite:///{tmp_path / 'tables.db'}")
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost")
    async with app.router.lifespan_context(app), client as http:
        found = (await http.get("/api/games")).json()["games"]
    games = {game["slug"]: game["look"] for game in found}
    assert games[toy]["surface"] == "felt"
    assert games["rogue"]["surface"] == "map"


def _files(package: str, outside: Path) -> Traversable:
    return outside if package == "tests.toy" else files(package)


def test_without_pages_every_icon_may_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = _of('faces.6 = { icon = "no-such-icon" }')
    monkeypatch.setattr(Pig, "look", classmethod(look))
    monkeypatch.setattr(pages, "STATIC", tmp_path)
    assert icons_of(checked_look(Pig)) == {"no-such-icon"}


def test_a_look_that_names_an_option_that_does_not_exist_is_bad() -> None:
    with pytest.raises(BadLook):
        looks._filled(Pig(), "{nothing}")  # noqa: SLF001 - looking inside
