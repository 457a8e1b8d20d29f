"""Verified dice at a table: what the log records, in every order in which it can happen."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from hotdice.core.due import ToChoose
from hotdice.core.errors import UnreadableText
from hotdice.table.bots import bot_turn
from hotdice.table.commands import Choose, Join, Rematch, RollDice, Say, SitIn, Undo
from hotdice.table.dice_commands import Announce, Begin, DrawDice, GiveLink, TooLate
from hotdice.table.drawing import MOST_CHAINS, Chain
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Refused, Stale, Table
from hotdice.table.sitting import CannotUndo, Seat
from hotdice.table.verification import verify
from hotdice.table.verified import Links
from tests.table.devices import VERIFIED, Device, asked, begun, chosen, drawn, played
from tests.table.playing import committed, matches_its_log


def seated() -> tuple[Table, Device, Device]:
    """A table whose two devices take part; the first roll is asked for."""
    ann, ben = Device("ann", 0), Device("ben", 1)
    return ben.announced(ann.announced(begun())), ann, ben


def kinds(table: Table) -> list[str]:
    return [str(entry.kind) for entry in table.entries]


def test_the_server_commits_itself_before_anything_else() -> None:
    table = begun()
    assert kinds(table) == ["chain"]
    assert table.entries[0].seat == -1
    assert VERIFIED.seed not in table.entries[0].text


def test_the_first_roll_waits_for_the_devices_of_people() -> None:
    ann, ben = Device("ann", 0), Device("ben", 1)
    table = ann.announced(begun())
    assert table.lacks_devices()
    assert not table.is_asked
    table = ben.announced(table)
    assert kinds(table)[-2:] == ["chain", "ask"]
    assert not table.lacks_devices()


def test_the_first_roll_can_begin_without_a_device() -> None:
    table = begun()
    table = committed(table, Begin().on(table, 5.0))
    assert table.is_asked
    with pytest.raises(Refused, match="wait for no device"):
        Begin().on(table, 5.0)
    table = drawn(table)
    assert table.drawing
    assert table.drawing.without == {0: 1, 1: 1}


def test_somebody_can_also_ask_for_the_first_roll() -> None:
    table = begun()
    assert committed(table, RollDice(0, "", table.seq).on(table, 1.0)).is_asked


def test_dice_cannot_be_typed_in_or_asked_for_twice() -> None:
    table = begun()
    with pytest.raises(Refused, match="cannot be typed in"):
        RollDice(0, "123456", table.seq).on(table, 1.0)
    table = committed(table, RollDice(0, "", table.seq).on(table, 1.0))
    with pytest.raises(Refused, match="rolling already"):
        RollDice(0, "", table.seq).on(table, 1.0)


def test_a_roll_takes_the_links_of_all_devices() -> None:
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    assert kinds(table)[-4:] == ["link", "link", "draw", "roll"]
    assert isinstance(table.due, ToChoose)
    assert table.drawing
    assert table.drawing.without == {}
    assert matches_its_log(table)


def test_the_order_of_links_does_not_change_the_dice() -> None:
    table, ann, ben = seated()
    one, other = drawn(ben.gave(ann.gave(table))), drawn(ann.gave(ben.gave(table)))
    assert one.entries[-1].text == other.entries[-1].text


def test_every_device_changes_the_dice() -> None:
    """With six dice, the four rolls are hardly ever equal; these links are fixed."""
    table, ann, ben = seated()
    ways = [table, ann.gave(table), ben.gave(table), ben.gave(ann.gave(table))]
    assert len({drawn(way).entries[-1].text for way in ways}) == 4


def test_devices_that_miss_a_roll_are_written_down_and_counted() -> None:
    table, ann, ben = seated()
    table = drawn(ann.gave(table), silent=[ben.chain])
    assert table.entries[-2].text.endswith(f"{ben.chain}=silent")
    table = played(table, [ann], Random(1), most=4)
    assert table.drawing
    assert table.drawing.without[1] > 1
    assert 0 not in table.drawing.without


def test_a_device_comes_back_after_missing_rolls() -> None:
    table, ann, ben = seated()
    rng = Random(3)
    table = played(drawn(ann.gave(table)), [ann], rng, most=6)
    table = played(table, [ann, ben], rng)
    assert verify(table.record().text()).skipped[1] >= 1


def test_a_late_link_is_refused() -> None:
    table, ann, ben = seated()
    late = ben.link(table)
    table = drawn(ann.gave(table))
    with pytest.raises(TooLate):
        late.on(table, 4.0)


def test_wrong_links_are_refused() -> None:
    table, ann, ben = seated()
    right = ann.link(table)
    for wrong in (ann.links.link(0), ann.links.link(2), ben.links.link(1), "0" * 64, "x", ""):
        with pytest.raises(Refused, match="does not belong"):
            replace(right, link=wrong).on(table, 2.0)
    with pytest.raises(TooLate):
        replace(right, number=2).on(table, 2.0)
    for other in (replace(right, seat=1), replace(right, chain=0), replace(right, chain=9)):
        with pytest.raises(Refused, match="no link for this roll"):
            other.on(table, 2.0)
    table = ann.gave(table)
    with pytest.raises(Refused, match="or has given it"):
        right.on(table, 2.0)


def test_nothing_can_be_undone_once_dice_are_asked_for() -> None:
    """Otherwise whoever knows all links could look at the dice and choose again."""
    rng = Random(5)
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    while not (table.is_asked and table.sitting.has_chosen()):
        table = drawn(table) if table.is_asked else chosen(table, rng)
    assert table.sitting.undoer() is not None
    assert table.undoer() is None
    for seat in (0, 1):
        with pytest.raises(CannotUndo, match="asked for"):
            Undo(seat, table.seq).on(table, 9.0)


def test_a_choice_can_be_undone_before_dice_are_asked_for() -> None:
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    banks = [one for one in table.game.choices(table.state) if one.then == "bank"]
    text = table.game.event_text(banks[0])
    table = committed(table, Choose(0, text, table.seq).on(table, 1.0))
    assert not table.is_asked
    undone = committed(table, Undo(0, table.seq).on(table, 2.0))
    again = committed(undone, Choose(0, text, undone.seq).on(undone, 3.0))
    rolls = []
    for way in (table, again):
        after = (
            committed(way, RollDice(way.seat_due, "", way.seq).on(way, 4.0))
            if not (isinstance(way.due, ToChoose))
            else chosen(way, Random(1))
        )
        rolls.append(drawn(ben.gave(ann.gave(after))).entries[-1].text)
    assert rolls[0] == rolls[1], "an undone choice is not part of the seal"


def test_reopening_a_table_between_asking_and_drawing_gives_the_same_dice() -> None:
    table, ann, ben = seated()
    table = ann.gave(table)
    again = Table.of(table.setup, table.entries)
    assert again == table
    assert drawn(ben.gave(again)).entries[-1].text == drawn(ben.gave(table)).entries[-1].text


def test_two_devices_of_one_seat_both_take_part() -> None:
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    phone = Device("phone", 1)
    table = phone.announced(table)
    table = played(table, [ann, phone], Random(2), most=3)
    assert table.drawing
    assert table.drawing.without == {}, "one device of a seat is enough"
    assert len(table.drawing.chains) == 4


def test_a_device_can_replace_its_chain() -> None:
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    renewed = Device("renewed", 1)
    table = renewed.announced(table, ended=ben.chain)
    assert table.drawing
    assert ben.chain not in table.drawing.chains
    table = played(table, [ann, renewed], Random(4))
    assert "\nend 2\n" in table.record().text()
    verify(table.record().text())
    with pytest.raises(Refused, match="of its own seats"):
        Announce((1,), Links("x", 3).link(0), ann.chain).on(table, 1.0)


def test_the_oldest_chain_of_a_seat_ends_when_there_are_many() -> None:
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    more = [Device(f"phone {number}", 1) for number in range(MOST_CHAINS)]
    for phone in more:
        table = phone.announced(table)
    assert table.drawing
    assert ben.chain not in table.drawing.chains
    assert all(phone.chain in table.drawing.chains for phone in more)
    table = played(table, [ann, *more], Random(1))
    verify(table.record().text())


def test_chains_are_limited_and_announced_only_between_rolls() -> None:
    table, ann, ben = seated()
    with pytest.raises(Refused, match="dice are rolling"):
        Announce((1,), Links("x", 3).link(0)).on(table, 1.0)
    table = drawn(ben.gave(ann.gave(table)))
    for wrong in ("", "x" * 64, "0" * 63):
        with pytest.raises(Refused, match="64 hexadecimal digits"):
            Announce((1,), wrong).on(table, 1.0)
    with pytest.raises(Refused, match="already"):
        Announce((1,), ben.tip).on(table, 1.0)
    for number in range(100):
        tip = Links(f"x{number}", 3).link(0)
        try:
            table = Announce((1,), tip).on(table, 1.0).table
        except Refused as refused:
            assert "too many" in str(refused)
            break
    else:
        pytest.fail("There is no limit.")


def test_chains_and_links_do_not_make_commands_stale() -> None:
    table, ann, ben = seated()
    table = drawn(ben.gave(ann.gave(table)))
    seen, text = table.seq, table.game.event_text(table.game.choices(table.state)[0])
    table = Device("phone", 1).announced(table)
    assert Choose(0, text, seen).on(table, 1.0).entries


def test_games_after_the_first_go_on_with_the_same_chains() -> None:
    table, ann, ben = seated()
    rng = Random(8)
    for _ in range(3):
        table = played(table, [ann, ben], rng, skips=0.4)
        verify(table.record().text())
        table = committed(table, Rematch(0, table.seq).on(table, 9.0))
    assert [verify(table.record(number).text()).rolls > 0 for number in (1, 2, 3)] == [True] * 3
    befores = {table.record(number).proof[2] for number in (1, 2, 3, 4)}
    assert len(befores) == 4


def test_somebody_who_joins_takes_part() -> None:
    table = begun(replace(VERIFIED, open=(1,)))
    ann, ben = Device("ann", 0), Device("ben", 1)
    table = ann.announced(table)
    table = committed(table, Join(1, "Benno").on(table, 1.0))
    assert not table.is_asked
    table = played(ben.announced(table), [ann, ben], Random(1))
    text = table.record().text()
    assert "seats: Ann | Benno" in text
    verify(text)


def test_chat_and_bots_that_sit_in_do_not_disturb_a_roll() -> None:
    table, ann, ben = seated()
    table = committed(table, Say(0, "come on").on(table, 2.0))
    table = committed(table, SitIn(0, "greedy").on(table, 2.0))
    assert table.is_asked
    assert kinds(table).count("ask") == 1
    table = drawn(ben.gave(ann.gave(table)))
    turn = bot_turn(table, 3.0)
    thought = next(turn)
    with pytest.raises(StopIteration):
        turn.send(thought.choice())


def test_bots_ask_for_dice_too() -> None:
    table = begun(replace(VERIFIED, seats=(Seat("Bo", "greedy"), Seat("Cy", "greedy"))))
    assert table.is_asked, "bots have no devices to wait for"
    assert isinstance(drawn(table).due, ToChoose)


def test_the_server_draws_each_roll_once() -> None:
    table, *_ = seated()
    draw = DrawDice(asked(table))
    with pytest.raises(Stale):
        DrawDice(asked(table) + 1).on(table, 3.0)
    with pytest.raises(Refused, match="No dice have been asked for"):
        draw.on(committed(table, draw.on(table, 3.0)), 3.0)


def test_other_dice_know_no_chains() -> None:
    table = Table.of(replace(VERIFIED, dice="seeded"))
    for command in (Announce((0,), "0" * 64), GiveLink(0, 1, 1, "0" * 64)):
        with pytest.raises(Refused, match="not verified"):
            command.on(table, 1.0)
    for kind in (Kind.CHAIN, Kind.ASK, Kind.LINK, Kind.DRAW):
        with pytest.raises(Exception, match="not verified"):
            table.add(Entry(1, kind, 0, "", 0.0))


def test_the_clock_stands_still_while_dice_are_drawn() -> None:
    table = begun(replace(VERIFIED, clock=30))
    table = committed(table, RollDice(0, "", table.seq).on(table, 1.0))
    assert table.deadline() is None
    assert drawn(table).deadline() is not None


def test_a_chain_is_text() -> None:
    chain = Chain.new(3, (1, 0), 17, "ab" * 32)
    assert Chain.read(f"{chain.text()} 1 2") == (chain, (1, 2))
    with pytest.raises(Exception, match="not a chain"):
        Chain.read("what")


@pytest.mark.parametrize("change", ["number", "seal", "twice"])
def test_dice_that_nobody_can_have_asked_for_are_not_in_a_log(change: str) -> None:
    """Devices would give away the links of all rolls up to that number."""
    table = Device("ann", 0, 1).announced(begun())
    ask = table.entries[-1]
    assert ask.kind is Kind.ASK
    number, seal = ask.text.split()
    texts = {"number": f"1{number} {seal}", "seal": f"{number} {seal[::-1]}", "twice": ask.text}
    kept = table.entries[:] if change == "twice" else table.entries[:-1]
    forged = Entry(len(kept) + 1, Kind.ASK, 0, texts[change], 1.0)
    with pytest.raises(UnreadableText):
        Table.of(table.setup, [*kept, forged])


@pytest.mark.parametrize("change", ["2 1 0", "1 1 -5", "1 1 3"])
def test_chains_that_do_not_fit_are_not_in_a_log(change: str) -> None:
    table = begun()
    forged = Entry(table.seq + 1, Kind.CHAIN, 1, f"{change} {'a' * 64}", 1.0)
    with pytest.raises(UnreadableText):
        table.add(forged)
    fits = forged._replace(text=f"1 1 0 {'a' * 64}")
    assert table.add(fits).drawing
