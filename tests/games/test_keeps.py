"""The keeps of a roll, whatever the state."""

import pytest

from hotdice import IllegalEvent, load_game


def keeps(slug: str, dice: str, options: str = "") -> list[tuple[str, int, int, str]]:
    game = load_game(slug, options)
    return [
        (game.dice_text(keep.dice), keep.points, keep.left, keep.words)
        for keep in game.keeps(game.read_dice(dice))
    ]


def test_keeps_of_peruke_one() -> None:
    assert keeps("peruke", "1 3 r2") == [
        ("1,3,r2", 6, 0, "1 and red 2 + 3 = 5"),
        ("1,3,r2", 6, 0, "red 2 + 1 = 3 and 3"),
        ("3,r2", 5, 1, "3 and red 2"),
        ("3,r2", 5, 1, "red 2 + 3 = 5"),
        ("13", 4, 1, "1 and 3"),
        ("3", 3, 2, "3"),
        ("1,r2", 3, 1, "1 and red 2"),
        ("1,r2", 3, 1, "red 2 + 1 = 3"),
        ("r2", 2, 2, "red 2"),
        ("1", 1, 2, "1"),
    ]


def test_in_peruke_one_equal_values_flip_and_take_one_disc() -> None:
    found = {dice: points for dice, points, _, _ in keeps("peruke", "5 5 r6")}
    assert found["55"] == 10
    assert "5,5,r6" not in found


def test_keeps_of_peruke_one_with_other_numbers_of_uses() -> None:
    assert [row[0] for row in keeps("peruke", "3 3 3 r6", "uses=1")] == ["r6", "3"]
    three = keeps("peruke", "3 3 3 r6", "uses=3 red_combines=off")
    assert "333" not in [row[0] for row in three], "the third 3 finds its disc taken"
    assert ("3,3,r6", 12, 1, "3, 3 and red 6") in three


def test_keeps_of_go_500() -> None:
    assert keeps("go500", "black 10 25 green flat flag green") == [
        ("black:10,black:25,green:flat", 35, 0, "stop"),
        ("black:25", 25, 1, "lock"),
        ("black:10", 10, 1, "lock"),
    ]
    assert keeps("go500", "black 5 5 20") == [
        ("black:5,black:5,black:20", 30, 0, "stop"),
        ("black:5,black:20", 25, 1, "lock"),
        ("black:20", 20, 2, "lock"),
        ("black:5,black:5", 10, 1, "lock"),
        ("black:5", 5, 2, "lock"),
    ]
    assert keeps("go500", "black 25 flag red") == [("black:25", 25, 0, "red flag")]
    assert keeps("go500", "black 25 flag black") == [("black:25", 0, 0, "black flag")]
    six = "black 25 25 25 25 25 green 50 flag black"
    assert [row[1:] for row in keeps("go500", six, "all_circled=200")] == [(200, 0, "all circled")]


def test_keeps_of_cockroach() -> None:
    assert keeps("cockroach", "1 2 2 6 3") == [
        ("123", 3, 1, "1-2-3"),
        ("1223", 3, 0, "1-2-3"),
        ("12", 2, 2, "1-2"),
        ("122", 2, 1, "1-2"),
    ]


@pytest.mark.parametrize(
    "slug, dice, clause",
    [
        ("farkle", (), "F2"),
        ("farkle", (1,) * 7, "F2"),
        ("farkle", (0,), "F2"),
        ("farkle", (7,), "F2"),
        ("rogue", (), "R2"),
        ("rogue", (2,) * 7, "R2"),
        ("rogue", (0,), "R2"),
        ("rogue", (7,), "R2"),
        ("cockroach", (), "C2"),
        ("cockroach", (1,) * 6, "C2"),
        ("cockroach", (0,), "C2"),
        ("cockroach", (7,), "C2"),
        ("peruke", (), "P2"),
        ("peruke", (1, 1, 1, 1, 1, 1, 11), "P2"),
        ("peruke", (1, 2), "P2"),
        ("peruke", (11, 12), "P2"),
        ("peruke", (0, 11), "P2"),
        ("peruke", (17,), "P2"),
        ("peruke", (7, 11), "P2"),
        ("go500", (0,) * 6 + (64,), "G4"),
        ("go500", (32, 33, 64), "G4"),
        ("go500", (64, 65), "G5"),
        ("go500", (96, 64), "G5"),
        ("go500", (999, 64), "G5"),
    ],
)
def test_dice_that_cannot_be_rolled_together_are_refused(
    slug: str, dice: tuple[int, ...], clause: str
) -> None:
    with pytest.raises(IllegalEvent) as refused:
        load_game(slug).keeps(dice)
    assert refused.value.clause == clause


@pytest.mark.parametrize(
    "slug, dice",
    [("farkle", (1,)), ("farkle", (6,) * 6), ("rogue", (1,)), ("rogue", (6,) * 6),
     ("cockroach", (1,)), ("cockroach", (6,) * 5), ("peruke", (11,)), ("peruke", (16,)),
     ("peruke", (1, 6, 6, 6, 6, 11)), ("go500", (0,) * 5 + (32, 64))],
)  # fmt: skip
def test_extreme_but_possible_dice_are_accepted(slug: str, dice: tuple[int, ...]) -> None:
    load_game(slug).keeps(dice)
