"""The Go 500 solver against the rules: points by exhaustive search, two racers state by state."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest

from hotdice.core.due import Over
from hotdice.core.game import AnyGame
from hotdice.games.go500 import Go500
from hotdice.solve.solver import Question, Unsolvable
from hotdice.solvers.go500 import Go500Solver
from hotdice.solvers.go500.compiled_file import pack, unpack
from hotdice.solvers.go500.compiling import compile_segment
from tests.solve.explicit import first_seat_wins
from tests.solve.lookahead import best_value

FEW = "name: few; black: 0 (10); green: flat (20); flag: green black; yellow: lights; red: -25 x"
COURSE = "name: short; segment: a = 30; segment: b = none"


def raced(game: AnyGame, state: Any) -> Fraction | None:
    due = game.due(state)
    return Fraction(due.result.scores[0]) if isinstance(due, Over) else None


@pytest.mark.parametrize(
    "limit, dice, state",
    [
        ("none", "house", "phase=roll blacks=2 greens=1"),
        ("45", "house", "phase=roll blacks=2 greens=1 locked=black:25,black:20"),
        ("60", "house", "phase=roll blacks=1 greens=1 locked=black:25,black:25,black:25"),
        ("none", "house", "phase=red total=100 rolls=3"),
        ("none", "house", "phase=red total=100 rolls=1 second=on"),
        ("none", "house", "phase=yellow total=100 rolls=1"),
    ],
)
@pytest.mark.parametrize("rerolls", [0, 2])
def test_the_end_of_a_race_is_what_the_rules_give(
    limit: str, dice: str, state: str, rerolls: int
) -> None:
    options = f"'course=name: one; segment: a = {limit}' dice={dice} rerolls={rerolls}"
    game = Go500.with_options(options)
    here = game.read_state(f"card=- rerolls={rerolls} out=off {state}")
    sheet = Go500Solver(game).sheet(here, "points")
    assert sheet is not None
    exact = best_value(game, here, lambda s: raced(game, s))
    assert sheet.going(here) == pytest.approx(float(exact), abs=1e-9)


def test_two_segments_with_few_faces() -> None:
    """Without the bonus, by which a segment could be raced again and again."""
    game = Go500.with_options(f"'course={COURSE}' 'dice={FEW.replace('(', '').replace(')', '')}'")
    solver = Go500Solver(game)
    exact = best_value(game, game.start(1), lambda s: raced(game, s))
    assert solver.solve(Question("points")).value == pytest.approx(float(exact), abs=1e-9)


@pytest.mark.parametrize("rerolls", [0, 1])
def test_two_racers_are_what_the_rules_give_state_by_state(rerolls: int) -> None:
    game = Go500.with_options(
        f"'course=name: one; segment: a = 30' 'dice={FEW}' rerolls={rerolls} all_circled=70",
    )
    solution = Go500Solver(game).solve(Question("win"))
    assert solution.residual < 1e-9
    same = first_seat_wins(game, same=lambda state: _plain(game, state))
    assert solution.value == pytest.approx(same, abs=1e-6)


def _plain(game: Any, state: Any) -> Any:
    """Cap the bonus: with totals this far apart, further bonus turns hardly matter."""
    return state._replace(bonus=70) if state.bonus > 70 else state


def test_points_of_the_shipped_courses() -> None:
    """Golden values: they may only change with the rules or a course."""
    found = {
        name: round(Go500Solver(Go500.with_options(options)).solve(Question("points")).value, 6)
        for name, options in {
            "oval": "",
            "streets": "course=streets",
            "pass, poor": "course=pass weather=poor",
            "grand": "course=grand",
        }.items()
    }
    assert found == {
        "oval": 602.434268,
        "streets": 418.663245,
        "pass, poor": 354.823884,
        "grand": 698.853388,
    }


def test_more_rerolls_are_worth_more_and_limits_cost() -> None:
    values = [
        Go500Solver(Go500.with_options(f"rerolls={rerolls}")).solve(Question("points")).value
        for rerolls in range(2)
    ]
    assert values == sorted(values)
    rng = random.Random(5)
    limits = sorted(rng.randint(20, 150) for _ in range(2))
    points = [
        Go500Solver(Go500.with_options(f"'course=name: x; segment: a = {limit}'"))
        .solve(Question("points"))
        .value
        for limit in limits
    ]
    assert points == sorted(points)


@pytest.mark.parametrize("segments, value", [(2, 0.470356), (3, 0.480759)])
def test_leaders_may_lose_more_than_is_ever_won(segments: int, value: float) -> None:
    course = "name: x" + "; segment: a = none" * segments
    dice = "name: y; black: 0 1; green: 1 flat; flag: green green red; yellow: lights; red: -50"
    game = Go500.with_options(f"'course={course}' 'dice={dice}' rerolls=0 all_circled=5")
    solution = Go500Solver(game).solve(Question("win"))
    assert solution.residual < 1e-9
    assert solution.value == pytest.approx(value, abs=1e-6)


def test_dice_without_a_green_flag() -> None:
    dice = "name: y; black: 0 5; green: flat; flag: red black; yellow: lights; red: -25"
    game = Go500.with_options(f"course=pass 'dice={dice}'")
    assert Go500Solver(game).solve(Question("points")).value < 0


@pytest.mark.parametrize("options", ["", "penalties=10:1,20:9 all_circled=0"])
def test_a_stage_is_the_same_after_keeping_it(options: str) -> None:
    compiled = compile_segment(Go500.with_options(options))
    again = unpack(pack(compiled))
    assert again.names == compiled.names
    assert repr(again) == repr(compiled)


def test_what_cannot_be_solved_says_so() -> None:
    wild = "name: w; black: 1000 -1000 7; green: 999 flat; flag: green; yellow: lights; red: -1"
    with pytest.raises(Unsolvable, match="too many to be solved exactly"):
        Go500Solver(Go500.with_options(f"'dice={wild}'")).solve(Question("win"))
    solver = Go500Solver(Go500.with_options("rerolls=9"))
    with pytest.raises(Unsolvable, match="up to 6 rerolls"):
        solver.solve(Question("win"))
    with pytest.raises(Unsolvable, match="leave --scores out"):
        solver.solve(Question("points", (1, 2)))
    always = "name: o; black: (5); green: (5); flag: green; yellow: lights; red: -25"
    endless = Go500Solver(Go500.with_options(f"'dice={always}'"))
    with pytest.raises(Unsolvable, match="may never end"):
        endless.solve(Question("points"))
