import pytest

from hotdice import HotDiceError, UnreadableText, load_game


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "The state lacks scores."),
        ("scores", "'scores' in the state is not of the form name=value."),
        ("scores=1,2 pot=5", "A state has no 'pot'; its fields are scores, seat, phase"),
        ("scores=1,2 scores=1,2", "'scores' is given twice in the state."),
        ("scores=1,x", "'1,x' cannot be the scores of a state."),
        ("scores=1,01", "'1,01' cannot be the scores of a state."),
        ("scores=200,200 seat=two", "'two' cannot be the seat of a state."),
        ("scores=200,200 seat=9999999999", "'9999999999' cannot be the seat of a state."),
        ("scores=200,200 phase=party", "'party' cannot be the phase of a state."),
        ("scores=200,200 tray=179", "'179' cannot be the tray of a state."),
    ],
)
def test_unreadable_states_are_refused(text: str, sentence: str) -> None:
    with pytest.raises(UnreadableText) as refused:
        load_game("farkle").read_state(text)
    assert sentence in str(refused.value)


def test_words_and_dice_may_come_in_any_order() -> None:
    game = load_game("farkle", "starts=seat")
    told = "tray=543211 phase=choose scores=200,200"
    assert game.state_text(game.read_state(told)) == "scores=200,200 phase=choose tray=112345"


def test_rows_and_switches_round_trip() -> None:
    game = load_game("go500")
    text = "card=10,-5/7 rerolls=0,2 out=on,off segment=1 seat=1"
    assert game.state_text(game.read_state(text)) == text
    with pytest.raises(HotDiceError):
        game.read_state("card=- rerolls=2 out=maybe")
