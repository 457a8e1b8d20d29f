"""The options of Rogue."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.core.errors import BadOption
from hotdice.core.options import Options, option

_POINTS = 100_000


@dataclass(frozen=True, kw_only=True)
class RogueOptions(Options):
    """The options of Rogue; the defaults are the printed rules.

    The chart's rows list the points of 2, 3, 4, 5, 6 and critters.
    """

    target: int = option(
        2000, "Once somebody has this, the round is the last one.", "R12", low=1, high=1_000_000
    )
    war_at: int = option(
        1812, "War breaks out once somebody has this.", "R10", low=1, high=1_000_000
    )
    pairs: tuple[int, ...] = option(
        (4, 6, 8, 10, 12, 15), "Points of two of a kind.", "R3", low=1, high=_POINTS
    )
    triplets: tuple[int, ...] = option(
        (20, 30, 40, 50, 60, 75), "Points of three of a kind.", "R3", low=1, high=_POINTS
    )
    quads: tuple[int, ...] = option(
        (100, 150, 200, 250, 300, 350), "Points of four of a kind.", "R3", low=1, high=_POINTS
    )
    quints: tuple[int, ...] = option(
        (500, 600, 700, 800, 900, 1000), "Points of five of a kind.", "R3", low=1, high=_POINTS
    )
    six_numbers: int = option(1300, "Points of six of a number.", "R3", low=1, high=_POINTS)
    six_critters: int = option(1500, "Points of six critters.", "R3", low=1, high=_POINTS)
    run: int = option(250, "Points of a run of all six faces.", "R3", low=1, high=_POINTS)

    def check(self) -> None:
        """War cannot break out above the target."""
        if self.war_at > self.target:
            raise BadOption(
                f"The war level of {self.war_at:,} is above the target of {self.target:,}; "
                "set it to the target or less."
            )
