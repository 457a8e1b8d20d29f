"""The course of a game, turn by turn."""

from __future__ import annotations

from hotdice.core.due import Over, ToRoll
from hotdice.core.events import Roll
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


def test_another_game_of_a_series_is_no_loss() -> None:
    """Each game of Peruke One begins with 21 points less."""
    game = load_game("peruke", "games=2")
    state, steps = game.start(1), []
    while not isinstance(due := game.due(state), Over):
        # The dice show 6, 5, 4 and so on, and what can be used is used.
        faces = (
            [die.sides[-1 - at] for at, die in enumerate(due.dice)]
            if isinstance(due, ToRoll)
            else []
        )
        event = Roll(tuple(faces)) if faces else game.choices(state)[0]
        after = game.apply(state, event)
        steps.append(Step(state, event, after))
        state = after
    first = -18, -13, -6, 3, 14, 20  # a Peruke One
    second = 2, 7, 14, 23, 34, 40
    assert story_of(game, steps, steps[0].before) == Story(
        tuple((score,) for score in first + second), Feat(0, 11), None
    )
