"""Any commands in any order; `make fuzz` does the same for longer."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test
from tools.fuzz.hub_machine import HubMachine, PostgresHubMachine

SETTINGS = settings(
    max_examples=10,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestHub = HubMachine.TestCase
TestHub.settings = SETTINGS


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_two_hubs_on_postgresql(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PostgresHubMachine, "database", database)
    wanted = settings(SETTINGS, max_examples=3)
    run_state_machine_as_test(PostgresHubMachine, settings=wanted)
