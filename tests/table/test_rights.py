"""Who may do what at a table, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hotdice.core.due import ToRoll
from hotdice.table.bots import play_bots, play_turn
from hotdice.table.commands import (
    Choose,
    Command,
    Join,
    Relieve,
    Rematch,
    Return,
    RollDice,
    Say,
    SitIn,
    TimeOut,
    Undo,
    auto_roll,
)
from hotdice.table.dice_commands import Announce, Begin, DrawDice, GiveLink
from hotdice.table.entries import Kind
from hotdice.table.log import PATIENCE, Refused, Table
from hotdice.table.rights import (
    RULES,
    Act,
    Forbidden,
    Holder,
    Needs,
    Rule,
    bot_act,
    check_holder,
    check_moment,
    open_seat,
)
from hotdice.table.setup import Setup
from hotdice.table.sitting import ANYBODY, CannotUndo, Seat
from tests.table.playing import FARKLE, committed, matches_its_log, play_until_bank


def test_nobody_can_undo_what_another_did() -> None:
    table = Table.of(replace(FARKLE, options="starts=seat entry=0"))
    table = play_until_bank(table)
    with pytest.raises(Refused, match="Only the player who"):
        Undo(1, table.seq).on(table, 1.0)
    assert Undo(0, table.seq).on(table, 1.0).entries


def test_only_the_player_who_chose_can_undo_it() -> None:
    """Even after a bot has taken over their seat."""
    table = Table.of(replace(FARKLE, options="starts=seat entry=0"))
    table = play_until_bank(table)
    table = committed(table, SitIn(0, "greedy").on(table, 1.0))
    assert table.sitting.undoer() == 0
    with pytest.raises(Refused, match="Only the player who"):
        Undo(1, table.seq).on(table, 2.0)
    table = committed(table, Undo(0, table.seq).on(table, 3.0))
    assert matches_its_log(table)


def test_anybody_can_undo_a_roll_typed_for_a_bot() -> None:
    seats = (Seat("Bo", "greedy"), Seat("Ann"), Seat("Ben"))
    table = Table.of(replace(FARKLE, options="starts=seat", seats=seats, dice="typed"))
    table = committed(table, RollDice(1, "222346", 0).on(table, 0.0))
    assert table.sitting.undoer() == ANYBODY
    assert Undo(2, table.seq).on(table, 1.0).entries


def test_anybody_can_type_real_dice_for_a_bot() -> None:
    seats = (Seat("Bo", "greedy"), Seat("Ann"), Seat("Ben"))
    table = Table.of(replace(FARKLE, options="starts=seat entry=0", seats=seats, dice="typed"))
    with pytest.raises(Refused):
        RollDice(3, "115234", 0).on(table, 0.0)
    step = RollDice(2, "115234", 0).on(table, 0.0)
    table = committed(table, step)
    [rolled] = step.entries
    assert rolled.seat == 0
    again = Undo(1, table.seq).on(table, 0.0).table  # anybody may correct it
    assert isinstance(due := again.due, ToRoll)
    assert due.seat == 0
    table = committed(table, play_bots(table, 0.0))
    assert isinstance(due := table.due, ToRoll)
    assert due.seat == 1
    with pytest.raises(Refused):
        RollDice(2, "115234", table.seq).on(table, 0.0)


def test_players_cannot_undo_what_a_bot_chose_in_their_seat() -> None:
    table = Table.of(Setup("cockroach", "target=6 starts=seat", (Seat("A"), Seat("B")), seed="s"))
    table = committed(table, auto_roll(table, 0.0))
    table = committed(table, SitIn(0, "greedy").on(table, 1.0))
    table = committed(table, play_turn(table, 1.0))
    table = committed(table, Return(0).on(table, 2.0))
    with pytest.raises(CannotUndo):
        Undo(0, table.seq).on(table, 3.0)


def test_players_replaced_by_a_bot_must_take_the_seat_back_to_choose() -> None:
    table = Table.of(replace(FARKLE, dice="scripted", seed="111523 112346"))
    table = committed(table, auto_roll(table, 0.0))
    table = committed(table, SitIn(0, "greedy").on(table, 1.0))
    with pytest.raises(Refused, match="take your seat back"):
        Choose(0, "keep 111 bank", table.seq).on(table, 2.0)
    table = committed(table, Return(0).on(table, 3.0))
    assert Choose(0, "keep 111 bank", table.seq).on(table, 4.0).entries


def test_a_player_can_be_relieved_after_a_long_wait() -> None:
    table = Table.of(FARKLE)
    table = committed(table, play_bots(table, 100.0))
    with pytest.raises(Refused, match="60 more seconds"):
        Relieve(1, 0, "casual").on(table, 100.0)
    with pytest.raises(Refused, match="Nobody is waiting"):
        Relieve(0, 1, "casual").on(table, 500.0)
    table = committed(table, Say(1, "Ann?").on(table, 150.0))
    table = committed(table, Relieve(1, 0, "casual").on(table, 100.0 + PATIENCE))
    assert table.bot_due() == "casual"


# The table of rules -------------------------------------------------------------------------------

STRANGER, PLAYER, HOST = Holder(seat=False), Holder(seat=True), Holder(seat=False, host=True)


@pytest.mark.parametrize("act", Act)
def test_every_act_is_limited_to_those_who_have_the_right(act: Act) -> None:
    """A visitor may only join, the host also let bots in, and nobody run clocks or draw dice."""
    allowed = {
        who: not _is_forbidden(act, holder)
        for who, holder in (("stranger", STRANGER), ("player", PLAYER), ("host", HOST))
    }
    assert allowed == {
        "stranger": act is Act.JOIN,
        "player": act not in (Act.TIME_OUT, Act.BEGIN, Act.DRAW),
        "host": act in (Act.JOIN, Act.SIT_IN),
    }


def _is_forbidden(act: Act, holder: Holder) -> bool:
    try:
        check_holder(act, holder)
    except Forbidden:
        return True
    return False


@pytest.mark.parametrize(
    "command",
    [
        RollDice(0, "", 0),
        Choose(0, "", 0),
        Undo(0, 0),
        Rematch(0, 0),
        Say(0, ""),
        Join(0, ""),
        Return(0),
        SitIn(0, ""),
        Relieve(0, 1, ""),
        TimeOut(),
        Announce((0,), ""),
        GiveLink(0, 1, 1, ""),
        Begin(),
        DrawDice(1),
    ],
)
def test_every_command_is_checked_by_its_rule(
    command: Command | TimeOut | Begin | DrawDice, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_table: Table, seat: int, _now: float) -> None:
        raise Refused(f"No, not for seat {seat}.")

    monkeypatch.setitem(RULES, command.act, Rule(Needs.SEAT, refuse))
    seat = 1 if isinstance(command, Relieve) else 0
    with pytest.raises(Refused, match=f"No, not for seat {seat}."):
        command.on(Table.of(FARKLE), 0.0)


@pytest.mark.parametrize(
    "holder, other, act",
    [
        (PLAYER, 0, Act.SIT_IN),
        (PLAYER, 1, Act.RELIEVE),
        (HOST, 0, Act.SIT_IN),
        (HOST, 1, Act.SIT_IN),
        (STRANGER, 1, Act.RELIEVE),
    ],
)
def test_only_the_player_and_the_host_can_have_a_bot_sit_in_at_once(
    holder: Holder, other: int, act: Act
) -> None:
    assert bot_act(holder, 0, other) is act


def test_only_a_person_replaced_by_a_bot_can_come_back() -> None:
    seats = (Seat("Ann"), Seat("Bo", "greedy"))
    table = committed(Table.of(FARKLE), auto_roll(Table.of(FARKLE), 0.0))
    with pytest.raises(Refused, match="already"):
        Return(0).on(table, 1.0)
    bots = Table.of(replace(FARKLE, seats=seats))
    with pytest.raises(Refused, match="belong to a person"):
        Return(1).on(bots, 1.0)


def test_open_seats_are_given_out_in_order() -> None:
    table = Table.of(replace(FARKLE, open=(0, 1)))
    assert (open_seat(table, None), open_seat(table, 1)) == (0, 1)
    table = Join(0, "Eve").on(table, 0.0).table
    assert open_seat(table, None) == 1
    table = Join(1, "Bob").on(table, 0.0).table
    with pytest.raises(Refused, match="you can watch"):
        open_seat(table, None)
    with pytest.raises(Refused, match="taken"):
        Join(1, "Cy").on(table, 0.0)


def test_a_table_without_a_coach_gives_no_advice() -> None:
    check_moment(Act.ADVISE, Table.of(FARKLE), 0)
    with pytest.raises(Refused, match="no coach"):
        check_moment(Act.ADVISE, Table.of(replace(FARKLE, coach=False)), 0)


def test_a_player_times_out_only_when_the_clock_has_run_out() -> None:
    table = Table.of(replace(FARKLE, clock=30))
    table = committed(table, auto_roll(table, 100.0))
    with pytest.raises(Refused, match="not run out"):
        TimeOut().on(table, 129.9)
    table = committed(table, TimeOut().on(table, 130.0))
    assert table.bot_due() == "casual"
    assert table.entries[-1][1:4] == (Kind.LATE, 0, "casual")
