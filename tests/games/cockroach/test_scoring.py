"""Every roll of Cockroach under all eight rule sets against a brute-force scorer."""

from functools import cache
from itertools import product

import pytest

from hotdice.games.cockroach import Cockroach, CockroachOptions, CockroachState


@cache
def brute_points(dice: tuple[int, ...], *, any_start: bool, duplicates: bool) -> int:
    """Try every way to pick one die for each number of every sequence."""
    best = 0
    for low in range(1, 6) if any_start else (1,):
        for high in range(low + 1, 6):
            places = [[i for i, die in enumerate(dice) if die == n] for n in range(low, high + 1)]
            ways = list(product(*places))
            counted = len(ways) if duplicates else min(1, len(ways))
            best = max(best, counted * (high - low + 1))
    return best


@pytest.mark.parametrize("extra_die", [False, True])
@pytest.mark.parametrize("duplicates", [False, True])
@pytest.mark.parametrize("any_start", [False, True])
def test_all_rolls(any_start: bool, duplicates: bool, extra_die: bool) -> None:
    options = CockroachOptions(any_start=any_start, duplicates=duplicates, extra_die=extra_die)
    game = Cockroach(options)
    for roll in product(range(1, 7), repeat=5):
        live = tuple(sorted(die for die in roll if die != 6))
        all_of_it = brute_points(live, any_start=any_start, duplicates=duplicates)
        assert game.points(live) == all_of_it
        keeps = game.keeps(roll)
        stays = len(live) - (5 - len(live) if extra_die else 0)
        assert all(len(keep.dice) + keep.left == stays for keep in keeps)
        best = max((keep.points for keep in keeps), default=0)
        whole = stays == len(live)
        assert best == all_of_it if whole else best <= all_of_it
        for keep in keeps:
            points = brute_points(keep.dice, any_start=any_start, duplicates=duplicates)
            assert keep.points == points


@pytest.mark.parametrize(
    "any_start, dice, filled, scoring",
    [
        (False, (1, 3, 5), [1, 3, 5], []),
        (False, (1, 2, 4), [1, 2, 4], [1, 2]),
        (False, (2, 3, 4), [2, 3, 4], []),
        (True, (2, 3, 4), [2, 3, 4], [2, 3, 4]),
    ],
)
def test_the_pattern_tells_what_scores_from_what_only_fits(
    any_start: bool, dice: tuple[int, ...], filled: list[int], scoring: list[int]
) -> None:
    game = Cockroach(CockroachOptions(any_start=any_start))
    dead = (6,) * (5 - len(dice))
    pattern = game.show(CockroachState((0, 0), phase="choose", play=dice, dead=dead)).pattern
    assert [one.die.code for one in pattern if one.filled] == filled
    assert [one.die.code for one in pattern if one.scores] == scoring


@pytest.mark.parametrize(
    "shortest, points", [(1, [1, 2, 3]), (2, [0, 2, 3]), (3, [0, 0, 3]), (5, [0, 0, 0])]
)
def test_shortest_sequence(shortest: int, points: list[int]) -> None:
    game = Cockroach(CockroachOptions(shortest=shortest))
    assert [game.points(dice) for dice in [(1, 3), (1, 2, 4), (1, 2, 3)]] == points
