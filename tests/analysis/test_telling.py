"""Reports in words and as JSON."""

from __future__ import annotations

import json

import pytest

from hotdice import Record
from hotdice.analysis.judging import Fortune, Verdict, fortune, verdict
from hotdice.analysis.report import Report, SeatReport, analyse
from hotdice.analysis.telling import (
    better,
    costliest,
    lost_words,
    percent,
    rating,
    report_json,
    summary,
    verdict_words,
)
from tests.analysis.games import played


@pytest.fixture(scope="module")
def report() -> Report:
    """A game with mistakes."""
    return analyse(played("cockroach", "target=6 starts=seat", ("perfect", "random"), "words"))


def seat(**more: object) -> SeatReport:
    """A seat of which only some things matter."""
    known: dict[str, object] = {
        "name": "North",
        "result": 1.0,
        "rolls": 12,
        "luck": 0.0,
        "deviation": 0.25,
        "decisions": 8,
        "cost": 0.0,
        "spread": 0.5,
        "verdicts": {},
        "busts": 3,
        "risk": 2.5,
        "risk_deviation": 1.2,
    }
    return SeatReport(**(known | more))  # type: ignore[arg-type]


def two(first: SeatReport, second: SeatReport, record: Record) -> Report:
    """A report on two seats."""
    return Report(record, "win", True, "", 0.5, (first, second), ())


def test_a_seat_in_a_sentence(report: Report) -> None:
    lucky, unlucky = seat(luck=0.2, cost=0.02), seat(name="South", luck=-0.3)
    both = two(lucky, unlucky, report.record)
    assert summary(both, 0) == (
        "North played 96 % as well as possible (eight decisions) and had the better dice "
        "of the two, luckier than 79 of 100 such games (12 rolls)."
    )
    assert summary(both, 1).startswith("South played perfectly (eight decisions) and had the worse")
    fine = two(lucky, seat(name="South", luck=0.1), report.record)
    assert "had the worse dice of the two, but luckier than" in summary(fine, 1)
    even = two(seat(decisions=0), seat(), report.record)
    assert summary(even, 0).startswith("North had nothing to decide and had dice as good as")
    alone = Report(report.record, "points", True, "", 9.0, (seat(),), ())
    assert "and had dice luckier than 50 of 100 such games" in summary(alone, 0)


def test_percentages_do_not_exaggerate() -> None:
    shown = [percent(part) for part in (0.0, 0.004, 0.5, 0.994, 0.996, 0.9999, 1.0)]
    assert shown == ["0 %", "0 %", "50 %", "99 %", "99.6 %", "more than 99.9 %", "100 %"]


def test_verdicts_in_words() -> None:
    counts = {"perfect": 31, "slip": 1, "mistake": 2, "blunder": 0}
    assert verdict_words(counts) == "31 perfect, 1 slip, 2 mistakes"


@pytest.mark.parametrize(
    "cost, word",
    [
        (0.0, Verdict.PERFECT),
        (1e-10, Verdict.PERFECT),
        (0.009, Verdict.SLIP),
        (0.01, Verdict.MISTAKE),
        (0.04, Verdict.BLUNDER),
    ],
)
def test_choices_are_judged_by_their_cost(cost: float, word: Verdict) -> None:
    assert verdict(cost) is word
    assert verdict(16 * cost, 16.0) is (word if cost != 1e-10 else Verdict.SLIP)


def test_rolls_are_judged_by_their_luck() -> None:
    words = [fortune(luck) for luck in (0.2, 0.06, 0.05, -0.06, -0.3)]
    assert words == [
        Fortune.JOKER,
        Fortune.LUCKY,
        Fortune.PLAIN,
        Fortune.UNLUCKY,
        Fortune.DISASTER,
    ]
    assert fortune(3.0, 0.0) is Fortune.PLAIN


def test_the_costliest_decisions_say_what_was_better(report: Report) -> None:
    found = costliest(report, 2)
    assert len(found) == 2
    costs = [one.cost for _, one in found]
    assert costs == sorted(costs, reverse=True)
    for at, one in found:
        assert report.events[at] is one
        assert one.seat == 1
        said = better(report, one)
        assert f" gave away {lost_words(one.cost, 'win')}; better: " in said


def test_what_was_given_away_has_its_unit() -> None:
    assert lost_words(0.0234, "win") == "2.34 % of a win"
    assert lost_words(3.14, "points") == "3.1 points"


def test_the_rating_is_in_thousandths_of_a_win(report: Report) -> None:
    loser = report.seats[1]
    assert rating(loser, "win") == pytest.approx(1000 * loser.cost / loser.decisions)
    assert rating(loser, "points") == pytest.approx(loser.cost / loser.decisions)
    assert rating(seat(decisions=0), "win") is None


def test_a_report_for_programs(report: Report) -> None:
    found = json.loads(json.dumps(report_json(report)))
    assert found["objective"] == "win"
    assert found["exact"] is True
    luck = sum(one["luck"] for one in found["events"])
    costs = [sum(one["cost"] for one in found["events"] if one["seat"] == s) for s in (0, 1)]
    end = found["start"] + luck - costs[0] + costs[1]
    assert end == pytest.approx(found["value"], abs=1e-9)
    assert found["seats"][0]["result"] == pytest.approx(found["value"], abs=1e-9)
    for one in found["events"]:
        assert ("best" in one) == ("choices" in one)
    assert found["seats"][1]["verdicts"]["blunder"] > 0
    assert found["seats"][0]["accuracy"] == 1.0
