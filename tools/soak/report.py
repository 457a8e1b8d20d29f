"""The report of a scenario."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_SHOWN = 12


@dataclass
class Report:
    """The figures and failures of one scenario.

    Attributes:
        name: the scenario.
        games: finished games.
        told: entries received, summed over all clients.
        kills: servers killed with SIGKILL.
        faults: injected faults, by kind.
        stalls: tables without progress, and clients that fell behind.
        lost: entries that clients missed, or that differ from the database or are missing there.
        doubled: entries received twice.
        other: all other failures.
    """

    name: str
    games: int = 0
    told: int = 0
    kills: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    stalls: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)

    @property
    def failed(self) -> bool:
        """Whether there was any failure."""
        return bool(self.stalls or self.lost or self.doubled or self.other)

    def line(self) -> str:
        """The figures in one line."""
        faults = ", ".join(f"{count} x {kind}" for kind, count in sorted(self.faults.items()))
        figures = {
            "games": self.games,
            "entries told": self.told,
            "kills": self.kills,
            "stalls": len(self.stalls),
            "lost": len(self.lost),
            "doubled": len(self.doubled),
            "other": len(self.other),
        }
        shown = "  ".join(f"{name} {count:,}" for name, count in figures.items())
        return f"{self.name:<8} {shown}" + (f"  ({faults})" if faults else "")

    def details(self) -> list[str]:
        """The failures, up to a limit of each kind."""
        found = []
        for kind in ("stalls", "lost", "doubled", "other"):
            lines: list[str] = getattr(self, kind)
            found += [f"  {kind}: {line}" for line in lines[:_SHOWN]]
            if len(lines) > _SHOWN:
                found.append(f"  {kind}: and {len(lines) - _SHOWN} more")
        return found
