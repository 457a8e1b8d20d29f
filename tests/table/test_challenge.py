"""What the tables of a challenge have in common, daily challenges, and ranks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from hotdice import BadSetup, HotDiceError
from hotdice.table.challenge import (
    DAYS_OPEN,
    MOST_BOTS,
    Challenge,
    Outcome,
    daily,
    daily_id,
    ranks,
    read_daily,
    today,
)
from hotdice.table.sitting import Seat

CHALLENGE = Challenge("c", "farkle", "target=500", 1, ("sharp", "greedy"), "secret", "owner", 0.0)
NOON = 20_000.5 * 86_400


def test_every_table_has_the_same_rules_seats_and_dice() -> None:
    setup = CHALLENGE.setup("Ann").checked()
    assert [seat.bot for seat in setup.seats] == ["", "sharp", "greedy"]
    assert (setup.dice, setup.seed, setup.challenge) == ("challenge", "secret", "c")
    assert (setup.coach, setup.open, setup.clock, setup.series) == (False, (), 0, 0)
    names = [seat.name for seat in setup.seats]
    other = CHALLENGE.setup(names[1]).checked()  # somebody with the name of a bot
    assert len({seat.name for seat in other.seats}) == 3
    several = CHALLENGE._replace(people=3).setup("Ann").checked()
    assert several.seats[:3] == (Seat("Ann"), Seat("Seat 2"), Seat("Seat 3"))
    assert several.open == (1, 2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"people": 0},
        {"people": 7},
        {"bots": ()},
        {"bots": ("perfect",)},
        {"bots": ("genius",)},
        {"bots": ("sharp",) * (MOST_BOTS + 1)},
        {"options": "target=-1"},
        {"game": "chess"},
    ],
)
def test_impossible_challenges_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(HotDiceError):
        CHALLENGE._replace(**wrong).checked()  # type: ignore[arg-type]
    assert CHALLENGE.checked() == CHALLENGE


def test_a_set_up_of_a_challenge_has_its_dice_and_no_coach() -> None:
    setup = CHALLENGE.setup("Ann")
    for wrong in ({"coach": True}, {"dice": "seeded"}, {"series": 2}):
        with pytest.raises(BadSetup, match="A challenge is one game"):
            replace(setup, **wrong).checked()


def test_a_daily_challenge_is_open_for_a_week() -> None:
    day = today(NOON)
    name = daily_id("farkle", day)
    assert read_daily(name) == ("farkle", day)
    found = daily(name, NOON)
    assert found is not None
    assert found.closes == found.created + DAYS_OPEN * 86_400
    assert not found.is_closed(found.closes - 1)
    assert found.is_closed(found.closes)
    assert daily(name, found.closes - 1) == found  # the same for everybody, whenever they look
    assert daily(name, found.closes) == found
    assert not found.is_closed(found.closes - 1)
    assert found.is_closed(found.closes)
    year = 366 * 86_400.0
    assert daily(name, found.created + year - 1) == found
    assert daily(name, found.created + year) is None
    assert daily(name, found.created - 1) is None
    assert read_daily("farkle-2026-02-30") is None
    assert read_daily("chess-2026-02-20") is None
    assert read_daily("farkle-2026-2-20") is None
    assert read_daily("peruke-2026-02-20") == ("peruke", date(2026, 2, 20))


def test_equal_results_share_a_rank() -> None:
    outcomes = [
        Outcome(won=True, score=500, others=400),
        Outcome(won=False, score=480, others=520),
        Outcome(won=True, score=600, others=500),
        None,
        Outcome(won=True, score=505, others=300),
        Outcome(won=False, score=10, others=500),
    ]
    assert ranks([one and (one.won, one.margin) for one in outcomes]) == [2, 4, 2, None, 1, 5]
    assert ranks([0.5, None, 0.9, 0.5]) == [2, None, 1, 2]
    assert ranks(list[float | None]()) == []
    assert Outcome(won=False, score=-18, others=None).margin == -18
