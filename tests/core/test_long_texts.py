"""Every parser reads or refuses long input quickly, and refuses it in one short sentence."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotdice import load_game
from hotdice.core.errors import BadOption, HotDiceError
from hotdice.core.options import split_words
from hotdice.core.record import read_record
from hotdice.games.go500.courses import Course
from hotdice.games.go500.dice_set import DiceSet
from hotdice.games.go500.options import Penalties
from hotdice.server.tables import read_options
from tests.timing import quickest

LONG = 20_000
_WORDS = (
    "x",
    "1",
    "-",
    ",",
    "1,",
    ":",
    "1:1,",
    "; ",
    " ",
    "'",
    '"',
    "\\",
    "\\x",
    '"\\',
    "a=1 ",
    "=",
    "==",
    "/",
    "(1) ",
    "black: 1;",
    "segment: a = none;",
    "segment: a = 1/1;",
    "name: a\n",
    "#\n",
    "{",
    "{}",
    "1. 1;",
    "scores=1,",
    "black ",
    "phase=roll ",
    "\u2028",
    "٣",
    "²",
    "\uff11",
)
GO500 = load_game("go500")
FARKLE = load_game("farkle")


def _read_events(text: str) -> None:
    read_record(f"hotdice record 1\ngame: farkle\nseats: Ann | Ben\n\n{text}")


READERS: dict[str, Callable[[str], object]] = {
    "a line of options": type(FARKLE.options).read,
    "a number": lambda text: type(FARKLE.options).read_values({"target": text}),
    "numbers": lambda text: type(load_game("rogue").options).read_values({"pairs": text}),
    "a switch": lambda text: type(FARKLE.options).read_values({"carry_over": text}),
    "a word": lambda text: type(FARKLE.options).read_values({"starts": text}),
    "a name": lambda text: type(FARKLE.options).read_values({text: "1"}),
    "a course": Course.read,
    "a dice set": DiceSet.read,
    "penalties": Penalties.read,
    "a state": FARKLE.read_state,
    "another state": GO500.read_state,
    "an event": FARKLE.read_event,
    "a choice": lambda text: GO500.read_event(f"lock {text}"),
    "dice": GO500.read_dice,
    "a record": read_record,
    "a record's events": _read_events,
}


@pytest.mark.parametrize("what", READERS)
def test_long_input_is_handled_quickly_and_answered_briefly(what: str) -> None:
    read = READERS[what]
    for word in _WORDS:
        text = (word * LONG)[:LONG]

        def answer(text: str = text, word: str = word) -> None:
            try:
                read(text)
            except HotDiceError as error:
                assert len(str(error)) < 500, (what, word)

        assert quickest(answer, 0.05) < 0.05, (what, word)


@given(st.text(alphabet=" \t\n\r\"'\\ab=;é", max_size=30))
def test_words_are_split_as_in_a_shell(text: str) -> None:
    try:
        expected = shlex.split(text)
    except ValueError:
        with pytest.raises(BadOption, match="unclosed quotation mark"):
            split_words(text)
    else:
        assert split_words(text) == expected


def test_the_length_of_a_line_of_options_is_limited() -> None:
    with pytest.raises(BadOption, match="too long; they go up to 200,000 characters"):
        load_game("farkle", "target=1 " * 100_000)


def test_many_unknown_options_get_one_sentence() -> None:
    texts = {f"no such option, number {n}": "x" * 200 for n in range(6500)}
    assert quickest(lambda: read_options(type(FARKLE.options), texts), 0.05) < 0.05
    read = read_options(type(FARKLE.options), texts)
    assert read.problem.startswith("There is no option 'no such option, number 0'; the options are")
    assert read.wrong == {}


def test_a_few_wrong_options_are_reported_separately() -> None:
    read = read_options(type(FARKLE.options), {"target": "far", "entry": "100", "goal": "1"})
    assert sorted(read.wrong) == ["goal", "target"]
