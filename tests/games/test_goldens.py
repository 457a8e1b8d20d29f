"""Playthrough and perft goldens; ``make goldens`` regenerates them."""

from pathlib import Path

import pytest

from hotdice import game_names, game_type, load_game
from hotdice.core.perft import divide
from hotdice.core.playthrough import render
from tests.goldens import (
    PERFTS,
    PLAYTHROUGHS,
    REFUSED,
    VIEWS,
    render_perft,
    render_refused,
    render_views,
)


@pytest.mark.parametrize(
    "slug, path", PLAYTHROUGHS, ids=lambda value: getattr(value, "stem", value)
)
def test_playthrough(slug: str, path: Path) -> None:
    text = path.read_text("utf-8")
    assert render(game_type(slug), text) == text


@pytest.mark.parametrize("slug, path", PERFTS, ids=lambda value: getattr(value, "stem", value))
def test_perft(slug: str, path: Path) -> None:
    text = path.read_text("utf-8")
    rendered = render_perft(slug, text)
    if rendered != text:
        options, players, state = (line.partition(":")[2] for line in text.splitlines()[:3])
        game = load_game(slug, options)
        start = game.read_state(state) if state.strip() else game.start(int(players))
        pytest.fail(f"{rendered}\nafter each first event:\n{divide(game, start, 2)}")
    rows = [line.split() for line in text.splitlines()[5:]]
    assert rows
    assert all(row[-1] == "1" for row in rows), "every level has a total probability of 1"


@pytest.mark.parametrize("slug, path", VIEWS, ids=lambda value: getattr(value, "stem", value))
def test_views(slug: str, path: Path) -> None:
    text = path.read_text("utf-8")
    assert render_views(slug, text) == text


@pytest.mark.parametrize("slug, path", REFUSED, ids=lambda value: getattr(value, "stem", value))
def test_impossible_states_are_refused(slug: str, path: Path) -> None:
    text = path.read_text("utf-8")
    assert render_refused(slug, text) == text


@pytest.mark.parametrize("slug", game_names())
def test_every_installed_game_has_goldens(slug: str) -> None:
    assert any(known == slug for known, _ in PLAYTHROUGHS)
    assert any(known == slug for known, _ in PERFTS)
    assert any(known == slug for known, _ in VIEWS)
    assert any(known == slug for known, _ in REFUSED)
