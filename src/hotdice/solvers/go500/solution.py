"""Two racers solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hotdice.solve.arrays import Floats, Ints


@dataclass(frozen=True)
class Go500Solution:
    """Two racers solved.

    Attributes:
        win: chance to win of who is about to race a segment, by turn, own rerolls, the other's
            rerolls (the last entry for an other whose race is over) and lead.
        half: the place of no lead.
        residual: what the greatest leads leave to chance.
        seconds: how long it took.
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
        """The chance to win before a turn; turns count through the segments, two to each."""
        place = np.clip(lead // self.unit + self.half, 0, 2 * self.half)
        return float(self.win[turn, own, other, place])


def after_segment(
    win: Floats, half: int, turn: int, theirs: int, leads: Ints, segments: int
) -> tuple[Floats, Floats]:
    """What leads after a turn are worth, by own rerolls left: still racing, and out of the race.

    Args:
        win: the solved turns, as far as the following ones.
        half: the place of no lead.
        turn: the turn that ends.
        theirs: the other's rerolls, or one more than all of them if their race is over.
        leads: the leads, in units.
        segments: how many there are.
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
