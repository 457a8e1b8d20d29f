"""Why a die cannot be taken: told by the rules, and true."""

from __future__ import annotations

import pytest

from hotdice.core.registry import game_type
from hotdice.core.view import View

CALL = "card=-/- rerolls=2,2 out=off,off phase=call blacks=2 greens=1"


def shown(slug: str, options: str, state: str) -> View:
    game = game_type(slug).with_options(options)
    return game.view(game.read_state(state))


def reasons(slug: str, options: str, state: str) -> dict[str, str]:
    view = shown(slug, options, state)
    tokens = {die.code: die.token for die in view.dice}
    return {tokens[one.code]: one.reason for one in view.unused}


@pytest.mark.parametrize(
    ("slug", "state", "expected"),
    [
        (
            "farkle",
            "scores=0,0 phase=choose tray=155344",
            {"3": "The 3 doesn't score on this roll.", "4": "The 4 doesn't score on this roll."},
        ),
        (
            "rogue",
            "scores=0,0 phase=choose tray=c23466",
            {
                n: f"There is only one {n}: a group needs two or more of a face."
                for n in ("2", "3", "4")
            },
        ),
        (
            "peruke",
            "discs=2,1,0,0,0,2 round=4 phase=use tray=1,5,r6",
            {"1": "Disc 1 is taken already.", "r6": "Disc 6 is taken already."},
        ),
        (
            "go500",
            f"{CALL} tray=black:5,black:20,green:flat,flag:red",
            dict.fromkeys(
                ("black:5", "black:20", "green:flat", "flag:red"),
                "Under a red flag no dice can be locked.",
            ),
        ),
        (
            "go500",
            f"{CALL} tray=black:5,black:20,green:flat,flag:green",
            {
                "green:flat": "A flat tyre can't be locked.",
                "flag:green": "The flag can't be locked.",
            },
        ),
        ("cockroach", "scores=0,0 phase=choose play=12344", {}),
    ],
)
def test_the_rules_say_why_no_choice_takes_a_die(
    slug: str, state: str, expected: dict[str, str]
) -> None:
    options = {"farkle": "starts=seat", "cockroach": "starts=seat", "go500": "course=streets"}
    assert reasons(slug, options.get(slug, ""), state) == expected


def test_nothing_is_unused_while_no_choice_is_due() -> None:
    view = shown("go500", "course=streets", "card=-/- rerolls=2,2 out=off,off phase=roll blacks=2")
    assert (view.unused, view.taking) == ((), "")


def test_the_rules_say_how_dice_are_taken_together() -> None:
    use = "discs=0,0,0,0,0,0 phase=use tray=1,2,3,4,5,r6"
    assert shown("peruke", "", use).taking == (
        "Use one value at a time; only red and one white die may be added together, up to 6."
    )
    assert shown("peruke", "red_combines=off", use).taking == "Use one value at a time."
    rogue = shown("rogue", "", "scores=0,0 phase=choose tray=c23466")
    assert rogue.taking == "A group needs two or more of a face."
