"""Counting dice, and how often fair dice would be as uneven."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import pytest

from hotdice import load_game
from hotdice.analysis.fairness import (
    Fit,
    Roller,
    Throw,
    Verdict,
    added,
    count,
    fit,
    judge,
    odds,
    tail,
    together,
    usual,
    words,
)
from hotdice.core.dice import Die, Face, numbered_die
from hotdice.core.due import ToRoll
from hotdice.core.events import Roll
from tests.analysis.games import played

ANN, BOT = Roller("Ann", bot=False), Roller("Greta", bot=True)
DIE = numbered_die("die", "white")
RED = numbered_die("red", "red", base=10, prefix="r")
COIN = numbered_die("coin", "white", sides=2)
FLAG = Die("flag", "grey", (Face(1, "g", "g", weight=3), Face(2, "y", "y"), Face(3, "r", "r")))


def rolled(die: Die, times: int, seed: str) -> Counter[int]:
    rng = Random(seed)
    return Counter(rng.choice(die.sides) for _ in range(times))


def test_dice_of_one_kind_count_together() -> None:
    throws = [
        Throw(ANN, (DIE, DIE, RED), (1, 1, 13)),
        Throw(BOT, (DIE,), (6,)),
        Throw(ANN, (DIE, DIE), (1, 5)),
    ]
    assert count(throws) == {
        DIE: {ANN: {1: 3, 5: 1}, BOT: {6: 1}},
        RED: {ANN: {13: 1}},
    }
    assert added(count(throws)[DIE].values()) == {1: 3, 5: 1, 6: 1}


@pytest.mark.parametrize("slug, players", [("farkle", 2), ("peruke", 1), ("go500", 2)])
def test_every_die_of_a_game_is_counted_as_what_it_is(slug: str, players: int) -> None:
    record = played(slug, "", ("random",) * players, "counted", most=150)
    throws = [
        Throw(ANN, due.dice, step.event.faces)
        for step in record.steps()
        if isinstance(due := load_game(slug).due(step.before), ToRoll)
        and isinstance(step.event, Roll)
    ]
    thrown = Counter(die for throw in throws for die in throw.dice)
    found = count(throws)
    assert {die: sum(by[ANN].values()) for die, by in found.items()} == thrown
    assert all(set(by[ANN]) <= set(die.sides) for die, by in found.items())


@pytest.mark.parametrize(
    "chi_square, freedom, chance",
    [
        (3.841459, 1, 0.05),  # the critical values in any table of the distribution
        (5.991465, 2, 0.05),
        (11.070498, 5, 0.05),
        (15.086272, 5, 0.01),
        (20.515006, 5, 0.001),
        (18.307038, 10, 0.05),
        (124.342113, 100, 0.05),
        (149.449253, 100, 0.001),
        (0.554298, 5, 0.99),
    ],
)
def test_chances_agree_with_printed_tables(chi_square: float, freedom: int, chance: float) -> None:
    assert tail(chi_square, freedom) == pytest.approx(chance, rel=1e-5)


def test_chances_agree_with_the_density() -> None:
    """A plain sum over the density of chi-square with five degrees of freedom."""
    step, total = 0.001, 0.0
    density = [x**1.5 * 2.718281828459045 ** (-x / 2) for x in (i * step for i in range(80_000))]
    whole = sum(density)
    for at in range(80_000 - 1, -1, -1):
        total += density[at]
        if at % 8_000 == 0 and at:
            assert tail(at * step, 5) == pytest.approx(total / whole, abs=1e-4)
    assert tail(0.0, 5) == 1.0
    assert tail(1e6, 5) == 0.0


def test_exact_small_cases() -> None:
    even = fit(COIN, {1: 10, 2: 10})
    assert even == Fit(20, 10, 0.0, 1, 1.0)
    # 15 and 5 of 20, expected 10 each: 25/10 + 25/10
    assert fit(COIN, {1: 15, 2: 5}).chi_square == 5.0
    # A face that three of five sides show is expected in three of five throws.
    assert fit(FLAG, {1: 30, 2: 10, 3: 20}).chi_square == pytest.approx(36 / 36 + 4 / 12 + 64 / 12)
    assert [one.expected for one in usual(FLAG, 60).values()] == [36.0, 12.0, 12.0]


def test_the_chance_is_close_to_that_of_trying_every_sequence() -> None:
    """Twelve throws of a coin, all 4,096 of them, in fractions."""
    sequences = [fit(COIN, Counter(c)).chi_square for c in product((1, 2), repeat=12)]
    for ones in range(7):
        counts = {1: ones, 2: 12 - ones}
        seen = fit(COIN, counts)
        as_uneven = sum(one >= seen.chi_square for one in sequences)
        exact = Fraction(as_uneven, len(sequences))
        # The exact chances jump; the continuous one lies between neighbours, or very nearly so.
        more = sum(one > seen.chi_square for one in sequences)
        assert seen.p is not None
        assert Fraction(more, len(sequences)) - 0.001 <= seen.p <= exact + 0.001


def test_too_few_dice_get_no_chance() -> None:
    few = fit(DIE, rolled(DIE, 29, "few"))
    assert (few.p, few.least) == (None, 30)
    assert judge(few) is Verdict.TOO_FEW
    assert words(few) == "29 dice so far, too few to tell; it takes at least 30."
    assert fit(DIE, rolled(DIE, 30, "few")).p is not None
    none = fit(DIE, {})
    assert (none.thrown, none.p) == (0, None)
    assert words(together([few, none])) == "29 dice so far, too few of every kind to tell."


def test_a_loaded_die_is_noticed() -> None:
    rng = Random("loaded")
    loaded = Counter(rng.choices(range(1, 7), (1, 1, 1, 1, 1, 1.5), k=2000))
    found = fit(DIE, loaded)
    assert judge(found, looks=20) is Verdict.VERY_UNUSUAL
    said = words(found, 20)
    assert said.startswith("2,000 dice: in fewer than 1 of 1,000,000 sets of fair dice")
    assert said.endswith("That is very unusual, even among 20 comparisons.")
    assert words(found).endswith("That is very unusual.")


def test_fair_dice_are_not_accused() -> None:
    """Of 400 seeded fair dice about 1 in 20 looks unlikely, and with the correction none."""
    fits = [fit(DIE, rolled(DIE, 60, f"fair {n}")) for n in range(400)]
    unlikely = sum(one.p is not None and one.p < 0.05 for one in fits)
    assert 10 <= unlikely <= 32
    assert {judge(one, looks=400) for one in fits} == {Verdict.USUAL}
    combined = [together(fits[at : at + 4]) for at in range(0, 400, 4)]
    assert 1 <= sum(one.p is not None and one.p < 0.05 for one in combined) <= 12


def test_rolls_of_games_are_judged_like_any_others() -> None:
    """How many dice are rolled depends on the dice before; that makes no difference."""
    chances = []
    for n in range(30):
        record = played("cockroach", "", ("random", "greedy"), f"game {n}", most=100)
        throws = [
            Throw(ANN, due.dice, step.event.faces)
            for step in record.steps()
            if isinstance(due := record.game.due(step.before), ToRoll)
            and isinstance(step.event, Roll)
        ]
        chances += [fit(die, by[ANN]).p for die, by in count(throws).items()]
    known = sorted(one for one in chances if one is not None)
    assert len(known) > 20
    assert 0.3 < sum(known) / len(known) < 0.7


def test_kinds_add_up() -> None:
    fits = [fit(die, rolled(die, 90, die.name)) for die in (DIE, RED, COIN)]
    whole = together([*fits, fit(FLAG, {1: 2})])
    assert whole.thrown == 270
    assert whole.freedom == 5 + 5 + 1
    assert whole.chi_square == pytest.approx(sum(one.chi_square for one in fits))
    assert whole.p == tail(whole.chi_square, 11)


def test_many_looks_take_more_to_be_unusual() -> None:
    one = Fit(100, 30, 0.0, 5, 0.03)
    start = "100 dice: in 3 of 100 sets of fair dice the counts would be this uneven or more so"
    assert words(one) == f"{start}. That is unusual."
    assert words(one, 2) == f"{start}. Among 2 comparisons that is nothing unusual."
    assert words(one._replace(p=0.4), 2) == (
        "100 dice: in 40 of 100 sets of fair dice the counts would be this uneven or more so,"
        " nothing unusual."
    )
    assert judge(one._replace(p=0.0004), 2) is Verdict.VERY_UNUSUAL
    assert judge(one._replace(p=0.0006), 2) is Verdict.UNUSUAL


def test_odds_are_numbers_of_cases() -> None:
    chances = (1.0, 0.994, 0.3, 0.0123, 0.0042, 0.00016, 0.000002, 1e-9)
    assert [odds(one) for one in chances] == [
        "more than 99 of 100",
        "99 of 100",
        "30 of 100",
        "1 of 100",
        "4 of 1,000",
        "2 of 10,000",
        "2 of 1,000,000",
        "fewer than 1 of 1,000,000",
    ]


def test_nineteen_of_twenty_counts_lie_in_the_usual_range() -> None:
    """By the exact chances of every count of sixes in 300 throws."""
    _, low, high = usual(DIE, 300)[6]
    chances = [Fraction(comb(300, n) * 5 ** (300 - n), 6**300) for n in range(301)]
    assert sum(chances) == 1
    inside = sum(chance for n, chance in enumerate(chances) if low <= n <= high)
    assert 0.94 < inside < 0.96


def test_what_the_page_says_about_600_dice() -> None:
    """A face that comes up a quarter too often is noticed about half of the time."""
    rng, faces = Random("power"), range(1, 7)
    often = 1.25 / 6
    weights = [(1 - often) / 5] * 5 + [often]
    sets = [fit(DIE, Counter(rng.choices(faces, weights, k=600))) for _ in range(400)]
    assert 0.45 < sum(one.p is not None and one.p < 0.05 for one in sets) / 400 < 0.6
