"""A table as a log: what may be added, what is refused, and that the log is all there is."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from hotdice import game_names, game_type
from hotdice.core.errors import BadSetup, HotDiceError, IllegalEvent, UnreadableText
from hotdice.core.events import Roll
from hotdice.core.game import Over, ToChoose, ToRoll
from hotdice.table.dice import SeededDice
from hotdice.table.log import PATIENCE, Entry, Next, Refused, Stale, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import ANYBODY, CannotUndo, Seat

PAIR = (Seat("Ann"), Seat("Ben"))
FARKLE = Setup("farkle", "starts=seat", PAIR, seed="table")


def commit(table: Table, step: Next) -> list[Entry]:
    for entry in step.entries:
        table.add(entry)
    assert _stand(step.table) == _stand(table)
    return step.entries


def same(table: Table) -> bool:
    """Whether the log alone brings the table back."""
    again = Table(table.setup, table.entries)
    return _stand(again) == _stand(table)


def _stand(table: Table) -> tuple[object, ...]:
    return (
        table.state,
        table.seats,
        table.number,
        table.waiting,
        table.people,
        table.results,
        table.wins(),
    )


def test_the_first_dice_lie_there_at_once_and_later_ones_are_asked_for() -> None:
    table = Table(FARKLE)
    [first] = commit(table, table.advance(1.0))
    assert (first.seq, first.kind, first.seat) == (1, "roll", 0)
    assert isinstance(table.due(), ToChoose)
    choice = next(c for c in table.game.choices(table.state) if c.then == "roll")
    more = commit(table, table.choose(0, table.game.event_text(choice), 1, 2.0))
    assert [entry.kind for entry in more] == ["choose", "roll"]
    assert table.advance(3.0).entries == []


def play_until_bank(table: Table) -> None:
    commit(table, table.advance(0.0))
    while isinstance(due := table.due(), ToChoose) and due.seat == 0:
        choices = table.game.choices(table.state)
        banks = [choice for choice in choices if choice.then == "bank"]
        text = table.game.event_text((banks or list(choices))[0])
        commit(table, table.choose(0, text, table.seq, 0.0))


def test_a_turn_begins_with_a_tap_and_until_then_the_last_choice_can_be_taken_back() -> None:
    table = Table(replace(FARKLE, options="starts=seat entry=0"))
    play_until_bank(table)
    assert table.due() == ToRoll(1, table.game.dice * 6)
    banked = table.state
    commit(table, table.undo(0, table.seq, 1.0))
    assert isinstance(due := table.due(), ToChoose)
    assert due.seat == 0
    assert same(table)
    play_until_bank(table)
    assert table.state == banked
    commit(table, table.roll(1, "", table.seq, 2.0))
    with pytest.raises(CannotUndo):
        table.undo(0, table.seq, 3.0)


def test_nobody_takes_back_what_another_did() -> None:
    table = Table(replace(FARKLE, options="starts=seat entry=0"))
    play_until_bank(table)
    with pytest.raises(Refused, match="Only who did"):
        table.undo(1, table.seq, 1.0)
    assert table.undo(0, table.seq, 1.0).entries


def test_only_who_made_a_choice_takes_it_back() -> None:
    """A bot in their seat, whoever put it there, changes nothing about that."""
    table = Table(replace(FARKLE, options="starts=seat entry=0"))
    play_until_bank(table)
    commit(table, table.sit(0, "greedy", 1.0))
    assert table.sitting.undoer() == 0
    with pytest.raises(Refused, match="Only who did"):
        table.undo(1, table.seq, 2.0)
    commit(table, table.undo(0, table.seq, 3.0))
    assert same(table)


def test_what_anybody_typed_for_a_bot_anybody_takes_back() -> None:
    seats = (Seat("Bo", "greedy"), Seat("Ann"), Seat("Ben"))
    table = Table(replace(FARKLE, options="starts=seat", seats=seats, dice="typed"))
    commit(table, table.roll(1, "222346", 0, 0.0))
    assert table.sitting.undoer() == ANYBODY
    assert table.undo(2, table.seq, 1.0).entries


def test_a_record_tells_no_dice_to_come() -> None:
    """The seed is told when the game is over, and tells nothing of the next game."""
    bots = (Seat("A", "greedy"), Seat("B", "greedy"))
    table = Table(replace(FARKLE, seed="deep secret"))
    commit(table, table.advance(0.0))
    assert "seed" not in table.record().tags
    over = Table(replace(FARKLE, options="target=200", seats=bots, seed="deep secret"))
    commit(over, over.advance(0.0))
    told = over.record().tags["seed"]
    assert "deep secret" not in over.record().text()
    rolled = [e for e in over.sitting.events if isinstance(e, Roll)]
    commit(over, over.rematch(0, over.seq, 1.0))
    commit(over, over.advance(1.0))
    assert told not in over.record().text()
    assert over.record(1).tags["seed"] == told
    # A game of Cockroach ends with a choice.
    ended = Table(Setup("cockroach", "target=6 starts=seat", (Seat("A"), Seat("B")), seed="s"))
    while not isinstance(due := ended.due(), Over):
        if isinstance(due, ToRoll):
            commit(ended, ended.roll(due.seat, "", ended.seq, 0.0))
        else:
            commit(ended, ended.choose(due.seat, "stop", ended.seq, 0.0))
    assert ended.sitting.undoer() is not None  # who knew the seed could take it back and go on
    assert "seed" not in ended.record().tags
    undoer = ended.sitting.undoer()
    assert undoer is not None
    commit(ended, ended.sit(undoer, "greedy", 1.0))  # who chose is who sat there then
    assert "seed" not in ended.record().tags
    commit(ended, ended.sit(undoer, "", 2.0))
    commit(ended, ended.undo(undoer, ended.seq, 3.0))
    again = SeededDice(told)
    due = over.game.due(over.game.start(2))
    assert isinstance(due, ToRoll)
    assert again.throw(due.dice, 0) == rolled[0]


@pytest.mark.parametrize(
    "command, error",
    [
        (lambda t: t.roll(0, "", 1, 0.0), Refused),
        (lambda t: t.choose(1, "keep 1 bank", 1, 0.0), Refused),
        (lambda t: t.choose(5, "keep 1 bank", 1, 0.0), Refused),
        (lambda t: t.choose(-1, "keep 1 bank", 1, 0.0), Refused),
        (lambda t: t.choose(0, "keep 666666 bank", 1, 0.0), IllegalEvent),
        (lambda t: t.choose(0, "\0nonsense" * 99, 1, 0.0), HotDiceError),
        (lambda t: t.choose(0, "keep 1 roll", 0, 0.0), Stale),
        (lambda t: t.choose(0, "keep 1 roll", 2, 0.0), Stale),
        (lambda t: t.undo(0, 1, 0.0), CannotUndo),
        (lambda t: t.rematch(0, 1, 0.0), Refused),
        (lambda t: t.sit(0, "genius", 0.0), Refused),
        (lambda t: t.sit(0, "", 0.0), Refused),
        (lambda t: t.sit(7, "sharp", 0.0), Refused),
        (lambda t: t.say(0, " \n ", 0.0), Refused),
        (lambda t: t.say(0, "x" * 201, 0.0), Refused),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(command: object, error: type) -> None:
    table = Table(FARKLE)
    commit(table, table.advance(0.0))
    before = table.state, list(table.entries)
    with pytest.raises(error):
        command(table)  # type: ignore[operator]
    assert (table.state, list(table.entries)) == before


def test_two_that_race_cannot_both_win() -> None:
    table = Table(FARKLE)
    commit(table, table.advance(0.0))
    choice = table.game.event_text(table.game.choices(table.state)[0])
    one = table.choose(0, choice, 1, 0.0)
    other = table.choose(0, choice, 1, 0.1)
    commit(table, one)
    with pytest.raises(Stale):
        commit(table, other)


def test_words_do_not_move_a_table_on() -> None:
    table = Table(FARKLE)
    commit(table, table.advance(0.0))
    choice = table.game.event_text(table.game.choices(table.state)[0])
    commit(table, table.say(1, "hurry up", 0.0))
    commit(table, table.choose(0, choice, 1, 0.0))
    with pytest.raises(Stale):
        table.say(0, "done", 0.0).table.choose(0, choice, 1, 0.0)


def test_real_dice_are_typed_and_a_mistake_is_corrected() -> None:
    table = Table(replace(FARKLE, dice="typed", seed=""))
    assert table.advance(0.0).entries == []
    with pytest.raises(IllegalEvent, match="Six dice"):
        table.roll(0, "1 2 3", 0, 0.0)
    with pytest.raises(UnreadableText):
        table.roll(0, "six sixes", 0, 0.0)
    commit(table, table.roll(0, "111523", 0, 0.0))
    commit(table, table.undo(0, 1, 0.0))
    commit(table, table.roll(0, "111522", 2, 0.0))
    assert table.state.tray == (1, 1, 1, 2, 2, 5)
    assert same(table)


def test_bots_have_their_real_dice_rolled() -> None:
    seats = (Seat("Bo", "greedy"), Seat("Ann"), Seat("Ben"))
    table = Table(replace(FARKLE, options="starts=seat entry=0", seats=seats, dice="typed"))
    with pytest.raises(Refused):
        table.roll(3, "115234", 0, 0.0)
    [rolled] = commit(table, table.roll(2, "115234", 0, 0.0))
    assert rolled.seat == 0
    again = table.undo(1, table.seq, 0.0).table  # whoever typed it wrong, anybody may put it right
    assert isinstance(due := again.due(), ToRoll)
    assert due.seat == 0
    commit(table, table.advance(0.0))
    assert isinstance(due := table.due(), ToRoll)
    assert due.seat == 1
    with pytest.raises(Refused):
        table.roll(2, "115234", table.seq, 0.0)


def test_virtual_dice_cannot_be_typed() -> None:
    table = Table(replace(FARKLE, options="starts=seat entry=0"))
    play_until_bank(table)
    with pytest.raises(Refused, match="virtual"):
        table.roll(1, "111111", table.seq, 0.0)


def test_scripted_dice() -> None:
    table = Table(replace(FARKLE, dice="scripted", seed="111523 112346"))
    commit(table, table.advance(0.0))
    assert table.state.tray == (1, 1, 1, 2, 3, 5)


def test_a_bot_sits_in_and_the_seat_is_reclaimed() -> None:
    table = Table(FARKLE)
    commit(table, table.advance(0.0))
    commit(table, table.sit(0, "sharp", 1.0))
    assert table.is_bot(0)
    assert table.bot_due() == "sharp"
    commit(table, table.advance(1.0))
    assert isinstance(due := table.due(), ToRoll | ToChoose)
    assert due.seat == 1
    commit(table, table.sit(0, "", 2.0))
    assert not table.is_bot(0)
    assert same(table)


def test_who_sits_elsewhere_gives_nobody_more_time() -> None:
    table = Table(replace(FARKLE, options="starts=seat", clock=30))
    commit(table, table.advance(100.0))
    deadline = table.deadline()
    commit(table, table.sit(1, "greedy", 120.0))
    assert table.deadline() == deadline
    commit(table, table.sit(0, "greedy", 121.0))
    commit(table, table.sit(0, "", 125.0))
    assert table.deadline() == deadline
    commit(table, table.sit(0, "greedy", 126.0))
    commit(table, table.sit(0, "", 500.0))  # late, and there is something to do
    assert table.deadline() == 530.0


def test_what_a_bot_chose_in_somebodys_place_is_not_theirs_to_take_back() -> None:
    table = Table(Setup("cockroach", "target=6 starts=seat", (Seat("A"), Seat("B")), seed="s"))
    commit(table, table.falling(0.0))
    commit(table, table.sit(0, "greedy", 1.0))
    commit(table, table.play_bot(1.0))
    commit(table, table.sit(0, "", 2.0))
    with pytest.raises(CannotUndo):
        table.undo(0, table.seq, 3.0)


def test_who_has_a_bot_in_their_place_takes_it_back_before_they_choose() -> None:
    table = Table(replace(FARKLE, dice="scripted", seed="111523 112346"))
    commit(table, table.falling(0.0))
    commit(table, table.sit(0, "greedy", 1.0))
    with pytest.raises(Refused, match="take your seat back"):
        table.choose(0, "keep 111 bank", table.seq, 2.0)
    commit(table, table.sit(0, "", 3.0))
    assert table.choose(0, "keep 111 bank", table.seq, 4.0).entries


def test_names_that_look_the_same_are_the_same() -> None:
    table = Table(replace(FARKLE, seats=(Seat("Ann"), Seat("Seat 2")), open=(1,)))
    with pytest.raises(BadSetup, match="another name"):
        table.join(1, "a\u200dnn", 1.0)
    commit(table, table.join(1, "Bø\u200drge", 1.0))
    [said] = table.say(1, "👩\u200d🚀\nnow", 2.0).entries
    assert said.text == "👩\u200d🚀 now"


def test_words_leave_room_for_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.table.log._LAST_WORD", 4)
    table = Table(FARKLE)
    commit(table, table.falling(0.0))
    while table.seq < 4:
        commit(table, table.say(0, "well", 1.0))
    with pytest.raises(Refused, match="play on"):
        table.say(0, "well", 1.0)
    commit(table, table.sit(0, "greedy", 1.0))


def test_the_clock_runs_for_people_only() -> None:
    table = Table(replace(FARKLE, clock=30, seats=(Seat("Ann"), Seat("Bo", "greedy"))))
    assert table.deadline() is None
    commit(table, table.advance(100.0))
    assert table.deadline() == 130.0
    commit(table, table.sit(0, "greedy", 110.0))
    commit(table, table.advance(110.0))
    assert isinstance(table.due(), Over)
    assert table.deadline() is None


@pytest.mark.parametrize("slug", game_names())
def test_bots_play_out_and_a_rematch_follows_the_rules(slug: str) -> None:
    kind = game_type(slug)
    seats = (Seat("A", "greedy"), Seat("B", "random"))[: kind.max_players]
    options = {"farkle": "target=300", "cockroach": "target=10"}.get(slug, "")
    table = Table(Setup(slug, options, seats, seed="7"))
    commit(table, table.advance(0.0))
    due = table.due()
    assert isinstance(due, Over)
    former = table.sitting
    commit(table, table.rematch(0, table.seq, 1.0))
    assert table.number == 2
    commit(table, table.advance(1.0))
    assert table.sitting.first == table.game.rematch_first(due.result)
    assert table.sitting.events != former.events
    assert table.record(1).text() == former.record().text()
    assert table.record(2).text() == table.record().text()
    for number in (0, 3):
        with pytest.raises(Refused):
            table.at_game(number)
    assert same(table)


@pytest.mark.parametrize("slug", game_names())
def test_whatever_people_do_the_log_is_all_there_is(slug: str) -> None:
    """Commands of all sorts, most of them wrong; what is left is what the log says."""
    kind = game_type(slug)
    seats = (Seat("A"), Seat("B", "casual"), Seat("C"))[: kind.max_players]
    table = Table(Setup(slug, "", seats, seed="3"))
    rng = random.Random(slug)
    commit(table, table.advance(0.0))
    for step in range(120):
        seat = rng.randrange(len(seats))
        choices = table.game.choices(table.state)
        text = table.game.event_text(rng.choice(choices)) if choices else "keep 1"
        seen = table.seq - (rng.random() < 0.1)
        commands = (
            lambda: table.choose(seat, text, seen, float(step)),  # noqa: B023 - called at once
            lambda: table.choose(seat, text, seen, float(step)),  # noqa: B023 - as above
            lambda: table.roll(seat, "", seen, float(step)),  # noqa: B023 - as above
            lambda: table.undo(seat, seen, float(step)),  # noqa: B023 - as above
            lambda: table.say(seat, "well rolled", float(step)),  # noqa: B023 - as above
        )
        try:
            commit(table, rng.choice(commands)())
            commit(table, table.advance(float(step)))
        except HotDiceError as refused:
            assert str(refused).endswith((".", "?"))
    assert len(table.entries) > 20
    assert same(table)


def test_open_seats_are_waited_for_and_taken() -> None:
    seats = (Seat("Ann"), Seat("Seat 2"), Seat("Seat 3"))
    table = Table(replace(FARKLE, seats=seats, open=(1, 2), clock=30).checked())
    assert table.advance(0.0).entries == []
    assert table.deadline() is None
    with pytest.raises(Refused, match="Not everybody"):
        table.roll(0, "", 0, 0.0)
    with pytest.raises(Refused, match="taken"):
        table.join(0, "Eve", 0.0)
    with pytest.raises(BadSetup, match="Somebody called ann"):
        table.join(1, "ann", 0.0)
    with pytest.raises(HotDiceError):
        table.join(1, "A|B", 0.0)
    assert table.people == {0}
    [joined] = commit(table, table.join(1, "  Ben ", 1.0))
    assert joined == Entry(1, "join", 1, "Ben", 1.0)
    assert table.people == {0, 1}
    begun = commit(table, table.sit(2, "greedy", 2.0))
    assert [entry.kind for entry in begun] == ["sit", "roll"]
    assert 2 not in table.people
    with pytest.raises(Refused, match="come back"):
        table.sit(2, "", 3.0)
    assert table.record().names == ("Ann", "Ben", "Seat 3")
    assert same(table)


def test_who_is_waited_for_long_enough_is_relieved() -> None:
    table = Table(FARKLE)
    commit(table, table.advance(100.0))
    with pytest.raises(Refused, match="60 seconds"):
        table.relieve(0, "casual", 100.0)
    with pytest.raises(Refused, match="Nobody waits"):
        table.relieve(1, "casual", 500.0)
    commit(table, table.say(1, "Ann?", 150.0))
    commit(table, table.relieve(0, "casual", 100.0 + PATIENCE))
    assert table.bot_due() == "casual"


def test_a_series_counts_games_until_it_is_decided() -> None:
    bots = (Seat("A", "greedy"), Seat("B", "greedy"))
    table = Table(replace(FARKLE, options="target=200", seats=bots, series=2).checked())
    commit(table, table.advance(0.0))
    played = 1
    while not table.champions():
        assert max(table.wins()) < 2
        commit(table, table.rematch(0, table.seq, 0.0))
        commit(table, table.advance(0.0))
        played += 1
    assert played in (2, 3)
    assert max(table.wins()) == 2
    assert [table.wins()[seat] for seat in table.champions()] == [2]
    commit(table, table.rematch(0, table.seq, 0.0))
    assert table.wins() == (0, 0)
    assert same(table)


def test_a_log_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hotdice.table.log._LONGEST_LOG", 5)
    table = Table(FARKLE)
    commit(table, table.advance(0.0))
    for _ in range(4):
        commit(table, table.say(0, "well", 0.0))
    with pytest.raises(Refused, match="new one"):
        table.say(0, "well", 0.0)


def test_a_set_up_is_one_line_that_reads_back() -> None:
    setup = Setup(
        "go500", "course=pass", (Seat("Zoë <b>"), Seat("B", "sharp")), clock=60, open=(0,)
    )
    assert Setup.read(setup.text()) == setup
    assert "\n" not in setup.text()
    for text in ("", "{}", "[]", "null", '{"game": 1}', '{"seats": [{"who": 1}]}'):
        with pytest.raises(UnreadableText):
            Setup.read(text)


@pytest.mark.parametrize(
    "wrong, error",
    [
        ({"game": "chess"}, HotDiceError),
        ({"options": "target=2"}, HotDiceError),
        ({"seats": (Seat("Ann"),)}, BadSetup),
        ({"seats": (Seat("Ann"), Seat("ann"))}, BadSetup),
        ({"seats": (Seat("Ann"), Seat(""))}, HotDiceError),
        ({"seats": (Seat("Ann"), Seat("B", "genius"))}, BadSetup),
        ({"dice": "loaded"}, BadSetup),
        ({"clock": -1}, BadSetup),
        ({"first": 2}, BadSetup),
        ({"series": -1}, BadSetup),
        ({"open": (2,)}, BadSetup),
        ({"open": (1,), "seats": (Seat("Ann"), Seat("B", "sharp"))}, BadSetup),
    ],
)
def test_a_table_that_cannot_be_is_refused(wrong: dict[str, object], error: type) -> None:
    with pytest.raises(error):
        replace(FARKLE, **wrong).checked()  # type: ignore[arg-type]
    assert FARKLE.checked() == FARKLE
