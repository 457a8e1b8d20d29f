"""Typed dice and choices: parsed, or refused as unreadable, illegal or ambiguous."""

import pytest

from hotdice import (
    AmbiguousText,
    HotDiceError,
    IllegalEvent,
    UnreadableText,
    game_names,
    load_game,
)


@pytest.mark.parametrize(
    "slug, text, dice",
    [
        ("farkle", "115234", "1 1 5 2 3 4"),
        ("farkle", " 1 1, 5;2  3+4 ", "1 1 5 2 3 4"),
        ("rogue", "C c 2", "c c 2"),
        ("peruke", "1 2 3 4 5 6", "1 2 3 4 5 r6"),
        ("peruke", "12345 r6", "1 2 3 4 5 r6"),
        ("peruke", "white 12345 red 6", "1 2 3 4 5 r6"),
        ("peruke", "red 6 white 1", "r6 1"),
        ("peruke", "4", "r4"),
        ("go500", "black 25 10 green flat flag green", "black:25 black:10 green:flat flag:green"),
        ("go500", "black:(25) Flag:Red", "black:25 flag:red"),
        ("go500", "red X", "red:x"),
        ("go500", "yellow -25 red -100", "yellow:-25 red:-100"),
        ("go500", "flag green green 30", "flag:green green:30"),
    ],
)
def test_dice_are_read_as_people_write_them(slug: str, text: str, dice: str) -> None:
    game = load_game(slug)
    assert " ".join(game.tokens[code] for code in game.read_dice(text)) == dice


@pytest.mark.parametrize(
    "slug, text, sentence",
    [
        ("farkle", "7", "'7' is not on the dice of Farkle; the faces are 1 2 3 4 5 6."),
        ("farkle", "", "There are no dice in ''; the faces are 1 2 3 4 5 6."),
        ("rogue", "1", "'1' is not on the dice of Rogue; the faces are c 2 3 4 5 6."),
        ("go500", "25", "'25' is not on the dice of Go 500; the faces are black: 0 5 10 15 20 25;"),
        ("farkle", "1" * 500, "That is too long to be dice or a choice."),
    ],
)
def test_unreadable_dice_are_refused(slug: str, text: str, sentence: str) -> None:
    with pytest.raises(UnreadableText) as refused:
        load_game(slug).read_dice(text)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    "said, choice",
    [
        ("keep 115 bank", "keep 115 bank"),
        ("bank 511", "keep 115 bank"),
        ("b 1 5 1", "keep 115 bank"),
        ("r115", None),
        ("115 roll", "keep 115 roll"),
        ("KEEP 115 ROLL", "keep 115 roll"),
        ("k 5 r", "keep 5 roll"),
    ],
)
def test_choices_may_be_worded_loosely(said: str, choice: str | None) -> None:
    game = load_game("farkle", "starts=seat")
    state = game.read_state("scores=200,200 phase=choose tray=112345")
    if choice is None:
        with pytest.raises(UnreadableText):
            game.pick(state, said)
    else:
        assert game.event_text(game.pick(state, said)) == choice


@pytest.mark.parametrize(
    "said, error, sentence",
    [
        ("115", AmbiguousText, "'115' could mean 'keep 115 bank', 'keep 115 roll'; say which."),
        ("keep 115", AmbiguousText, "'keep 115' could mean"),
        ("bank", AmbiguousText, "'keep 115 bank', 'keep 11 bank', 'keep 15 bank'"),
        ("keep 2 bank", IllegalEvent, "2 does not score. (F4)"),
        ("bank 234", IllegalEvent, "2-3-4 does not score with every die. (F4)"),
        ("keep 1111 roll", IllegalEvent, "You can only keep dice you have just rolled. (F6)"),
        ("fresh", IllegalEvent, "Keep dice that score, then roll or bank. (F4)"),
        ("dance", UnreadableText, "'dance' is not a choice; try 'keep 115 bank'."),
        ("", UnreadableText, "Nothing was entered; type a choice."),
        ("keep 9 bank", UnreadableText, "'keep 9 bank' is not a choice"),
    ],
)
def test_bad_choices_are_refused(said: str, error: type[HotDiceError], sentence: str) -> None:
    game = load_game("farkle", "starts=seat")
    state = game.read_state("scores=200,200 phase=choose tray=112345")
    with pytest.raises(error) as refused:
        game.pick(state, said)
    assert sentence in str(refused.value)


def test_nothing_can_be_chosen_while_dice_are_due() -> None:
    game = load_game("rogue")
    with pytest.raises(IllegalEvent, match="There is nothing to choose now"):
        game.pick(game.start(2), "bank")


@pytest.mark.parametrize(
    "said, choice",
    [
        ("take", "take"),
        ("take black black green", "take black,black,green"),
        ("t black", "take black"),
    ],
)
def test_dice_not_rolled_yet_are_taken_by_name(said: str, choice: str) -> None:
    game = load_game("go500")
    assert game.event_text(game.pick(game.start(1), said)) == choice


def test_the_number_of_players_is_checked() -> None:
    with pytest.raises(HotDiceError, match="Cockroach is for 2 to 6 players, not for 7"):
        load_game("cockroach").start(7)


@pytest.mark.parametrize("typed", ["1 2 3 4 5 6", "123456", "white 12345 red 6", "1,2,3,4,5,r6"])
def test_typed_dice_are_read_by_position_or_name(typed: str) -> None:
    game = load_game("peruke")
    roll = game.read_roll(game.start(1), typed)
    assert game.event_text(roll) == "1,2,3,4,5,r6"


def test_typed_penalty_dice_need_no_name() -> None:
    game = load_game("go500")
    state = game.read_state("card=- rerolls=0 out=off phase=red total=20 rolls=1")
    for typed in ("-25", "red -25", "red:-25"):
        assert game.event_text(game.read_roll(state, typed)) == "red:-25"
    with pytest.raises(UnreadableText):
        game.read_roll(state, "black 5")


@pytest.mark.parametrize("slug", game_names())
def test_a_hundred_words_are_parsed_quickly(slug: str) -> None:
    """Matching is exponential without memoising failures."""
    game = load_game(slug)
    for face in game.faces.values():
        for word in (face.token, face.label):
            with pytest.raises(HotDiceError):
                game.read_dice(" ".join([word] * 99 + ["x"]))
