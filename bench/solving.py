"""How long solving takes, beside a plain twin that sweeps over every state."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import hotdice
from hotdice.solve.race import solve_race

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


if __name__ == "__main__":
    main()
