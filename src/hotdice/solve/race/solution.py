"""A solved race."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.solve.arrays import Floats, Ints


@dataclass(frozen=True)
class RaceSolution:
    """The solved race.

    Attributes:
        win: the chance to win at the start of one's turn, by own and other score in units.
        offers: the value of each offer of dice to the player who receives it; see ``offer_at``.
        offer_at: where the offers for a sum of scores and a banked total start in ``offers``.
        last: the best chance to gain more than a distance, by node and distance; ties count half.
        top: totals above this are always banked.
        residual: the largest Bellman residual.
        seconds: how long solving took.
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
