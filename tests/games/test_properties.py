"""Properties of every game in random reachable states."""

import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotdice import Choice, HotDiceError, IllegalEvent, Over, Roll, ToRoll, UnreadableText
from hotdice.conformance import check_state
from hotdice.core.game import AnyGame
from hotdice.core.perft import offers
from tests.games.walks import walks

Walk = tuple[AnyGame, Any]


@given(walks())
def test_every_state_keeps_the_contract(walk: Walk) -> None:
    game, state = walk
    check_state(game, state, random.Random(1))


@given(walks())
def test_every_live_state_offers_something(walk: Walk) -> None:
    game, state = walk
    assert bool(offers(game, state)) != isinstance(game.due(state), Over)


@given(walks(), st.lists(st.integers(-2, 140), max_size=7))
def test_rolls_are_exactly_those_listed(walk: Walk, faces: list[int]) -> None:
    """Any tuple of numbers is a listed roll in some order, or it is refused."""
    game, state = walk
    listed = {roll for roll, _ in game.rolls(state)}
    roll = Roll(tuple(faces))
    if Roll(tuple(sorted(faces))) in listed:
        game.apply(state, roll)
    else:
        with pytest.raises(IllegalEvent):
            game.apply(state, roll)


@given(walks(), st.data())
def test_choices_are_exactly_those_listed(walk: Walk, data: st.DataObject) -> None:
    game, state = walk
    codes = sorted(game.codes.values())
    choice = Choice(
        data.draw(st.sampled_from(game.verbs)),
        tuple(sorted(data.draw(st.lists(st.sampled_from(codes), max_size=4)))),
        data.draw(st.sampled_from(("", *game.thens))),
    )
    if choice in game.choices(state):
        game.apply(state, choice)
    else:
        with pytest.raises(IllegalEvent):
            game.apply(state, choice)


@given(walks(), st.data())
def test_a_state_text_that_is_accepted_can_be_played(walk: Walk, data: st.DataObject) -> None:
    """Change one word of a state: it is refused in a sentence, or it is a state like any other."""
    game, state = walk
    words = game.state_text(state).split()
    at = data.draw(st.integers(0, len(words) - 1))
    numbers = list(re.finditer(r"-?\d+|on|off|[a-z]+$", words[at]))
    if not numbers:
        return
    spot = data.draw(st.sampled_from(numbers))
    others = ("0", "1", "2", "5", "6", "25", "-1", "on", "off", "99999", "roll", "choose", "over")
    new = data.draw(st.sampled_from(others))
    words[at] = words[at][: spot.start()] + new + words[at][spot.end() :]
    try:
        changed = game.read_state(" ".join(words))
    except HotDiceError as error:
        assert "\n" not in str(error)
        return
    assert game.read_state(game.state_text(changed)) == changed
    game.view(changed)
    for event, _ in offers(game, changed)[:10]:
        game.apply(changed, event)


@given(walks(), st.text(max_size=30))
def test_any_text_is_read_or_refused(walk: Walk, text: str) -> None:
    game, state = walk
    for read in (game.read_event, game.read_state, game.read_dice):
        try:
            read(text)
        except HotDiceError as error:
            assert str(error)
    try:
        assert game.pick(state, text) in game.choices(state)
    except HotDiceError as error:
        assert str(error)


@given(walks(), st.data())
def test_typed_words_pick_a_legal_choice_or_say_why_not(walk: Walk, data: st.DataObject) -> None:
    game, state = walk
    words = [*game.verbs, *game.thens, *game.codes, *(v[0] for v in game.verbs), "99", "x"]
    text = " ".join(data.draw(st.lists(st.sampled_from(words), max_size=5)))
    try:
        assert game.pick(state, text) in game.choices(state)
    except HotDiceError as error:
        assert str(error)


@given(walks(), st.text(alphabet="123456cr ,;+bgfrolkep:", max_size=20))
def test_typed_dice_are_a_roll_or_refused(walk: Walk, text: str) -> None:
    game, state = walk
    if not isinstance(game.due(state), ToRoll):
        with pytest.raises(IllegalEvent):
            game.read_roll(state, text)
        return
    try:
        game.apply(state, game.read_roll(state, text))
    except (UnreadableText, IllegalEvent) as error:
        assert str(error)
