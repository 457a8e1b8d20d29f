"""What a scenario found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

_SHOWN = 12


@dataclass
class Report:
    """Figures of one scenario, and everything that was wrong.

    Attributes:
        name: the scenario.
        games: games played to their end.
        told: entries that clients were told, each client counted.
        kills: servers killed with -9.
        faults: other faults, by kind.
        stalls: tables that stood still, and clients left behind.
        lost: entries told that the database does not have, or has otherwise.
        doubled: entries told twice over one connection.
        other: anything else that is wrong.
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
        """Whether anything was wrong."""
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
        """What was wrong, not all of it if it is much."""
        found = []
        for kind in ("stalls", "lost", "doubled", "other"):
            lines: list[str] = getattr(self, kind)
            found += [f"  {kind}: {line}" for line in lines[:_SHOWN]]
            if len(lines) > _SHOWN:
                found.append(f"  {kind}: and {len(lines) - _SHOWN} more")
        return found
