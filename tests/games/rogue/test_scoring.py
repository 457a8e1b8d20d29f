"""Every roll of Rogue against a scorer that knows only the printed chart."""

from functools import cache
from itertools import combinations, product

import pytest

from hotdice.games.rogue import Rogue, RogueOptions

CHART = {
    "22": 4, "33": 6, "44": 8, "55": 10, "66": 12, "cc": 15,
    "222": 20, "333": 30, "444": 40, "555": 50, "666": 60, "ccc": 75,
    "2222": 100, "3333": 150, "4444": 200, "5555": 250, "6666": 300, "cccc": 350,
    "22222": 500, "33333": 600, "44444": 700, "55555": 800, "66666": 900, "ccccc": 1000,
    "222222": 1300, "333333": 1300, "444444": 1300, "555555": 1300, "666666": 1300,
    "cccccc": 1500,
}  # fmt: skip
FACES = "?c23456"


@cache
def brute_keeps(roll: str) -> dict[str, int]:
    """Try every subset of the dice: group equal faces and look each group up."""
    if len(roll) == 1:
        return {"c": 0} if roll == "c" else {}
    found = {}
    for size in range(1, len(roll) + 1):
        for kept in set(map("".join, combinations(roll, size))):
            rogue = roll.count("c") == 1 and "c" in kept
            groups = [kept.count(face) * face for face in sorted(set(kept))]
            if rogue:
                groups.remove("c")
            if sorted(kept) == sorted("c23456"):
                found[kept] = 250
            elif groups and all(group in CHART for group in groups):
                found[kept] = sum(CHART[group] for group in groups) * (2 if rogue else 1)
            elif rogue and not groups:
                found[kept] = 0
    return found


@pytest.mark.parametrize("count", range(1, 7))
def test_all_rolls(count: int) -> None:
    game = Rogue()
    for roll in product(range(1, 7), repeat=count):
        ordered = "".join(FACES[face] for face in sorted(roll))
        keeps = {
            "".join(FACES[face] for face in keep.dice): keep.points for keep in game.keeps(roll)
        }
        assert keeps == brute_keeps(ordered)


def test_chart_follows_changed_options() -> None:
    game = Rogue(RogueOptions(pairs=(1, 2, 3, 4, 5, 6), run=9, six_numbers=7, six_critters=8))
    assert [game.keeps((face, face))[0].points for face in (2, 3, 4, 5, 6, 1)] == [1, 2, 3, 4, 5, 6]
    assert game.keeps((1, 2, 3, 4, 5, 6))[0].points == 9
    for face, points in ((3, 7), (1, 8)):
        whole = (face,) * 6
        assert {keep.dice: keep.points for keep in game.keeps(whole)}[whole] == points
