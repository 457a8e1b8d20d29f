"""Start-up time of the command line, compared with importing Typer alone."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 9


def seconds(command: list[str]) -> float:
    """The time of one run."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own commands
    return time.perf_counter() - start


def main() -> None:
    """Interleave the commands, so that a busy machine slows all of them equally."""
    hotdice = str(Path(sys.executable).with_name("hotdice"))
    commands = {
        "python -c 'import typer'": [sys.executable, "-c", "import typer"],
        "hotdice score farkle 115234": [hotdice, "score", "farkle", "115234"],
        "hotdice score farkle 115234 --json": [hotdice, "score", "farkle", "115234", "--json"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            times[name].append(seconds(command))
    base = statistics.median(times["python -c 'import typer'"])
    for name, found in times.items():
        middle = statistics.median(found)
        print(f"{name:36} {middle * 1000:6.0f} ms  {middle / base:4.2f} x importing typer")


if __name__ == "__main__":
    main()
