"""A table as a fold over its log."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hotdice import game_names, game_type
from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Roll
from hotdice.table.bots import play_bots
from hotdice.table.commands import (
    Choose,
    Rematch,
    Return,
    RollDice,
    Say,
    SitIn,
    Undo,
)
from hotdice.table.dice_sources import SeededDice
from hotdice.table.log import Refused, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tests.table.playing import FARKLE, committed, matches_its_log


def test_a_record_does_not_reveal_future_dice() -> None:
    """The seed is published when the game is over, and reveals nothing of the next game."""
    bots = (Seat("A", "greedy"), Seat("B", "greedy"))
    table = Table.of(replace(FARKLE, seed="deep secret"))
    table = committed(table, play_bots(table, 0.0))
    assert "seed" not in table.record().tags
    over = Table.of(replace(FARKLE, options="target=200", seats=bots, seed="deep secret"))
    over = committed(over, play_bots(over, 0.0))
    told = over.record().tags["seed"]
    assert "deep secret" not in over.record().text()
    rolled = [e for e in over.sitting.events if isinstance(e, Roll)]
    over = committed(over, Rematch(0, over.seq).on(over, 1.0))
    over = committed(over, play_bots(over, 1.0))
    assert told not in over.record().text()
    assert over.record(1).tags["seed"] == told
    # A game of Cockroach ends with a choice.
    ended = Table.of(Setup("cockroach", "target=6 starts=seat", (Seat("A"), Seat("B")), seed="s"))
    while not isinstance(due := ended.due, Over):
        if isinstance(due, ToRoll):
            ended = committed(ended, RollDice(due.seat, "", ended.seq).on(ended, 0.0))
        else:
            ended = committed(ended, Choose(due.seat, "stop", ended.seq).on(ended, 0.0))
    assert ended.sitting.undoer() is not None  # knowing the seed, they could undo it and play on
    assert "seed" not in ended.record().tags
    undoer = ended.sitting.undoer()
    assert undoer is not None
    # The undo still belongs to the person who chose.
    ended = committed(ended, SitIn(undoer, "greedy").on(ended, 1.0))
    assert "seed" not in ended.record().tags
    ended = committed(ended, Return(undoer).on(ended, 2.0))
    ended = committed(ended, Undo(undoer, ended.seq).on(ended, 3.0))
    again = SeededDice(told)
    due = over.game.due(over.game.start(2))
    assert isinstance(due, ToRoll)
    assert again.throw(due.dice, 0) == rolled[0]


def test_a_bot_sits_in_and_the_seat_is_reclaimed() -> None:
    table = Table.of(FARKLE)
    table = committed(table, play_bots(table, 0.0))
    table = committed(table, SitIn(0, "sharp").on(table, 1.0))
    assert table.is_bot(0)
    assert table.bot_due() == "sharp"
    table = committed(table, play_bots(table, 1.0))
    assert isinstance(due := table.due, ToRoll | ToChoose)
    assert due.seat == 1
    table = committed(table, Return(0).on(table, 2.0))
    assert not table.is_bot(0)
    assert matches_its_log(table)


def test_changing_seats_does_not_reset_the_clock() -> None:
    table = Table.of(replace(FARKLE, options="starts=seat", clock=30))
    table = committed(table, play_bots(table, 100.0))
    deadline = table.deadline()
    table = committed(table, SitIn(1, "greedy").on(table, 120.0))
    assert table.deadline() == deadline
    table = committed(table, SitIn(0, "greedy").on(table, 121.0))
    table = committed(table, Return(0).on(table, 125.0))
    assert table.deadline() == deadline
    table = committed(table, SitIn(0, "greedy").on(table, 126.0))
    table = committed(table, Return(0).on(table, 500.0))  # late, so it starts again
    assert table.deadline() == 530.0


def test_the_clock_runs_for_people_only() -> None:
    table = Table.of(replace(FARKLE, clock=30, seats=(Seat("Ann"), Seat("Bo", "greedy"))))
    assert table.deadline() is None
    table = committed(table, play_bots(table, 100.0))
    assert table.deadline() == 130.0
    table = committed(table, SitIn(0, "greedy").on(table, 110.0))
    table = committed(table, play_bots(table, 110.0))
    assert isinstance(table.due, Over)
    assert table.deadline() is None


@pytest.mark.parametrize("slug", game_names())
def test_bots_play_out_and_a_rematch_follows_the_rules(slug: str) -> None:
    kind = game_type(slug)
    seats = (Seat("A", "greedy"), Seat("B", "random"))[: kind.max_players]
    options = {"farkle": "target=300", "cockroach": "target=10"}.get(slug, "")
    table = Table.of(Setup(slug, options, seats, seed="7"))
    table = committed(table, play_bots(table, 0.0))
    due = table.due
    assert isinstance(due, Over)
    former = table.sitting
    table = committed(table, Rematch(0, table.seq).on(table, 1.0))
    assert table.number == 2
    table = committed(table, play_bots(table, 1.0))
    assert table.sitting.first == table.game.rematch_first(due.result)
    assert table.sitting.events != former.events
    assert table.record(1).text() == former.record().text()
    assert table.record(2).text() == table.record().text()
    for number in (0, 3):
        with pytest.raises(Refused):
            table.at_game(number)
    assert matches_its_log(table)


@pytest.mark.parametrize("slug", game_names())
def test_a_table_matches_its_log_after_any_commands(slug: str) -> None:
    """Random commands, most of them invalid."""
    kind = game_type(slug)
    seats = (Seat("A"), Seat("B", "casual"), Seat("C"))[: kind.max_players]
    table = Table.of(Setup(slug, "", seats, seed="3"))
    rng = random.Random(slug)
    table = committed(table, play_bots(table, 0.0))
    for step in range(120):
        seat = rng.randrange(len(seats))
        choices = table.game.choices(table.state)
        text = table.game.event_text(rng.choice(choices)) if choices else "keep 1"
        seen = table.seq - (rng.random() < 0.1)
        commands = (
            lambda: Choose(seat, text, seen).on(table, float(step)),  # noqa: B023 - called at once
            lambda: Choose(seat, text, seen).on(table, float(step)),  # noqa: B023 - as above
            lambda: RollDice(seat, "", seen).on(table, float(step)),  # noqa: B023 - as above
            lambda: Undo(seat, seen).on(table, float(step)),  # noqa: B023 - as above
            lambda: Say(seat, "well rolled").on(table, float(step)),  # noqa: B023 - as above
        )
        try:
            table = committed(table, rng.choice(commands)())
            table = committed(table, play_bots(table, float(step)))
        except HotDiceError as refused:
            assert str(refused).endswith((".", "?"))
    assert len(table.entries) > 20
    assert matches_its_log(table)


def test_a_series_counts_games_until_it_is_decided() -> None:
    bots = (Seat("A", "greedy"), Seat("B", "greedy"))
    table = Table.of(replace(FARKLE, options="target=200", seats=bots, series=2).checked())
    table = committed(table, play_bots(table, 0.0))
    played = 1
    while not table.champions():
        assert max(table.wins()) < 2
        table = committed(table, Rematch(0, table.seq).on(table, 0.0))
        table = committed(table, play_bots(table, 0.0))
        played += 1
    assert played in (2, 3)
    assert max(table.wins()) == 2
    assert [table.wins()[seat] for seat in table.champions()] == [2]
    table = committed(table, Rematch(0, table.seq).on(table, 0.0))
    assert table.wins() == (0, 0)
    assert matches_its_log(table)
