import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotdice import HotDiceError, Record, UnreadableText, load_game, read_record
from hotdice.core.due import Over
from hotdice.core.record import VERSION, check_name, result_text

GAME = """\
hotdice record 1
game: farkle
options: target=150 starts=seat
seats: Ann | Ben
dice: typed
result: Ann wins: Ann 200, Ben 0 (F11)

1. {Ann} 111234; keep 111 roll; 111; keep 111 bank
2. {Ben} 234466
"""


def test_a_record_round_trips() -> None:
    record = read_record(GAME)
    assert record.text() == GAME
    assert record.names == ("Ann", "Ben")
    assert record.tags == {"dice": "typed"}
    assert len(record.events) == 5
    assert [step.event for step in record.steps()] == list(record.events)


def test_remarks_numbers_and_line_breaks_are_ignored() -> None:
    head = GAME.partition("\n\n")[0]
    words = "111234\nkeep 111 roll {brave!}; 111\n\n7. keep 111 bank; 234466"
    assert read_record(f"{head}\n\n{words}\n").events == read_record(GAME).events


def test_people_are_told_a_true_minus_and_records_keep_the_hyphen() -> None:
    game = load_game("go500", "rerolls=0 'course=name: test; segment: Only = none'")
    events = tuple(map(game.read_event, ("take", "flag:red", "red:-100")))
    record = Record(game, ("Ann",), events)
    due = game.due(record.state())
    assert isinstance(due, Over)
    assert result_text(due.result, record.names) == "Ann wins: Ann \u2212100 (G3)"
    assert "result: Ann wins: Ann -100 (G3)\n" in record.text()
    assert read_record(record.text()).events == events


def test_an_unfinished_game_has_no_result() -> None:
    record = Record(load_game("rogue"), ("A", "B", "C"), first=2)
    assert "result" not in record.text()
    assert "first: 3" in record.text()
    again = read_record(record.text())
    assert (again.first, again.events, again.state()) == (2, (), record.state())


def test_custom_options_are_saved_in_the_record() -> None:
    game = load_game("go500", "'course=name: my ring; segment: Bend = 40' rerolls=0")
    record = Record(game, ("A",), (game.read_event("take black"),))
    again = read_record(record.text())
    assert again.game.options == game.options
    assert again.state() == record.state()


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("hotdice record 1", "hotdice record 2", "version 2, newer than this Hot Dice can read"),
        (
            "hotdice record 1",
            "hotdice record x",
            "Line 1: The record has no valid version.",
        ),
        (
            "hotdice record 1",
            "hotdice record 0",
            "Line 1: The record has no valid version.",
        ),
        ("hotdice record 1", "a letter", "This is not a record; its first line is not"),
        ("game: farkle\n", "", "The record does not name its game."),
        ("seats: Ann | Ben\n", "", "The record does not name its seats."),
        ("game: farkle", "game: farkel", "did you mean 'farkle'?"),
        ("target=150", "target=x", "takes a whole number"),
        ("dice: typed", "dice: typed\ndice: typed", "Line 6: The record's heading is damaged"),
        ("dice: typed", "dice", "Line 5: The record's heading is damaged here."),
        ("Ann | Ben", "Ann | {Ben}", "A name cannot contain |, {, }"),
        ("Ann | Ben", "Ann", "Farkle is for 2 to 8 players, not for 1."),
        ("dice: typed", "first: 3", "Seat 3 cannot be first; there are 2 seats."),
        ("dice: typed", "first: one", "'one' is not the number of the seat that is first."),
        ("111234", "111239", "Line 8: The record is damaged at '111239'"),
        ("keep 111 roll", "keep 112 roll", "Line 8: The record is damaged at 'keep 112 roll'"),
        ("234466", "134466", "its events do not lead to its result"),
        ("2. {Ben} 234466\n", "", "its events do not lead to its result"),
        ("Ben 0", "Ben 5", "its events do not lead to its result"),
        ("234466", "234466; 111111", "Line 9: The record is damaged at '111111': The game is over"),
    ],
)
def test_damage_is_reported(old: str, new: str, sentence: str) -> None:
    assert old in GAME
    with pytest.raises(HotDiceError) as refused:
        read_record(GAME.replace(old, new, 1))
    assert sentence in str(refused.value)


def test_an_empty_text_is_not_a_record() -> None:
    with pytest.raises(UnreadableText, match="This is not a record"):
        read_record("")


@given(st.integers(0, len(GAME) - 1), st.sampled_from("0149abk;:|{}\n. -"))
def test_any_damaged_letter_is_noticed_or_harmless(at: int, letter: str) -> None:
    damaged = GAME[:at] + letter + GAME[at + 1 :]
    try:
        read_record(damaged).state()
    except HotDiceError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize(
    "name",
    ["Ann", "Zoë  O'Hara", "李雷", "a" * 40, " 007 ", "👩\u200d🚀 Zoë", "क्\u200dष"],
)
def test_names_are_tidied(name: str) -> None:
    assert check_name(name) == " ".join(name.split())


@pytest.mark.parametrize(
    "name", ["", "   ", "a" * 41, "a|b", "{x}", "a\x1b[31m", "a\u202eb", "\u200d"]
)
def test_bad_names_are_refused(name: str) -> None:
    with pytest.raises(UnreadableText):
        check_name(name)


def test_results_name_winners_scores_and_clause() -> None:
    game = load_game("farkle", "starts=seat")
    over = game.read_state("scores=1000,1000 seat=1 phase=over closer=1")
    due = game.due(over)
    assert result_text(due.result, ["A", "B"]) == "A and B share the win: A 1,000, B 1,000 (F11)"  # type: ignore[union-attr]
    assert VERSION == 1
