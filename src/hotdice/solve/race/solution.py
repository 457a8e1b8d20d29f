"""A solved race."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.solve.arrays import Floats, Ints


@dataclass(frozen=True)
class RaceSolution:
    """The solved race.

    Attributes:
        win: chance to win with own and other score (in units) at the start of one's turn.
        offers: what an offer is worth to whom it is made, in the order of ``offer_at``.
        offer_at: where the offers of a sum of scores and a banked total begin.
        last: the best chance to gain more than a distance with so many dice, equal counting half.
        top: totals above it are banked.
        residual: the greatest difference between a value and what one look ahead gives.
        seconds: how long it took.
        states: how many pairs of scores were solved.
        unit: points per unit.
    """

    win: Floats
    offers: Floats
    offer_at: Ints
    last: Floats
    top: int
    residual: float
    seconds: float
    states: int
    unit: int

    def value(self, own: int, other: int) -> float:
        """The chance to win at the start of a turn without an offer."""
        return float(self.win[own // self.unit, other // self.unit])
