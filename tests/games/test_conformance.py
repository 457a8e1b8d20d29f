"""Every game keeps the contract, with its default options and with others."""

import random

import pytest

from hotdice import conformance, game_names, load_game
from hotdice.core.events import Event, Roll
from hotdice.games.farkle import Farkle

VARIANTS = [
    ("farkle", "target=300"),
    ("farkle", "target=150 entry=0 carry_over=off starts=seat four_and_pair=on"),
    ("farkle", "target=100 entry=50 starts=random"),
    ("rogue", "target=300 war_at=150"),
    ("rogue", "target=40 war_at=1"),
    *(
        ("cockroach", f"target=6 any_start={a} extra_die={e} duplicates={d}")
        for a in ("on", "off")
        for e in ("on", "off")
        for d in ("on", "off")
    ),
    ("cockroach", "target=9 starts=seat shortest=1"),
    ("peruke", "games=1"),
    ("peruke", "games=3 red_combines=off uses=3"),
    ("go500", "course=streets rerolls=0"),
    ("go500", "course=pass weather=poor rerolls=9"),
    ("go500", "course=grand"),
    (
        "go500",
        (
            "'course=name: t; segment: A = 10; segment: B = none' 'dice=name: t; black: (5) 9 9; "
            "green: flat (7) 7; flag: green red; yellow: 0; red: x crash -3' "
            "penalties=1:3 rerolls=1"
        ),
    ),
]


@pytest.mark.parametrize("slug", game_names())
def test_game_keeps_the_contract(slug: str) -> None:
    game = load_game(slug)
    conformance.check_identity(game)
    conformance.check_options(game)
    conformance.check_rules(game)
    conformance.check_seats(game)


@pytest.mark.parametrize("slug, options", VARIANTS)
def test_play_keeps_the_contract(slug: str, options: str) -> None:
    game = load_game(slug, options)
    rng = random.Random(f"{slug} {options}")
    for players in sorted({game.min_players, min(3, game.max_players)}):
        conformance.check_play(game, players, rng)


@pytest.mark.parametrize("slug", game_names())
def test_every_game_has_a_variant_here(slug: str) -> None:
    assert any(known == slug for known, _ in VARIANTS)


class Misread(Farkle):
    """A game that reverses the dice of every roll it reads."""

    def _read_event(self, text: str) -> Event:
        event = super()._read_event(text)
        return Roll(event.faces[::-1]) if isinstance(event, Roll) else event


def test_a_game_that_misreads_its_own_events_fails() -> None:
    with pytest.raises(AssertionError, match="is parsed as another event"):
        conformance.check_play(Misread(), 2, random.Random(1))
