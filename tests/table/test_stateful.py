"""Any commands in any order; `make fuzz` does the same for longer."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from tools.fuzz.table_machine import TableMachine

TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=25,
    stateful_step_count=40,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
