"""The solution of Go 500 for two racers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hotdice.solve.arrays import Floats, Ints


@dataclass(frozen=True)
class Go500Solution:
    """The solved race between two.

    Attributes:
        win: the chance to win of the player about to race a segment, by turn, own rerolls, the
            opponent's rerolls (the last index if the opponent is out of the race) and lead.
        half: the index of a lead of 0.
        residual: the uncertainty at the largest leads.
        seconds: how long solving took.
        states: how many values were solved.
        unit: points per unit of the lead.
    """

    win: Floats
    half: int
    residual: float
    seconds: float
    states: int
    unit: int

    def value(self, turn: int, own: int, other: int, lead: int) -> float:
        """The chance to win before a turn; there are two turns per segment."""
        place = np.clip(lead // self.unit + self.half, 0, 2 * self.half)
        return float(self.win[turn, own, other, place])


def after_segment(
    win: Floats, half: int, turn: int, theirs: int, leads: Ints, segments: int
) -> tuple[Floats, Floats]:
    """The values of leads after a turn, by own rerolls left: still racing, and out of the race.

    Args:
        win: the values of the turns; those after ``turn`` must have been solved.
        half: the index of a lead of 0.
        turn: the turn that ends.
        theirs: the opponent's rerolls; the last index of ``win`` if the opponent is out.
        leads: the leads, in units.
        segments: the number of segments.
    """
    turns, size = 2 * segments, win.shape[1]
    place = np.clip(leads + half, 0, 2 * half)
    final = np.repeat(((leads > 0) + 0.5 * (leads == 0))[None], size, axis=0)
    if theirs == size:
        following = turn + 2
        return (win[following, :, size][:, place] if following < turns else final), final
    if turn + 1 == turns:
        return final, final
    mirrored = 2 * half - place
    racing = 1.0 - win[turn + 1, theirs, :size][:, mirrored]
    out = np.repeat(1.0 - win[turn + 1, theirs, size, mirrored][None], size, axis=0)
    return np.maximum(racing, 0.0), np.maximum(out, 0.0)
