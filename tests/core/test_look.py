"""Looks are data; a bad one is refused with a sentence that says what is wrong."""

from __future__ import annotations

import pytest

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
        raise FileNotFoundError(name)
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
        ('faces.c = { drawing = "none" }', "none.svg of faces is missing"),
        ('faces.c = { drawing = "bad" }', "bad.svg cannot be used. This is not XML"),
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
