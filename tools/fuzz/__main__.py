"""Run one part of the fuzzer, or all of them in turn."""

from __future__ import annotations

import argparse
import importlib
import secrets
import sys
import time

from tools.fuzz.finding import Finding

PARTS = ("api", "frames", "stateful", "parsers")


def main() -> int:
    """Fuzz; returns the exit code, 0 if nothing was found."""
    words = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    words.add_argument("part", choices=[*PARTS, "all"], help="what to fuzz")
    words.add_argument("--minutes", type=float, default=5.0, help="how long in total (5)")
    words.add_argument("--seed", type=int, help="random seed, to repeat a run")
    given = words.parse_args()
    parts = PARTS if given.part == "all" else (given.part,)
    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    found = [_run(part, given.minutes / len(parts), seed) for part in parts]
    return int(any(found))


def _run(part: str, minutes: float, seed: int) -> bool:
    """Run a part; returns whether it found something."""
    began = time.monotonic()
    try:
        figures = importlib.import_module(f"tools.fuzz.{part}").run(minutes, seed)
    except Finding as finding:
        _print(f"{part}: FOUND (seed {seed}): {finding}")
        return True
    _print(f"{part}: {figures}, nothing found ({time.monotonic() - began:.0f} s, seed {seed})")
    return False


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
