"""Every roll of Farkle against a scorer that knows only the printed chart."""

from functools import cache
from itertools import combinations, product

import pytest

from hotdice.games.farkle import Farkle, FarkleOptions

CHART: dict[tuple[int, ...], int] = {
    (1,): 10,
    (5,): 5,
    (1, 1, 1): 100,
    (1, 1, 1, 1): 200,
    (1, 1, 1, 1, 1): 400,
    (1, 1, 1, 1, 1, 1): 800,
    (1, 2, 3, 4, 5, 6): 100,
    **{(n,) * 3: n * 10 for n in range(2, 7)},
    **{(n,) * 4: n * 20 for n in range(2, 7)},
    **{(n,) * 5: n * 40 for n in range(2, 7)},
    **{(n,) * 6: n * 80 for n in range(2, 7)},
    **{(a, a, b, b, c, c): 100 for a, b, c in combinations(range(1, 7), 3)},
}
FOUR_AND_PAIR = {
    tuple(sorted((a,) * 4 + (b,) * 2)): 100 for a in range(1, 7) for b in range(1, 7) if a != b
}


@cache
def brute_worth(dice: tuple[int, ...], four_and_pair: bool) -> int | None:
    """The best way to split the dice into rows of the chart, by trying them all."""
    if not dice:
        return 0
    chart = {**FOUR_AND_PAIR, **CHART} if four_and_pair else CHART
    best = None
    for size in range(1, len(dice) + 1):
        for rest in combinations(range(1, len(dice)), size - 1):
            piece = (dice[0], *(dice[i] for i in rest))
            if piece not in chart:
                continue
            others = tuple(d for i, d in enumerate(dice) if i and i not in rest)
            worth = brute_worth(others, four_and_pair)
            if worth is not None and (best is None or chart[piece] + worth > best):
                best = chart[piece] + worth
    return best


@cache
def brute_keeps(roll: tuple[int, ...], four_and_pair: bool) -> dict[tuple[int, ...], int]:
    return {
        dice: worth
        for size in range(1, len(roll) + 1)
        for dice in combinations(roll, size)
        if (worth := brute_worth(dice, four_and_pair)) is not None
    }


@pytest.mark.parametrize("four_and_pair", [False, True])
@pytest.mark.parametrize("count", range(1, 7))
def test_all_rolls(count: int, four_and_pair: bool) -> None:
    game = Farkle(FarkleOptions(four_and_pair=four_and_pair))
    seen = 0
    for roll in product(range(1, 7), repeat=count):
        keeps = game.keeps(roll)
        expected = brute_keeps(tuple(sorted(roll)), four_and_pair)
        assert {keep.dice: keep.points for keep in keeps} == expected
        seen += 1
    assert seen == 6**count


def test_keeps_come_best_first_with_what_is_left() -> None:
    keeps = Farkle().keeps((1, 1, 1, 5, 2, 3))
    assert [(k.dice, k.points, k.left) for k in keeps[:4]] == [
        ((1, 1, 1, 5), 105, 2),
        ((1, 1, 1), 100, 3),
        ((1, 1, 5), 25, 3),
        ((1, 1), 20, 4),
    ]
    points = [keep.points for keep in keeps]
    assert points == sorted(points, reverse=True)


def test_worth_follows_changed_options() -> None:
    """With flat multiples, splitting four 1s or six 2s scores more."""
    game = Farkle(FarkleOptions(four_times=1, five_times=1, six_times=1, three_pairs=7, straight=3))
    worth = {dice: game.keeps(dice)[0] for dice in [(1,) * 4, (2,) * 6, (1,) * 6, (2,) * 4]}
    assert worth[1, 1, 1, 1].points == 110
    assert worth[1, 1, 1, 1].words == "three 1s and a 1"
    assert worth[(2,) * 6].points == 40
    assert worth[(1,) * 6].points == 200
    assert worth[2, 2, 2, 2].points == 20
    assert game.keeps((2, 2, 3, 3, 4, 4))[0].points == 7
    straight = game.keeps((1, 2, 3, 4, 5, 6))
    assert {k.dice: k.points for k in straight}[1, 2, 3, 4, 5, 6] == 3
