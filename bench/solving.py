"""Times of solving and advising, compared with naive value iteration over all states."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import hotdice
from hotdice.core.due import Over, ToChoose
from hotdice.core.game import AnyGame
from hotdice.games.cockroach import Cockroach
from hotdice.games.farkle import Farkle
from hotdice.games.go500 import Go500
from hotdice.games.peruke_one import PerukeOne
from hotdice.games.rogue import Rogue
from hotdice.solve.coach import advise, prepare
from hotdice.solve.enumeration import enumerate_game
from hotdice.solve.solutions import no_progress
from hotdice.solve.solver import Question
from hotdice.solvers.cockroach import CockroachSolver
from hotdice.solvers.farkle import FarkleSolver
from hotdice.solvers.go500 import Go500Solver
from hotdice.solvers.peruke_one import PerukeOneSolver
from hotdice.solvers.rogue import RogueSolver

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.solve.naive_race import solve_naively
from tests.solve.naive_rounds import solve_rounds_naively
from tests.toy import Pig

SHORT_FARKLE = "starts=seat target=30 entry=15"
FARKLE_HIGHEST = 300
TENTH_OF_ROGUE = (
    "target=200 war_at=181 pairs=1,1,1,1,1,2 triplets=2,3,4,5,6,8 quads=10,15,20,25,30,35 "
    "quints=50,60,70,80,90,100 six_numbers=130 six_critters=150 run=25"
)
ROGUE_HIGHEST = 400
COURSES = (
    "",
    "course=streets",
    "course=streets weather=poor",
    "course=pass",
    "course=pass weather=poor",
    "course=grand",
)
PIG_TARGET, PIG_VALUE, PIG_CLOSE = 100, 0.5305927, 5e-8
HOTDICE = str(Path(sys.executable).with_name("hotdice"))
ADVISED = {
    "farkle": "scores=300,450 phase=choose tray=112355",
    "rogue": "scores=300,450 phase=choose tray=c22345",
    "cockroach": "scores=3,9 phase=choose play=12455",
    "peruke": "discs=0,0,0,0,0,0 phase=use tray=1,1,3,4,5,r3",
    "go500": "card=-/- rerolls=2,2 out=off,off",
}


def main() -> None:
    """Run all benchmarks with an empty solution cache."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOTDICE_CACHE"] = folder
        _against_naive()
        _full_games()
        _enumerated()
        _advice()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"Peak memory: {peak:.2f} GB")


def _timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _against_naive() -> None:
    """Both solvers on the same short game, JIT compiled in advance."""
    game = Farkle.with_options(SHORT_FARKLE)
    FarkleSolver(game).compute(no_progress)
    solve_naively(game, 20)
    fast = min(FarkleSolver(game).compute(no_progress).seconds for _ in range(3))
    slow = _timed(lambda: solve_naively(game, FARKLE_HIGHEST))
    print(f"Farkle to 30: {fast:.2f} s, plain sweeps {slow:.1f} s: {slow / fast:.0f} x")
    rogue = Rogue.with_options(TENTH_OF_ROGUE)
    tiny = Rogue.with_options(TENTH_OF_ROGUE.replace("=200", "=2").replace("=181", "=2"))
    RogueSolver(rogue).compute(no_progress)
    solve_rounds_naively(tiny, 20)
    fast = min(RogueSolver(rogue).compute(no_progress).seconds for _ in range(3))
    slow = _timed(lambda: solve_rounds_naively(rogue, ROGUE_HIGHEST))
    print(f"A tenth of Rogue: {fast:.2f} s, plain sweeps {slow:.1f} s: {slow / fast:.0f} x")


def _full_games() -> None:
    table = FarkleSolver(Farkle()).compute(no_progress)
    print(
        f"Farkle: {table.seconds:.1f} s, {table.states:,} pairs of scores, "
        f"residual {table.residual:.1e}, first seat wins {table.value(0, 0):.8f}"
    )
    rounds = RogueSolver(Rogue()).compute(no_progress)
    print(
        f"Rogue: {rounds.seconds:.1f} s, {rounds.states:,} pairs of scores and places, "
        f"residual {rounds.residual:.1e}, first of the round {rounds.value(0, 0, first=True):.8f}"
    )
    for rules in product(("off", "on"), repeat=3):
        any_start, extra_die, duplicates = rules
        options = f"any_start={any_start} extra_die={extra_die} duplicates={duplicates}"
        laps = CockroachSolver(Cockroach.with_options(options)).compute(no_progress)
        print(
            f"Cockroach, {options}: {laps.seconds:.2f} s, residual {laps.residual:.1e}, "
            f"first seat wins {laps.value(0, 0):.8f}"
        )
    for words in ("points", "peruke", "win", "at_least 15", "series 70"):
        objective, _, goal = words.partition(" ")
        question = Question(objective, goal=int(goal) if goal else None)
        solution = PerukeOneSolver(PerukeOne()).solve(question)
        print(f"Peruke One, {words}: {solution.seconds:.2f} s, {solution.value:.8f}")
    for options in COURSES:
        solution = Go500Solver(Go500.with_options(options)).solve(Question("points"))
        print(f"Go 500, {options or 'oval'}: {solution.seconds:.2f} s, {solution.value:.4f} points")
    for options in ("", "course=grand"):
        solution = Go500Solver(Go500.with_options(options)).solve(Question("win"))
        print(
            f"Go 500 between two, {options or 'oval'}: {solution.seconds:.1f} s, residual "
            f"{solution.residual:.1e}, first seat wins {solution.value:.8f}"
        )


def _enumerated() -> None:
    """A game of known value, solved state by state without a solver of its own."""
    game = Pig.with_options(f"target={PIG_TARGET}")
    start = time.perf_counter()
    found = enumerate_game(game, 2)
    took = time.perf_counter() - start
    value = float(found.win[found.find(game.start(2))])
    print(f"Pig to {PIG_TARGET}, enumerated: {took:.1f} s, first seat wins {value:.8f}")
    if abs(value - PIG_VALUE) > PIG_CLOSE:
        sys.exit(f"The value of Pig to {PIG_TARGET} is {PIG_VALUE}.")


def _advice() -> None:
    """Time the coach at every choice of a few games, then once in a new process."""
    for slug, state in ADVISED.items():
        game = hotdice.load_game(slug)
        prepare(game, 2)
        advise(game, game.read_state(state))
        times = [took for seed in range(4) for took in _game_times(game, Random(seed))]
        times.sort()
        fresh = _process([HOTDICE, "advise", slug, *state.split(), "--json"])
        bare = _process([sys.executable, "-c", "import typer, numpy"])
        print(
            f"Advice at {slug}: median {1e3 * statistics.median(times):.2f} ms, "
            f"95 % below {1e3 * times[int(0.95 * len(times))]:.2f} ms, worst "
            f"{1e3 * times[-1]:.2f} ms; first answer of a process {fresh:.2f} s, "
            f"{fresh / bare:.1f} x importing typer and numpy"
        )


def _process(command: list[str]) -> float:
    """The fastest of three runs."""

    def once() -> None:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own command

    return min(_timed(once) for _ in range(3))


def _game_times(game: AnyGame, rng: Random) -> list[float]:
    times = []
    state = game.start(min(2, game.max_players))
    while not isinstance(due := game.due(state), Over):
        if isinstance(due, ToChoose):
            start = time.perf_counter()
            best = advise(game, state).best.choice
            times.append(time.perf_counter() - start)
            state = game.apply(state, best)
        else:
            rolls = game.rolls(state)
            chances = [float(chance) for _, chance in rolls]
            state = game.apply(state, rng.choices(rolls, chances)[0][0])
    return times


if __name__ == "__main__":
    main()
