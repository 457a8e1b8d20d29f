"""Stateful fuzzing of tables and hubs with Hypothesis: any commands in any order."""

from __future__ import annotations

import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tools.fuzz.finding import Finding
from tools.fuzz.hub_machine import HubMachine, PostgresHubMachine
from tools.fuzz.table_machine import TableMachine
from tools.soak.postgres import private_postgres

_EXAMPLES = 10
_STEPS = 80


def run(minutes: float, number: int) -> str:
    """Run all machines for a third of the time each; returns a summary in one line."""
    figures = [
        _explore(machine, 20 * minutes, number, name)
        for machine, name in ((TableMachine, "table"), (HubMachine, "hub"))
    ]
    with (
        tempfile.TemporaryDirectory(prefix="hotdice-fuzz-") as folder,
        private_postgres(Path(folder) / "pg") as postgres,
    ):
        PostgresHubMachine.database = postgres.address(postgres.create())
        name = "two hubs on PostgreSQL"
        figures.append(_explore(PostgresHubMachine, 20 * minutes, number, name))
    return "; ".join(figures)


def _explore(machine: Any, seconds: float, number: int, name: str) -> str:
    until = time.monotonic() + seconds
    machine.done = machine.refused = rounds = 0
    wanted = settings(
        max_examples=_EXAMPLES,
        stateful_step_count=_STEPS,
        deadline=None,
        database=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    while time.monotonic() < until:
        seeded = seed(number + rounds)(machine)
        try:
            run_state_machine_as_test(seeded, settings=wanted)
        except Exception as error:
            shown = "".join(traceback.format_exception(error))[-6000:]
            raise Finding(f"The {name} breaks (seed {number + rounds}).", shown) from error
        rounds += 1
    runs = rounds * _EXAMPLES
    return f"{name}: {runs:,} runs, {machine.done:,} commands, {machine.refused:,} refused"
