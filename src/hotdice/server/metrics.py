"""Metrics of a server process, for Prometheus."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder of metrics shared by several processes."""
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Metrics:
    """The metrics of one server process."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self._known: dict[tuple[str, str], Counter] = {}
        self.connections = Gauge(
            "hotdice_connections",
            "Open sockets",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.tables = Gauge(
            "hotdice_tables_open",
            "Tables held in memory",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.entries = Gauge(
            "hotdice_entries_open",
            "Entries of the tables held in memory",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.created = Counter(
            "hotdice_tables_created", "Tables set up", ["game"], registry=registry
        )
        self.commands = Counter(
            "hotdice_commands",
            "Commands by outcome",
            ["do", "outcome"],
            registry=registry,
        )
        self.seconds = Histogram(
            "hotdice_command_seconds",
            "Seconds from a command to its commit",
            registry=registry,
            buckets=_SECONDS,
        )
        self.requests = Counter(
            "hotdice_http_requests", "Requests by status", ["method", "status"], registry=registry
        )

        self.refused = Counter(
            "hotdice_refused",
            "Refusals because a limit was reached",
            ["limit"],
            registry=registry,
        )
        self.caught_up = Counter(
            "hotdice_tables_caught_up",
            "Times that entries of another process were added to an open table",
            registry=registry,
        )
        self.forgotten = Counter(
            "hotdice_tables_forgotten", "Unused tables that were deleted", registry=registry
        )
        self.healthy = Gauge(
            "hotdice_healthy",
            "1 unless a problem is known",
            registry=registry,
            multiprocess_mode="livemin",
        )
        self.healthy.set(1)

    def refuse(self, limit: str) -> None:
        """Count that a limit was reached."""
        self.refused.labels(limit).inc()

    def command(self, do: str, outcome: str) -> Counter:
        """A cached child of ``commands``: looking it up by its labels is slower."""
        found = self._known.get((do, outcome))
        if found is None:
            found = self._known[do, outcome] = self.commands.labels(do, outcome)
        return found

    def text(self) -> bytes:
        """All metrics in text format, including other processes of this server."""
        if not os.environ.get(SHARED):
            return generate_latest(self._registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared)
