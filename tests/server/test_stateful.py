"""Any commands in any order; `make fuzz` does the same for longer."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from tools.fuzz.hub_machine import HubMachine

TestHub = HubMachine.TestCase
TestHub.settings = settings(
    max_examples=10,
    stateful_step_count=30,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
