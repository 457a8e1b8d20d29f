"""The state of a race."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hotdice.core.dice import Faces

Phase = Literal["take", "roll", "call", "yellow", "red", "judge", "over"]


class Go500State(NamedTuple):
    """A position of Go 500.

    Attributes:
        card: the points of the segments raced so far, by seat.
        rerolls: the rerolls left, by seat.
        out: whose race is over, by seat.
        segment: the segment being raced, counted from 0.
        seat: who races it now.
        phase: what happens next.
        blacks: black dice to be rolled or just rolled.
        greens: green dice to be rolled or just rolled.
        tray: the dice just rolled.
        locked: the dice locked in this segment.
        bonus: points of this segment from turns with all dice circled.
        total: the segment's total while penalties are rolled.
        rolls: red rolls still due.
        second: whether the red roll due is the second after a crash or an X.
    """

    card: tuple[tuple[int, ...], ...]
    rerolls: tuple[int, ...]
    out: tuple[bool, ...]
    segment: int = 0
    seat: int = 0
    phase: Phase = "take"
    blacks: int = 0
    greens: int = 0
    tray: Faces = ()
    locked: Faces = ()
    bonus: int = 0
    total: int = 0
    rolls: int = 0
    second: bool = False
