from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotdice import BadOption, game_type, load_game
from hotdice.games.farkle import FarkleOptions
from hotdice.games.go500 import Go500Options
from hotdice.games.rogue import RogueOptions


@pytest.mark.parametrize(
    "slug, options, sentence",
    [
        ("farkle", "targets=5", "There is no option 'targets'; the options are target, entry"),
        ("farkle", "target", "'target' is not an option; write name=value."),
        ("farkle", "target=lots", "The option 'target' takes a whole number, not 'lots'."),
        ("farkle", "target=1e3", "The option 'target' takes a whole number, not '1e3'."),
        ("farkle", "target=²", "The option 'target' takes a whole number, not '²'."),
        ("farkle", "target=-5", "The option 'target' is at least 5, not -5."),
        ("farkle", "target=9999999", "The option 'target' is at most 1,000,000, not 9999999."),
        ("farkle", "carry_over=maybe", "The option 'carry_over' is on or off, not 'maybe'."),
        ("farkle", "starts=youngest", "is one of highest, seat, random, not 'youngest'."),
        ("farkle", "target=50", "The entry of 100 is above the target of 50"),
        ("farkle", "target=500 target=600", "The option 'target' is given twice."),
        ("farkle", "'target=5", "unclosed quotation mark"),
        ("rogue", "target=1000", "The war level of 1,812 is above the target of 1,000"),
        ("rogue", "pairs=1,2,3", "The option 'pairs' takes 6 numbers, not 3."),
        ("rogue", "pairs=0,2,3,4,5,6", "The option 'pairs' is at least 1, not 0,2,3,4,5,6."),
        ("go500", "course=moon", "there is no course 'moon'; choose grand, oval, pass, streets"),
        (
            "go500",
            "dice=moon",
            "there is no dice-set 'moon'; choose house, or write one of your own",
        ),
        ("go500", "weather=poor", "The course 'oval' has only good weather; leave the option out."),
        ("go500", "weather=fog", "The option 'weather' is one of good, poor, not 'fog'."),
        ("go500", "penalties=20", "write it as excess:rolls pairs such as 20:1,40:2."),
        ("go500", "penalties=40:1,20:2", "the excesses have to rise."),
        ("go500", "penalties=20:1,20:2", "the excesses have to rise."),
        ("go500", "penalties=20:5,40:1", "a higher excess costs no fewer rolls."),
        ("go500", "penalties=0:1", "an excess is at least 1 and costs at most 99 rolls."),
    ],
)
def test_bad_options_are_refused_in_one_sentence(slug: str, options: str, sentence: str) -> None:
    with pytest.raises(BadOption) as refused:
        load_game(slug, options)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_dashes_and_upper_case_are_accepted() -> None:
    assert FarkleOptions.read("carry-over=OFF starts=SEAT") == FarkleOptions(
        carry_over=False, starts="seat"
    )


def test_thousands_separators_are_accepted() -> None:
    assert FarkleOptions.read("target=1,000,000") == FarkleOptions(target=1_000_000)
    for odd in ("1,00", "1,0000", ",100", "1,000,"):
        with pytest.raises(BadOption):
            FarkleOptions.read(f"target={odd}")


def test_text_names_only_changed_options() -> None:
    assert FarkleOptions().text() == ""
    assert FarkleOptions(target=500, entry=50).text() == "target=500 entry=50"
    assert "three_pairs=100" in FarkleOptions().text(full=True)


def test_a_table_is_told_what_players_need_to_know_even_where_it_is_as_usual() -> None:
    assert FarkleOptions().in_force() == FarkleOptions().words() == ""
    assert FarkleOptions(target=500, starts="seat").in_force() == "target: 500"
    assert Go500Options().in_force() == "course: oval"
    assert Go500Options().words() == ""
    assert Go500Options.read("course=pass").in_force() == "course: pass · weather: good"
    poor = "course=pass weather=poor rerolls=0"
    assert Go500Options.read(poor).in_force() == "course: pass · weather: poor · rerolls: 0"


def test_values_include_the_defaults() -> None:
    assert FarkleOptions().values()["carry_over"] == "on"
    assert Go500Options().values()["penalties"] == "20:1,40:2,60:4,80:7,100:11,120:16"


@given(st.integers(5, 1_000_000), st.integers(0, 1_000_000), st.booleans(), st.booleans())
def test_farkle_options_round_trip(target: int, entry: int, carry: bool, four: bool) -> None:
    options = FarkleOptions(
        target=target, entry=min(entry, target), carry_over=carry, four_and_pair=four
    )
    assert FarkleOptions.read(options.text()) == options
    assert FarkleOptions.read(options.text(full=True)) == options


@given(st.lists(st.integers(1, 100_000), min_size=6, max_size=6))
def test_chart_rows_round_trip(row: list[int]) -> None:
    options = RogueOptions(quads=tuple(row))
    assert RogueOptions.read(options.text()) == options


def test_a_path_is_opened_only_where_files_are_allowed(tmp_path: Path) -> None:
    """Remote input must not open files."""
    path = tmp_path / "mine.txt"
    path.write_text("name: mine\nsegment: Home = 50\n")
    with pytest.raises(BadOption, match="there is no course"):
        Go500Options.read(f"course={path}")
    here = Go500Options.read_pairs([f"course={path}"], files=True)
    assert here.course.name == "mine"
    assert Go500Options.read(here.text()) == here


def test_every_option_is_described() -> None:
    described = {info.name: info for info in game_type("rogue").options_type.describe()}
    assert described["war_at"].kind == "number"
    assert described["war_at"].range == "1 to 1,000,000"
    assert described["pairs"].range == "6 numbers of 1 to 100,000"
    assert described["pairs"].default == "4,6,8,10,12,15"
    go = {info.name: info for info in Go500Options.describe()}
    assert (go["course"].kind, go["course"].default) == ("course", "oval")
    assert go["weather"].range == "good, poor"
    assert {info.name: info for info in FarkleOptions.describe()}["carry_over"].range == "on or off"


def test_changed_options_in_words_leave_out_who_starts() -> None:
    assert load_game("farkle").options.words() == ""
    words = load_game("farkle", "target=500 carry_over=off starts=seat").options.words()
    assert words == "target 500, carry over off"
    long = load_game("go500", "course='name: x; segment: Gate = none; segment: Pond = 60'")
    assert long.options.words().endswith("…")
