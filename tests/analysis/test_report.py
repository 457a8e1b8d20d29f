"""Luck, costs and results add up, in every game whose values are exact."""

from __future__ import annotations

from typing import Any

import pytest

from hotdice import Record, game_names, load_game
from hotdice.analysis.judging import Verdict
from hotdice.analysis.report import Report, analyse
from hotdice.analysis.valuing import CannotBeValued, Valuer
from hotdice.core.due import Over, ToRoll
from hotdice.core.events import Roll
from hotdice.solve.coach import value_after
from hotdice.solve.solver import Solver
from tests.analysis.games import SHORT, played

WEAK = ("casual", "random")


def total(report: Report) -> float:
    """What the start, the luck and the costs add up to, from the first seat's side."""
    side = (1, -1)
    costs = sum(side[one.seat] * one.cost for one in report.events)
    return report.start + sum(one.luck for one in report.events) - costs


@pytest.mark.parametrize("slug, options, players", SHORT)
def test_luck_and_costs_add_up_to_the_result(slug: str, options: str, players: int) -> None:
    for seed in range(5):
        report = analyse(played(slug, options, WEAK[:players], str(seed)))
        assert report.exact
        assert total(report) == pytest.approx(report.value, abs=1e-9)
        assert report.value == pytest.approx(report.seats[0].result, abs=1e-9)
        sides = [1, -1][:players]
        seats = sum(
            side * (one.luck - one.cost) for side, one in zip(sides, report.seats, strict=True)
        )
        assert report.start + seats == pytest.approx(report.value, abs=1e-9)


def test_every_game_is_covered() -> None:
    assert {slug for slug, _, _ in SHORT} == set(game_names())


@pytest.mark.parametrize("slug, options, players", SHORT)
def test_perfect_bots_give_nothing_away(slug: str, options: str, players: int) -> None:
    """They play to win; alone in Peruke One that is something else than points."""
    record = played(slug, options, ("perfect", "perfect")[:players], "best")
    report = analyse(record, "win" if slug == "peruke" else "")
    for seat in report.seats:
        assert seat.cost == 0.0
        assert seat.accuracy in (1.0, None)
        assert seat.verdicts[Verdict.PERFECT] == seat.decisions


@pytest.mark.parametrize("slug, options, players", SHORT)
def test_luck_has_no_expectation_and_the_variance_it_is_said_to_have(
    slug: str, options: str, players: int
) -> None:
    record = played(slug, options, WEAK[:players], "moments")
    game = record.game
    valuer: Valuer[Any, Any] = Valuer(game, players)
    begun = seen = 0
    for before, event, _ in record.steps():
        begun = begun or game.begins_turn(before)
        if not isinstance(event, Roll) or not begun or seen > 12:
            continue
        sheet, seen = valuer.sheet(before), seen + 1
        rolls = [
            (float(chance), value_after(game, sheet, before, r)) for r, chance in game.rolls(before)
        ]
        mean = sum(chance * value for chance, value in rolls)
        assert mean == pytest.approx(sheet.going(before), abs=1e-9)
        wanted = sum(chance * (value - mean) ** 2 for chance, value in rolls)
        assert valuer.variance(before) == pytest.approx(wanted, abs=1e-12, rel=1e-9)
    assert seen


@pytest.mark.parametrize("slug", ["farkle", "cockroach"])
def test_the_roll_for_the_start_is_luck(slug: str) -> None:
    options = {"farkle": "target=60 entry=20", "cockroach": "target=6"}[slug]
    game = load_game(slug, options)
    start = game.start(2)
    valuer: Valuer[Any, Any] = Valuer(game, 2)
    assert valuer.opening(start) == pytest.approx(0.5, abs=1e-9)
    high, low = game.rolls(start)[-1][0], game.rolls(start)[0][0]
    after = [valuer.opening(game.apply(start, roll)) for roll in (high, low)]
    assert after[0] > 0.5 > after[1]
    due = game.due(start)
    assert isinstance(due, ToRoll)
    report = analyse(Record(game, ("North", "South"), (high,)))
    assert report.events[0].luck == pytest.approx(after[0] - 0.5)
    assert report.events[0].variance > 0


def test_a_running_game_has_no_result_but_a_value() -> None:
    report = analyse(played("cockroach", "target=6", WEAK, "running", most=9))
    assert [one.result for one in report.seats] == [None, None]
    assert total(report) == pytest.approx(report.value, abs=1e-9)
    empty = analyse(Record(report.record.game, ("North", "South")))
    assert (empty.value, empty.events) == (empty.start, ())
    assert empty.seats[0].accuracy is None
    assert empty.seats[0].percentile == 0.5


def test_more_players_are_estimated_turn_by_turn() -> None:
    report = analyse(played("cockroach", "target=6", ("sharp", "casual", "random"), "three"))
    assert not report.exact
    assert "Estimated" in report.basis
    assert report.seats[2].cost > report.seats[0].cost
    assert all(one.luck == 0.0 for one in report.events if one.choices)
    assert [one.result for one in report.seats].count(1.0) == 1


def test_rules_that_cannot_be_solved_are_judged_by_the_points_of_a_turn() -> None:
    report = analyse(played("cockroach", "target=999 starts=seat", WEAK, "far", most=60))
    assert (report.objective, report.exact) == ("points", False)
    assert report.seats[1].cost > report.seats[0].cost >= 0


def test_a_game_without_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    record = played("cockroach", "target=6", WEAK, "none", most=3)
    monkeypatch.setattr(Solver, "prepare", lambda *_: False)
    monkeypatch.setattr("hotdice.solvers.cockroach.CockroachSolver.prepare", lambda *_: False)
    monkeypatch.setattr("hotdice.solvers.cockroach.CockroachSolver.sheet", lambda *_: None)
    with pytest.raises(CannotBeValued, match="Cockroach cannot be analysed"):
        analyse(record)


def test_decisions_are_real_if_something_depends_on_them() -> None:
    report = analyse(played("cockroach", "target=6", WEAK, "real"))
    choices = [one for one in report.events if one.choices]
    assert {one.is_real for one in choices} == {True, False}
    assert all(not one.is_real for one in choices if one.choices == 1)
    real = [sum(one.is_real for one in choices if one.seat == seat) for seat in (0, 1)]
    assert [one.decisions for one in report.seats] == real
    assert isinstance(report.record.game.due(report.record.state()), Over)
