"""Commands at a table: what they lead to, and what is refused."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hotdice import game_names, game_type
from hotdice.core.due import ToChoose, ToRoll
from hotdice.core.errors import BadSetup, HotDiceError, IllegalEvent, UnreadableText
from hotdice.table.bots import play_bots
from hotdice.table.commands import (
    Choose,
    Join,
    Rematch,
    Return,
    RollDice,
    Say,
    SitIn,
    Undo,
    auto_roll,
    find_choice,
)
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Refused, Stale, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import CannotUndo, Seat
from tests.table.playing import FARKLE, committed, matches_its_log, play_until_bank


def test_the_first_roll_and_rolls_within_a_turn_need_no_command() -> None:
    table = Table.of(FARKLE)
    step = play_bots(table, 1.0)
    table = committed(table, step)
    [first] = step.entries
    assert (first.seq, first.kind, first.seat) == (1, "roll", 0)
    assert isinstance(table.due, ToChoose)
    choice = next(c for c in table.game.choices(table.state) if c.then == "roll")
    step = Choose(0, table.game.event_text(choice), 1).on(table, 2.0)
    table = committed(table, step)
    more = step.entries
    assert [entry.kind for entry in more] == ["choose", "roll"]
    assert play_bots(table, 3.0).entries == []


def test_the_last_choice_can_be_undone_until_the_next_player_rolls() -> None:
    table = Table.of(replace(FARKLE, options="starts=seat entry=0"))
    table = play_until_bank(table)
    assert table.due == ToRoll(1, table.game.dice * 6)
    banked = table.state
    table = committed(table, Undo(0, table.seq).on(table, 1.0))
    assert isinstance(due := table.due, ToChoose)
    assert due.seat == 0
    assert matches_its_log(table)
    table = play_until_bank(table)
    assert table.state == banked
    table = committed(table, RollDice(1, "", table.seq).on(table, 2.0))
    with pytest.raises(CannotUndo):
        Undo(0, table.seq).on(table, 3.0)


@pytest.mark.parametrize(
    "command, error",
    [
        (lambda t: RollDice(0, "", 1).on(t, 0.0), Refused),
        (lambda t: Choose(1, "keep 1 bank", 1).on(t, 0.0), Refused),
        (lambda t: Choose(5, "keep 1 bank", 1).on(t, 0.0), Refused),
        (lambda t: Choose(-1, "keep 1 bank", 1).on(t, 0.0), Refused),
        (lambda t: Choose(0, "keep 666666 bank", 1).on(t, 0.0), IllegalEvent),
        (lambda t: Choose(0, "\0nonsense" * 99, 1).on(t, 0.0), HotDiceError),
        (lambda t: Choose(0, "keep 1 roll", 0).on(t, 0.0), Stale),
        (lambda t: Choose(0, "keep 1 roll", 2).on(t, 0.0), Stale),
        (lambda t: Undo(0, 1).on(t, 0.0), CannotUndo),
        (lambda t: Rematch(0, 1).on(t, 0.0), Refused),
        (lambda t: SitIn(0, "genius").on(t, 0.0), Refused),
        (lambda t: Return(0).on(t, 0.0), Refused),
        (lambda t: SitIn(7, "sharp").on(t, 0.0), Refused),
        (lambda t: Say(0, " \n ").on(t, 0.0), Refused),
        (lambda t: Say(0, "x" * 201).on(t, 0.0), Refused),
    ],
)
def test_invalid_commands_are_refused_and_change_nothing(command: object, error: type) -> None:
    table = Table.of(FARKLE)
    table = committed(table, play_bots(table, 0.0))
    before = table.state, list(table.entries)
    with pytest.raises(error):
        command(table)  # type: ignore[operator]
    assert (table.state, list(table.entries)) == before


def test_only_one_of_two_competing_commands_can_be_committed() -> None:
    table = Table.of(FARKLE)
    table = committed(table, play_bots(table, 0.0))
    choice = table.game.event_text(table.game.choices(table.state)[0])
    one = Choose(0, choice, 1).on(table, 0.0)
    other = Choose(0, choice, 1).on(table, 0.1)
    table = committed(table, one)
    with pytest.raises(Stale):
        table = committed(table, other)


def test_chat_does_not_make_commands_stale() -> None:
    table = Table.of(FARKLE)
    table = committed(table, play_bots(table, 0.0))
    choice = table.game.event_text(table.game.choices(table.state)[0])
    table = committed(table, Say(1, "hurry up").on(table, 0.0))
    table = committed(table, Choose(0, choice, 1).on(table, 0.0))
    with pytest.raises(Stale):
        Choose(0, choice, 1).on(Say(0, "done").on(table, 0.0).table, 0.0)


def test_real_dice_are_typed_and_mistakes_can_be_undone() -> None:
    table = Table.of(replace(FARKLE, dice="typed", seed=""))
    assert play_bots(table, 0.0).entries == []
    with pytest.raises(IllegalEvent, match="Six dice"):
        RollDice(0, "1 2 3", 0).on(table, 0.0)
    with pytest.raises(UnreadableText):
        RollDice(0, "six sixes", 0).on(table, 0.0)
    table = committed(table, RollDice(0, "111523", 0).on(table, 0.0))
    table = committed(table, Undo(0, 1).on(table, 0.0))
    table = committed(table, RollDice(0, "111522", 2).on(table, 0.0))
    assert table.state.tray == (1, 1, 1, 2, 2, 5)
    assert matches_its_log(table)


def test_virtual_dice_cannot_be_typed() -> None:
    table = Table.of(replace(FARKLE, options="starts=seat entry=0"))
    table = play_until_bank(table)
    with pytest.raises(Refused, match="virtual"):
        RollDice(1, "111111", table.seq).on(table, 0.0)


def test_scripted_dice_follow_the_script() -> None:
    table = Table.of(replace(FARKLE, dice="scripted", seed="111523 112346"))
    table = committed(table, play_bots(table, 0.0))
    assert table.state.tray == (1, 1, 1, 2, 3, 5)


def test_names_that_look_the_same_are_the_same() -> None:
    table = Table.of(replace(FARKLE, seats=(Seat("Ann"), Seat("Seat 2")), open=(1,)))
    with pytest.raises(BadSetup, match="another name"):
        Join(1, "a\u200dnn").on(table, 1.0)
    table = committed(table, Join(1, "Bø\u200drge").on(table, 1.0))
    [said] = Say(1, "👩\u200d🚀\nnow").on(table, 2.0).entries
    assert said.text == "👩\u200d🚀 now"


def test_chat_leaves_room_in_the_log_for_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.table.log._LAST_CHAT", 4)
    table = Table.of(FARKLE)
    table = committed(table, auto_roll(table, 0.0))
    while table.seq < 4:
        table = committed(table, Say(0, "well").on(table, 1.0))
    with pytest.raises(Refused, match="chat of this table"):
        Say(0, "well").on(table, 1.0)
    table = committed(table, SitIn(0, "greedy").on(table, 1.0))


def test_a_game_waits_until_its_open_seats_are_taken() -> None:
    seats = (Seat("Ann"), Seat("Seat 2"), Seat("Seat 3"))
    table = Table.of(replace(FARKLE, seats=seats, open=(1, 2), clock=30).checked())
    assert play_bots(table, 0.0).entries == []
    assert table.deadline() is None
    with pytest.raises(Refused, match="all seats are taken"):
        RollDice(0, "", 0).on(table, 0.0)
    with pytest.raises(Refused, match="taken"):
        Join(0, "Eve").on(table, 0.0)
    with pytest.raises(BadSetup, match="Somebody called ann"):
        Join(1, "ann").on(table, 0.0)
    with pytest.raises(HotDiceError):
        Join(1, "A|B").on(table, 0.0)
    assert table.people == {0}
    step = Join(1, "  Ben ").on(table, 1.0)
    table = committed(table, step)
    [joined] = step.entries
    assert joined == Entry(1, Kind.JOIN, 1, "Ben", 1.0)
    assert table.people == {0, 1}
    step = SitIn(2, "greedy").on(table, 2.0)
    table = committed(table, step)
    begun = step.entries
    assert [entry.kind for entry in begun] == ["sit", "roll"]
    assert 2 not in table.people
    with pytest.raises(Refused, match="belong to a person"):
        Return(2).on(table, 3.0)
    assert table.record().names == ("Ann", "Ben", "Seat 3")
    assert matches_its_log(table)


def test_the_length_of_a_log_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.table.log._LONGEST_LOG", 5)
    table = Table.of(FARKLE)
    table = committed(table, play_bots(table, 0.0))
    for _ in range(4):
        table = committed(table, Say(0, "well").on(table, 0.0))
    with pytest.raises(Refused, match="new one"):
        Say(0, "well").on(table, 0.0)


def test_a_rematch_starts_with_the_winner_where_the_rules_say_so() -> None:
    setup = Setup("rogue", "target=40 war_at=40", FARKLE.seats, dice="typed")
    table = Table.of(setup)
    with pytest.raises(Refused, match="not over yet"):
        Rematch(0, table.seq).on(table, 0.0)
    for seat, text in ((0, "223456"), (0, "keep 22 bank"), (1, "222256"), (1, "keep 2222 bank")):
        kind = Choose if text.startswith("keep") else RollDice
        table = committed(table, kind(seat, text, table.seq).on(table, 0.0))
    table = committed(table, Rematch(0, table.seq).on(table, 0.0))
    assert (table.number, table.sitting.first, table.sitting.events) == (2, 1, ())
    assert table.due == ToRoll(1, table.game.dice * 6)


@pytest.mark.parametrize("typed", ["keep 51 bank", " bank  5,1 KEEP", "k 1 5 b", "keep 15 bank"])
def test_choices_are_logged_in_canonical_form(typed: str) -> None:
    setup = replace(FARKLE, options="starts=seat entry=0", dice="scripted", seed="152346 112346")
    table = auto_roll(Table.of(setup), 0.0).table
    [chosen] = Choose(0, typed, table.seq).on(table, 0.0).entries
    assert chosen.text == "keep 15 bank"


@pytest.mark.parametrize("slug", game_names())
def test_every_listed_choice_is_found_by_its_text(slug: str) -> None:
    """Clients send back the text they were shown."""
    seats = FARKLE.seats[: game_type(slug).max_players]
    table = auto_roll(Table.of(Setup(slug, "", seats, seed="5")), 0.0).table
    rng = random.Random(slug)
    for _ in range(60):
        if isinstance(due := table.due, ToRoll):
            table = RollDice(due.seat, "", table.seq).on(table, 0.0).table
        elif isinstance(due, ToChoose):
            view = table.game.view(table.state)
            for shown, choice in zip(view.choices, table.game.choices(table.state), strict=True):
                assert find_choice(table, shown.text) == choice
            text = rng.choice(view.choices).text
            after = Choose(due.seat, text, table.seq).on(table, 0.0)
            assert after.entries[0].text == text
            table = committed(table, after)
