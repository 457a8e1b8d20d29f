"""The course of a game, turn by turn."""

from __future__ import annotations

from hotdice.core.record import Step
from hotdice.core.registry import load_game
from hotdice.table.summary import Feat, Story, Turn, story_of, turns_of


def played(options: str, *texts: str) -> list[Step]:
    """The steps of a game of Farkle between two."""
    game = load_game("farkle", options)
    state, steps = game.start(2), []
    for text in texts:
        event = game.read_event(text)
        after = game.apply(state, event)
        steps.append(Step(state, event, after))
        state = after
    return steps


def test_turns_have_gains_losses_and_scores() -> None:
    steps = played(
        "starts=seat entry=0 carry_over=off",
        *("111234", "keep 111 bank"),
        *("222346", "keep 222 roll", "346"),
        *("233466",),
        *("555123", "keep 555 bank"),
    )
    game = load_game("farkle", "starts=seat entry=0 carry_over=off")
    assert list(turns_of(game, steps, steps[0].before)) == [
        Turn(0, 100, 0, (100, 0)),
        Turn(1, 0, 20, (100, 0)),
        Turn(0, 0, 0, (100, 0)),
        Turn(1, 50, 0, (100, 50)),
    ]
    assert story_of(game, steps, steps[0].before) == Story(
        ((100, 0), (100, 0), (100, 0), (100, 50)), Feat(0, 100), Feat(1, 20)
    )


def test_rolls_for_who_starts_are_no_turns() -> None:
    steps = played("entry=0 carry_over=off", "6", "2", "111234", "keep 111 bank")
    game = load_game("farkle", "entry=0 carry_over=off")
    assert [turn.seat for turn in turns_of(game, steps, steps[0].before)] == [0]


def test_a_game_without_a_turn_has_no_feats() -> None:
    game = load_game("farkle", "starts=seat")
    assert story_of(game, [], game.start(2)) == Story((), None, None)
