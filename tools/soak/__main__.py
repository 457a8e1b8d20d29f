"""``python -m tools.soak``: run scenarios, print a line for each, exit with 1 if one failed."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import traceback
from pathlib import Path
from random import Random

from tools.soak.arena import Arena
from tools.soak.attacking import attack
from tools.soak.attacks import ATTACKS
from tools.soak.postgres import Postgres, private_postgres
from tools.soak.report import Report
from tools.soak.scenarios import SCENARIOS, WEIGHTS

_ALL = {**SCENARIOS, "attack": attack}
"""All scenarios; attacks have a fixed duration and only run on request."""


def main() -> None:
    """Run the requested scenarios."""
    wanted = _arguments()
    names = wanted.only.split(",") if wanted.only else list(SCENARIOS)
    if (wanted.games or wanted.kills) and not wanted.only:
        counted = {"split": wanted.games, "kill": wanted.kills}
        names = [name for name, count in counted.items() if count]
    if unknown := set(names) - set(_ALL):
        sys.exit(f"There is no scenario {', '.join(unknown)}; there are {', '.join(_ALL)}.")
    if unknown := set(wanted.attacks.split(",")) - {"", *ATTACKS}:
        sys.exit(f"There is no attack {', '.join(unknown)}; there are {', '.join(ATTACKS)}.")
    _say(f"seed {wanted.seed}")
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        private_postgres(Path(folder) / "pg") as postgres,
    ):
        weight = sum(WEIGHTS.get(name, 1) for name in names)
        failed = [name for name in names if not _run(name, wanted, weight, postgres)]
    sys.exit(1 if failed else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tools.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="total time of all scenarios")
    parser.add_argument("--games", type=int, default=0, help="games in split, instead of minutes")
    parser.add_argument("--kills", type=int, default=0, help="kills in kill, instead of minutes")
    parser.add_argument("--seed", default="1", help="random seed of faults and choices")
    parser.add_argument("--only", default="", help=f"some of {','.join(_ALL)}")
    parser.add_argument("--attacks", default="", help=f"some of {','.join(ATTACKS)}")
    parser.add_argument("--tables", type=int, default=10, help="concurrent tables per database")
    parser.add_argument("--patience", type=float, default=10.0, help="stall timeout in seconds")
    return parser.parse_args()


def _run(name: str, wanted: argparse.Namespace, weight: int, postgres: Postgres) -> bool:
    """Run one scenario and print its report; returns whether it passed."""
    report = Report(name)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        arena = Arena(
            postgres,
            Path(folder),
            Random(f"{wanted.seed}/{name}"),
            60 * wanted.minutes * WEIGHTS.get(name, 1) / weight,
            wanted.games if name == "split" else 0,
            wanted.kills if name == "kill" else 0,
            wanted.tables,
            wanted.patience,
            report,
            tuple(filter(None, wanted.attacks.split(","))),
        )
        try:
            asyncio.run(_ALL[name](arena))
        except Exception:  # noqa: BLE001 - the other scenarios should run anyway
            report.other.append(f"the scenario crashed: {traceback.format_exc()}")
    _say(f"{report.line()}  {time.monotonic() - began:.0f} s")
    for line in report.details():
        _say(line)
    return not report.failed


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
