"""Chances of busts: the solvers' against the rules', and against what the dice do."""

from __future__ import annotations

from typing import Any

import pytest

from hotdice.analysis.busts import bust_chance, is_bust, standing
from hotdice.analysis.report import analyse
from hotdice.analysis.valuing import Valuer
from hotdice.core.due import seat_of
from hotdice.core.events import Roll
from hotdice.table.summary import turns_of
from tests.analysis.games import SHORT, played


@pytest.mark.parametrize("slug, options, players", SHORT)
def test_chances_of_busts_are_those_of_the_rules(slug: str, options: str, players: int) -> None:
    record = played(slug, options, ("random", "greedy")[:players], "risk")
    game, report = record.game, analyse(record)
    valuer: Valuer[Any, Any] = Valuer(game, players)
    began, begun, seen = game.start(players, record.first), False, 0
    for (before, event, after), one in zip(record.steps(), report.events, strict=True):
        begun = begun or game.begins_turn(before)
        if begun and isinstance(event, Roll):
            seat = seat_of(game.due(before))
            floor = standing(game, began, seat)
            wanted = sum(
                chance
                for roll, chance in game.rolls(before)
                if is_bust(game, before, roll, game.apply(before, roll), floor)
            )
            assert one.risk == pytest.approx(float(wanted), abs=1e-12)
            assert one.risk == pytest.approx(bust_chance(game, before, floor), abs=1e-12)
            assert valuer.bust(before, floor) == one.risk
            seen += 1
        else:
            assert (one.risk, one.bust) == (0.0, False)
        if game.turn_over(before, event, after):
            began = after
    assert seen


@pytest.mark.parametrize("slug, options, players", SHORT)
def test_busts_are_turns_that_a_roll_ended_with_nothing(
    slug: str, options: str, players: int
) -> None:
    for seed in range(4):
        record = played(slug, options, ("random", "random")[:players], str(seed))
        game, report = record.game, analyse(record)
        turns = turns_of(game, record.steps(), game.start(players, record.first))
        ends = [
            event for before, event, after in record.steps() if game.turn_over(before, event, after)
        ][-len(list(turns)) :]
        turns = turns_of(game, record.steps(), game.start(players, record.first))
        wanted = [0] * players
        for turn, end in zip(turns, ends, strict=True):
            wanted[turn.seat] += turn.gain <= 0 and isinstance(end, Roll)
        assert [one.busts for one in report.seats] == wanted
        for seat, one in enumerate(report.seats):
            risks = [event.risk for event in report.events if event.seat == seat]
            assert one.risk == pytest.approx(sum(risks))
            assert one.risk_deviation**2 == pytest.approx(sum(p * (1 - p) for p in risks))


def test_as_many_turns_end_with_nothing_as_are_expected() -> None:
    busts = risk = variance = 0.0
    for seed in range(60):
        for one in analyse(played(*SHORT[0][:2], ("random", "random"), f"dice {seed}")).seats:
            busts, risk = busts + one.busts, risk + one.risk
            variance += one.risk_deviation**2
    assert busts > 50
    assert abs(busts - risk) < 3 * variance**0.5
