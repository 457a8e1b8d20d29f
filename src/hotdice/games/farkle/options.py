"""The options of Farkle."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.core.errors import BadOption
from hotdice.core.options import Options, option

_MOST = 1_000_000
_POINTS = 10_000


@dataclass(frozen=True, kw_only=True)
class FarkleOptions(Options):
    """The options of Farkle; the defaults are the printed rules."""

    target: int = option(
        1000, "Whoever reaches this starts the last lap.", "F11", low=5, high=_MOST
    )
    entry: int = option(
        100, "The first score you bank has to be at least this.", "F9", low=0, high=_MOST
    )
    carry_over: bool = option(
        True, "The next player may roll on with the dice you left and your total.", "F10"
    )
    four_and_pair: bool = option(
        False, "Four of a kind with a pair also counts as three pairs.", "F5"
    )
    starts: str = option(
        "highest",
        "Who starts: the highest of one die each, the first seat, or one drawn by lot.",
        "F1",
        among=("highest", "seat", "random"),
        opening=True,
    )
    one: int = option(10, "Points of a single 1.", "F3", low=1, high=_POINTS)
    five: int = option(5, "Points of a single 5.", "F3", low=1, high=_POINTS)
    three_ones: int = option(100, "Points of three 1s.", "F3", low=1, high=_POINTS)
    three_times: int = option(
        10, "Three of another number: this many times the number.", "F3", low=1, high=1000
    )
    four_times: int = option(
        2, "Four of a kind: this many times three of a kind.", "F3", low=1, high=100
    )
    five_times: int = option(
        4, "Five of a kind: this many times three of a kind.", "F3", low=1, high=100
    )
    six_times: int = option(
        8, "Six of a kind: this many times three of a kind.", "F3", low=1, high=100
    )
    three_pairs: int = option(100, "Points of three pairs.", "F3", low=1, high=_POINTS)
    straight: int = option(100, "Points of a straight, 1 to 6.", "F3", low=1, high=_POINTS)

    def check(self) -> None:
        """The entry cannot be above the target."""
        if self.entry > self.target:
            raise BadOption(
                f"The entry of {self.entry:,} is above the target of {self.target:,}; "
                "set it to the target or less."
            )
