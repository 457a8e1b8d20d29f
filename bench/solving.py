"""How long solving takes, beside a plain twin that sweeps over every state."""

from __future__ import annotations

import sys
import time
from itertools import product
from pathlib import Path

import hotdice
from hotdice.solve.laps import solve_laps
from hotdice.solve.race import solve_race
from hotdice.solve.rounds import solve_rounds

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.solve.naive_race import solve_naively

REDUCED = "starts=seat target=30 entry=15"
HIGHEST = 300


def main() -> None:
    """Compile everything once, then measure both on a short race and the solver on the full one."""
    small = hotdice.load_game("farkle", REDUCED)
    solve_race(small)
    solve_naively(small, 20)
    fast = solve_race(small).seconds
    start = time.perf_counter()
    solve_naively(small, HIGHEST)
    slow = time.perf_counter() - start
    print(f"Farkle to 30: {fast:.2f} s, plain sweeps {slow:.2f} s: {slow / fast:.0f} times as fast")
    table = solve_race(hotdice.load_game("farkle"))
    print(
        f"Farkle, full game: {table.seconds:.1f} s, {table.states:,} pairs of scores, "
        f"residual {table.residual:.1e}, first seat wins {table.value(0, 0):.6f}"
    )
    solve_rounds(hotdice.load_game("rogue", "target=20 war_at=10"))
    rounds = solve_rounds(hotdice.load_game("rogue"))
    print(
        f"Rogue, full game: {rounds.seconds:.1f} s, {rounds.states:,} pairs of scores, "
        f"residual {rounds.residual:.1e}, first seat wins {rounds.value(0, 0, first=True):.6f}"
    )
    for rules in product(("off", "on"), repeat=3):
        any_start, extra_die, duplicates = rules
        options = f"any_start={any_start} extra_die={extra_die} duplicates={duplicates}"
        laps = solve_laps(hotdice.load_game("cockroach", options))
        print(
            f"Cockroach, {options}: {laps.seconds:.1f} s, residual {laps.residual:.1e}, "
            f"first seat wins {laps.value(0, 0):.6f}"
        )


if __name__ == "__main__":
    main()
