"""What the browser is told about new entries."""

from __future__ import annotations

import json
from typing import Any

import orjson

from hotdice.core.due import seat_of
from hotdice.core.registry import game_type, load_game
from hotdice.server.showing import show_advice, show_news, show_view
from hotdice.solve.coach import Advice, Counsel
from hotdice.table.commands import Choose, Command, RollDice, Undo
from hotdice.table.log import Next, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat


def told(game: str, options: str, *steps: str) -> list[dict[str, Any]]:
    """The entries of the last of these rolls and choices, as the browser gets them."""
    *before, last = steps
    _, news = show_news(_stepped(played(game, options, *before), last))
    entries: list[dict[str, Any]] = json.loads(news)["entries"]
    return entries


def played(game: str, options: str, *steps: str) -> Table:
    """A table after these rolls and choices."""
    seats = (Seat("Ann"), Seat("Ben"))[: game_type(game).max_players]
    table = Table.of(Setup(game, options, seats, dice="typed").checked())
    for step in steps:
        table = _stepped(table, step).table
    return table


def _stepped(table: Table, step: str) -> Next:
    seat, rolls = seat_of(table.due), not step.startswith(tuple(table.game.verbs))
    command: Command = (RollDice if rolls else Choose)(seat, step, table.seq)
    return command.on(table, 0.0)


def faces(entry: dict[str, Any]) -> list[str]:
    return [die["token"] for die in entry["rolled"]]


def test_dice_that_still_lie_there_are_not_sent_twice() -> None:
    [entry] = told("farkle", "starts=seat", "111234")
    assert (faces(entry), entry["ends_turn"]) == ([], False)


def test_the_dice_of_a_roll_that_ended_the_turn_are_sent() -> None:
    [entry] = told("farkle", "starts=seat", "223346")
    assert (faces(entry), entry["ends_turn"], entry["lost"]) == (list("223346"), True, True)


def test_the_roll_that_decides_who_starts_is_told_apart() -> None:
    rolls = ["3", "4", "223346"]
    starts = [told("farkle", "", *rolls[: at + 1])[0]["starts"] for at in range(3)]
    assert starts == [False, True, False]
    assert not told("farkle", "starts=seat", "223346")[0]["starts"]


def test_dice_that_leave_nothing_to_choose_are_sent_too() -> None:
    """Under a red flag without rerolls the red die is due at once."""
    roll = ["black:25", "black:20", "flag:red"]
    [entry] = told("go500", "course=streets rerolls=0", "take black,black", ",".join(roll))
    assert faces(entry) == ["black:20", "black:25", "flag:red"]
    assert (entry["ends_turn"], entry["lost"]) == (False, False)


def test_hot_dice_are_seen_until_they_are_thrown() -> None:
    """No state knows them; whoever opens the table then sees them as the others do."""
    for steps in HOT:
        [*_, entry] = told("farkle", "starts=seat", *steps)
        whole = show_view(played("farkle", "starts=seat", *steps))
        assert entry["view"] == json.loads(orjson.dumps(whole))
    shown = [show_view(played("farkle", "starts=seat", *steps)) for steps in HOT]
    assert [[(die.token, die.place) for die in view.dice] for view in shown] == [
        [(face, "kept") for face in "151115"],
        [(face, "tray") for face in "112346"],
        [],
    ]


def test_hot_dice_are_seen_again_when_their_roll_is_taken_back() -> None:
    table = played("farkle", "starts=seat", *HOT[1])
    _, news = show_news(Undo(0, table.seq).on(table, 0.0))
    [entry] = json.loads(news)["entries"]
    assert [die["token"] for die in entry["view"]["dice"]] == list("151115")


HOT = (
    ("111235", "keep 1115 roll", "15", "keep 15 roll"),
    ("111235", "keep 1115 roll", "15", "keep 15 roll", "112346"),
    ("111235", "keep 1115 roll", "15", "keep 15 bank"),
)
PASSED = tuple(
    step for whites in range(5, 0, -1) for step in (",".join(["1"] * whites + ["r6"]), "pass")
)
"""Five rounds of Peruke One in which nothing is used."""


def test_a_game_of_a_series_is_seen_as_it_ended() -> None:
    [entry] = told("peruke", "games=2", *PASSED, "r6", "use r6")
    ended = entry["ended"]
    assert [disc["status"] for disc in ended["discs"]] == ["safe"] * 5 + ["vulnerable"]
    assert (ended["gauge"]["value"], ended["prompt"]) == (-15, "Game 1 ends with \u221215.")
    assert ended["choices"] == []
    assert {disc["status"] for disc in entry["view"]["discs"]} == {"safe"}


def test_the_end_of_the_series_and_a_choice_before_it_show_themselves() -> None:
    [last] = told("peruke", "games=1", *PASSED, "r6", "use r6")
    [use] = told("peruke", "games=2", "1,2,3,4,5,r6", "use r6")
    assert (last["ended"], use["ended"]) == (None, None)


def test_the_prompt_counts_the_uses_that_are_left() -> None:
    def prompt(*steps: str) -> str:
        return str(told("peruke", "", "1,2,3,4,5,r6", *steps)[0]["view"]["prompt"])

    assert prompt() == "Use one value at a time on its disc, up to two."
    assert prompt("use r6") == "One more use is left in this round."


def test_choices_call_the_others_by_their_names() -> None:
    both_bank = ("111234", "keep 111 bank") * 2
    *_, entry = told("farkle", "starts=seat entry=0", *both_bank)
    words = [choice["words"] for choice in entry["view"]["choices"]]
    assert words == ["Take Ben's 100 and roll three dice", "Start fresh"]


def test_the_coach_calls_the_others_by_their_names() -> None:
    game = load_game("farkle")
    state = game.read_state("scores=100,100 seat=0 phase=offer total=100 kept=111")
    choices = game.choices(state)
    best = Counsel(choices[0], game.meaning(state, choices[0]), 1.0, 0.0, (), "")
    why = "It gives up 1; better: take Seat 2's 100 and roll three dice."
    other = Counsel(choices[1], game.meaning(state, choices[1]), 0.0, 1.0, (), why)
    advice = Advice("points", True, "", (best, other))
    long = "Bartholomew who has the longest of names"
    for names, whose in (
        (("Ann", "Ben"), "Ben's"),
        (("Ann", long), "Bartholomew…'s"),
        ((), "Seat 2's"),
    ):
        first, second = show_advice(game, 0, advice, names).counsels
        assert first.words == f"Take {whose} 100 and roll three dice"
        assert second.words == "Start fresh"
        assert second.why == f"It gives up 1; better: take {whose} 100 and roll three dice."
