"""Looks are data; a bad one is refused with a sentence that says what is wrong."""

from __future__ import annotations

import os
import sys
from importlib.resources.abc import Traversable
from pathlib import Path

import pytest

from hotdice.core import look as reading
from hotdice.core.drawings import Drawing
from hotdice.core.look import (
    PLAIN,
    BadLook,
    ChartRow,
    Help,
    Look,
    Term,
    TrackLook,
    find_look,
    poor_contrasts,
    read_look,
)
from hotdice.core.registry import game_names, game_type, load_game

DOT = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle r="4"/></svg>'


def drawing(name: str) -> str:
    found = {"dot": DOT, "bad": "<svg>"}
    if name not in found:
        raise BadLook(f"There is no file {name}.svg.")
    return found[name]


def test_a_look_is_read() -> None:
    read = read_look(
        """
        surface = "baize"
        track = { kind = "pegs", step = 5 }
        emblem = { icon = "fox-head" }
        sample = ["1", "c"]
        chart = [
          { dice = ["1"] },
          { dice = [], words = "a disc", points = "its value" },
          { dice = ["2"], times = [2, 3] },
        ]
        glossary = [{ word = "Bank", meaning = "Stop." }]
        faces.c = { drawing = "dot" }
        faces.6 = [{ icon = "fox-head" }, { drawing = "dot" }]
        help = { goal = "Win.", turn = "Roll.", danger = "Lose." }
        sounds.roll = "wood"
        light.accent = "#123456"
        """,
        drawing,
    )
    assert read.surface == "baize"
    assert read.track == TrackLook("pegs", 5)
    assert read.emblem == Drawing(icon="fox-head")
    assert [one.box for one in read.faces["c"]] == ["0 0 9 9"]
    assert [one.icon for one in read.faces["6"]] == ["fox-head", ""]
    assert read.chart == (
        ChartRow(("1",)),
        ChartRow((), "a disc", "its value"),
        ChartRow(("2",), times=(2, 3)),
    )
    assert read.glossary == (Term("Bank", "Stop."),)
    assert read.help == Help("Win.", "Roll.", "Lose.")
    assert read.sounds == {"roll": "wood"}
    assert read.light == {**PLAIN.light, "accent": "#123456"}
    assert read.dark == PLAIN.dark


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("surface =", "not TOML"),
        ('colour = "red"', "no 'colour'"),
        ('surface = "grass"', "no surface 'grass'"),
        ('track = { kind = "rope", step = 1 }', "no track 'rope'"),
        ('track = { kind = "pegs", step = 0 }', "a step of 1 or more"),
        ('track = "pegs"', "has a kind and a step"),
        ('light.accent = "red"', "written like #1b4d3d"),
        ("light.accent = 3", "written like #1b4d3d"),
        ('light.shine = "#ffffff"', "no colour 'shine'"),
        ("light = 3", "are a table"),
        ("a = " + "[" * 5000, "nested too deep"),
        ("a = " + "9" * 5000, "not TOML: Exceeds the limit"),
        ('faces.c = { drawing = "none" }', "none.svg of faces cannot be used. There is no file"),
        ('faces.c = { drawing = "bad" }', "bad.svg of faces cannot be used. This is not XML"),
        ('faces.c = { drawing = "../dot" }', "write { icon"),
        ('faces.c = { icon = "a b" }', "write { icon"),
        ("faces.c = []", "A face of a look has 1 to"),
        ("faces.c = [1]", "write { icon"),
        ('emblem = "dot"', "write { icon"),
        ('help = { goal = "Win." }', "a goal, a turn and a danger"),
        ('help = { goal = "", turn = "a", danger = "b" }', "1 to 300 characters"),
        ('chart = [{ words = "a" }]', "A row of the chart"),
        ("chart = 1", "is a list"),
        ('chart = [{ dice = ["1"], times = [0] }]', "numbers from 1 to 99"),
        ('chart = [{ dice = ["1", "2"], times = [2] }]', "for a single die"),
        ('chart = [{ dice = ["1"], times = [] }]', "numbers from 1 to 99"),
        ('glossary = [{ word = "a" }]', "a word and a meaning"),
        ("sample = [1]", "1 to 300 characters"),
        ('sounds.sneeze = "wood"', "no event 'sneeze'"),
        ('sounds.roll = "sneeze"', "no sound 'sneeze'"),
    ],
)
def test_a_bad_look_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadLook) as refused:
        read_look(text, drawing)
    assert reason in str(refused.value)


def test_a_package_without_a_look_is_plain() -> None:
    assert find_look("hotdice.core") is PLAIN


DRAWN = b'faces.6 = { drawing = "six" }'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The look folder of a package from outside, empty."""
    found = tmp_path / "outside_game" / "look"
    found.mkdir(parents=True)
    (found.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "outside_game", raising=False)
    return found


def refusal() -> str:
    with pytest.raises(BadLook) as refused:
        find_look("outside_game")
    return str(refused.value)


def test_files_from_outside_are_read_as_utf_8(folder: Path) -> None:
    assert find_look("outside_game") is PLAIN
    (folder / "look.toml").write_bytes(b'glossary = [{ word = "\xc3\xa4", meaning = "b" }]')
    assert find_look("outside_game").glossary == (Term("ä", "b"),)


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"look.toml": b"\xff\xfe"}, "The file look.toml is not text in UTF-8."),
        ({"look.toml": b"#" * 100_001}, "The file look.toml is larger than 100,000 bytes."),
        ({"look.toml": None}, "There is no file look.toml."),
        ({"look.toml": DRAWN}, "There is no file six.svg."),
        ({"look.toml": DRAWN, "six.svg": b"\xff"}, "The file six.svg is not text in UTF-8."),
        ({"look.toml": DRAWN, "six.svg": b" " * 100_001}, "six.svg is larger than 100,000 bytes."),
        ({"look.toml": DRAWN, "six.svg": None}, "There is no file six.svg."),
        ({"look.toml": DRAWN, "six.svg": b"<svg>" + b"<g>" * 6000}, "This is not XML"),
    ],
)
def test_files_that_are_no_text_are_refused(
    folder: Path, files: dict[str, bytes | None], reason: str
) -> None:
    for name, content in files.items():
        if content is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content)
    assert reason in refusal()


def test_a_pipe_is_refused_without_waiting_for_its_end(folder: Path) -> None:
    os.mkfifo(folder / "look.toml")
    assert refusal() == "There is no file look.toml."


@pytest.mark.parametrize(
    ("part", "reason"),
    [
        ("open", "The file look.toml cannot be read: Permission denied."),
        ("iterdir", "The folder look cannot be read: Permission denied."),
    ],
)
def test_files_that_must_not_be_read_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, part: str, reason: str
) -> None:
    (folder / "look.toml").touch()

    class Locked(type(folder)):  # type: ignore[misc]
        """A path that may not be read, also by root."""

    def refuse(_path: Path, *_how: str) -> None:
        raise PermissionError(13, "Permission denied")

    setattr(Locked, part, refuse)

    def locked(_package: str) -> Traversable:
        found: Traversable = Locked(folder.parent)
        return found

    monkeypatch.setattr(reading, "files", locked)
    assert refusal() == reason


def test_poor_contrasts_are_found() -> None:
    grey = Look(light={**PLAIN.light, "ink": PLAIN.light["surface"]})
    assert "On light pages ink on surface has a contrast of 1.0." in poor_contrasts(grey)
    assert not poor_contrasts(PLAIN)


@pytest.mark.parametrize("name", game_names())
def test_the_looks_of_all_games_fit_their_rules(name: str) -> None:
    look, game = game_type(name).look(), load_game(name)
    assert not poor_contrasts(look)
    shown = [*look.faces, *look.sample, *(token for row in look.chart for token in row.dice)]
    assert set(shown) <= game.codes.keys()
