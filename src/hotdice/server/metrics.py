"""What a server process counts, for Prometheus."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable that names the folder in which several processes count together."""
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Metrics:
    """The counters of one server process."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self._known: dict[tuple[str, str], Counter] = {}
        self.connections = Gauge(
            "hotdice_connections",
            "Sockets that are open",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.tables = Gauge(
            "hotdice_tables_open",
            "Tables held in memory",
            registry=registry,
            multiprocess_mode="livesum",
        )
        self.created = Counter(
            "hotdice_tables_created", "Tables set up", ["game"], registry=registry
        )
        self.commands = Counter(
            "hotdice_commands",
            "Commands by what came of them",
            ["do", "outcome"],
            registry=registry,
        )
        self.seconds = Histogram(
            "hotdice_command_seconds",
            "From a command to its commit",
            registry=registry,
            buckets=_SECONDS,
        )
        self.requests = Counter(
            "hotdice_http_requests", "Requests by status", ["method", "status"], registry=registry
        )

        self.refused = Counter(
            "hotdice_refused",
            "What was refused because a limit was reached",
            ["limit"],
            registry=registry,
        )
        self.caught_up = Counter(
            "hotdice_tables_caught_up",
            "Times that entries of another process were added to an open table",
            registry=registry,
        )
        self.forgotten = Counter(
            "hotdice_tables_forgotten", "Tables that nobody had touched for long", registry=registry
        )
        self.healthy = Gauge(
            "hotdice_healthy",
            "1 unless something is known to be wrong",
            registry=registry,
            multiprocess_mode="livemin",
        )
        self.healthy.set(1)

    def command(self, do: str, outcome: str) -> Counter:
        """The counter of commands like this; looking one up by its labels takes longer."""
        found = self._known.get((do, outcome))
        if found is None:
            found = self._known[do, outcome] = self.commands.labels(do, outcome)
        return found

    def text(self) -> bytes:
        """All counts, those of the other processes of this server included."""
        if not os.environ.get(SHARED):
            return generate_latest(self._registry)
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared)
