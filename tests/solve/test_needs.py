"""The cost of solving is estimated in advance and limited."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random
from typing import Any

import pytest

from hotdice import load_game
from hotdice.bots import find_bot
from hotdice.core import dice
from hotdice.core.caching import WeightedCache
from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame
from hotdice.games.go500 import Go500
from hotdice.solve import finding
from hotdice.solve.coach import advise, prepare, ready
from hotdice.solve.finding import find_solver
from hotdice.solve.lookahead import LookaheadSheet, throw
from hotdice.solve.rollout import estimate
from hotdice.solve.solver import AT_ONCE, PREPARED, Need, Question, Unsolvable
from hotdice.solvers.go500.compiling import compile_segment, measure_segment
from tests.timing import quickest, timed


def dice_set(sides: int, step: int = 5) -> str:
    """A Go 500 dice set with this many different numbers on black and green dice."""
    numbers = " ".join(str(step * n) for n in range(1, sides + 1))
    return (
        f"'dice=name: large; black: {numbers}; green: {numbers.rpartition(' ')[0]} flat; "
        "flag: green green green yellow red black; yellow: -5 -10 lights; red: -10 -20 crash x'"
    )


WILD = (
    "one=9999 five=9973 three_ones=9967 three_times=1000 four_times=97 five_times=98 six_times=100 "
    "three_pairs=9949 straight=9941"
)
CIRCLES = (
    "'dice=name: rings; black: (5); green: (5); flag: green; yellow: lights; red: -5' all_circled=5"
)
LONG = "'course=name: long" + "".join(f"; segment: s{n} = {n}" for n in range(1, 101)) + "'"
DEEP = (
    "'dice=name: deep; black: -1000 999; green: 1000 flat; flag: green yellow red; yellow: -999; "
    "red: -1000 -999 -998 -997 -996 -995 -994 -993 -992 x' penalties=1:99"
)
SPREAD = (
    "target=1000000 war_at=1 pairs=4,7,11,17,23,31 triplets=101,211,307,409,503,601 "
    "quads=1009,2003,3001,4001,5003,6007 quints=10007,20011,30011,40009,50021,60013 "
    "six_numbers=99991 six_critters=99989 run=77777"
)
EXTREMES = [
    ("go500", dice_set(8)),
    ("go500", dice_set(10)),
    ("go500", dice_set(12)),
    ("go500", dice_set(20)),
    ("go500", dice_set(20, 47)),
    ("go500", dice_set(6, 166)),
    ("go500", "rerolls=1000"),
    ("go500", f"rerolls=1000 {LONG} {dice_set(20, 47)}"),
    ("go500", LONG),
    ("go500", DEEP),
    ("go500", CIRCLES),
    ("go500", "penalties=1:99 rerolls=20"),
    ("farkle", f"target=1000000 {WILD}"),
    ("farkle", "target=1000000 entry=1000000"),
    ("farkle", "target=1000000 entry=999999 one=1"),
    ("farkle", f"target=5 entry=0 {WILD}"),
    ("rogue", SPREAD),
    ("rogue", "six_numbers=100000 target=3000 war_at=1"),
    ("cockroach", "any_start=on extra_die=on duplicates=on shortest=1 target=100000"),
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(finding, "_made", {})


def some_choice(game: AnyGame) -> Any:
    """The state with the most choices in a few random turns."""
    rng = Random(7)
    state, found = game.start(max(2, game.min_players)), []
    for _ in range(60):
        due = game.due(state)
        if isinstance(due, Over):
            break
        if isinstance(due, ToChoose):
            found.append(state)
            state = game.apply(state, rng.choice(game.choices(state)))
        else:
            state = game.apply(state, throw(due, rng))
    return max(found, key=lambda state: len(game.choices(state)))


@pytest.mark.parametrize(("slug", "options"), EXTREMES)
def test_advice_and_bots_are_quick_whatever_the_options(slug: str, options: str) -> None:
    game = load_game(slug, options)
    state = some_choice(game)
    advice, seconds = timed(lambda: advise(game, state))
    assert seconds < 3.0
    assert len(advice.counsels) == len(game.choices(state))
    assert advice == advise(game, state)
    if not advice.exact:
        assert "looking one roll ahead" in advice.basis
    for level in ("casual", "sharp"):
        assert find_bot(level)(game, state, Random(1)) in game.choices(state)


@pytest.mark.parametrize(("slug", "options"), EXTREMES)
def test_what_is_too_large_is_not_solved(slug: str, options: str) -> None:
    game = load_game(slug, options)
    solver = find_solver(game)
    assert solver is not None
    refusal, seconds = timed(lambda: solver.refusal("win"))
    assert seconds < 1.0  # includes compiling a turn of six dice
    assert bool(refusal) != solver.need("win").within(PREPARED) or "up to" in refusal
    if refusal:
        assert refusal.count(".") == 1
        assert not prepare(game, 2)
        assert ready(game, 2)
        with pytest.raises(Unsolvable):
            solver.solve(Question("win"))


@pytest.mark.parametrize("slug", ["farkle", "rogue", "cockroach", "go500", "peruke"])
def test_the_printed_rules_are_within_the_limits(slug: str) -> None:
    solver = find_solver(load_game(slug))
    assert solver is not None
    for objective, most in (("points", AT_ONCE), ("win", PREPARED)):
        assert solver.refusal(objective) == ""
        assert solver.need(objective).within(most)


@pytest.mark.parametrize("options", ["", dice_set(3), dice_set(4, 47), dice_set(5), DEEP])
def test_the_size_of_a_segment_is_estimated_before_it_is_compiled(options: str) -> None:
    game = Go500.with_options(options)
    assert quickest(lambda: measure_segment(game), 0.1) < 0.1
    size = measure_segment(game)
    compiled = compile_segment(game)
    levels = compiled.high - compiled.low + 1
    cells = sum(
        int(level) * (len(ways.hand) + 5 * len(ways.total))
        for level, ways in zip(levels, compiled.green, strict=True)
    )
    assert cells / 2 <= size.cells <= 2 * cells
    assert int(levels.sum()) / 2 <= size.positions <= 2 * int(levels.sum())
    assert len(compiled.punishments) / 2 <= size.punishments <= 2 * len(compiled.punishments)
    full = game.apply(game.start(1), max(game.choices(game.start(1)), key=lambda c: len(c.dice)))
    assert size.rolls > len(game.rolls(full))


def test_the_memory_of_a_segment_is_estimated_before_it_is_compiled() -> None:
    game = load_game("go500", dice_set(5, 47))
    solver = find_solver(game)
    assert solver is not None
    need = solver.need("points")
    tracemalloc.start()
    solver.sheet(game.start(1), "points")
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used / 2 < need.memory < 2 * used


def test_the_size_of_a_race_solution_is_estimated() -> None:
    game = load_game("farkle", "target=150 entry=50")
    solver: Any = find_solver(game)
    need = solver.need("win")
    table = solver.solved()
    size = table.win.nbytes + table.offers.nbytes + table.offer_at.nbytes + table.last.nbytes
    assert size <= 2 * need.memory
    assert need.within(Need(20e6, 20.0))


def test_looking_one_roll_ahead_finds_the_best_keep() -> None:
    game = load_game("farkle", f"{WILD} target=1000000 entry=0")
    state = game.read_state("scores=1000,1000 phase=choose tray=111111")
    advice = advise(game, state, "points")
    assert not advice.exact
    assert advice.basis == (
        "Estimated points of this turn, looking one roll ahead. "
        "The points of these rules are spread too widely to be solved at once."
    )
    assert len(advice.best.choice.dice) == 6
    worst = advice.counsels[-1]
    assert worst.value < advice.best.value / 2


def test_looking_one_roll_ahead_comes_close_to_exact_values() -> None:
    game = load_game("go500")
    state = game.start(1)
    solver: Any = find_solver(game)
    ahead = LookaheadSheet(game, state, lambda state, seat: sum(state.card[seat]), "Too large.")
    values = {choice: ahead.going(game.apply(state, choice)) for choice in game.choices(state)}
    best = max(values, key=lambda choice: values[choice])
    exact = {
        choice: solver.sheet(state, "points").going(game.apply(state, choice))
        for choice in game.choices(state)
    }
    spread = max(exact.values()) - min(exact.values())
    assert max(exact.values()) - exact[best] < spread / 3


def test_games_without_a_solver_are_estimated_by_rollouts(toy: str) -> None:
    game = load_game(toy)
    state = game.read_state("scores=19,0 phase=choose total=4 tray=4")
    for choice in game.choices(state):
        assert 0.0 <= estimate(game, state, 0, choice) <= 1.0


def test_the_cache_is_limited_by_total_weight() -> None:
    known: WeightedCache[str] = WeightedCache(10)
    for word in ("one", "three", "four"):
        known.keep(word, word.upper(), len(word))
    assert (len(known), known.weight) == (2, 9)
    assert known.find("one") is None
    assert known.find("three") == "THREE"
    known.keep("seven", "SEVEN", 5)  # evicts the least recently used
    assert known.find("four") is None
    assert known.obtain("three", lambda: "", len) == "THREE"
    known.keep("a long word", "A LONG WORD", 11)  # the newest stays, whatever it weighs
    assert (len(known), known.weight) == (1, 11)
    known.keep("a long word", "SHORT", 5)
    assert (len(known), known.weight) == (1, 5)


def test_chances_of_large_dice_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    known: WeightedCache[Any] = WeightedCache(1000)
    monkeypatch.setattr(dice, "_known", known)
    for sides in range(2, 5):
        game = load_game("go500", dice_set(sides))
        start = game.start(1)
        full = game.apply(start, max(game.choices(start), key=lambda choice: len(choice.dice)))
        assert game.rolls(full) == game.rolls(full)
    assert len(known) == 1


def test_solvers_are_evicted_by_memory_use(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[Any, Any] = {}
    monkeypatch.setattr(finding, "_made", made)
    monkeypatch.setattr(finding, "_MOST_BYTES", 1000)
    games = [load_game("cockroach", f"shortest={shortest}") for shortest in (2, 3, 4)]
    for game in games:
        advise(game, some_choice(game))
    assert len(made) == 1
