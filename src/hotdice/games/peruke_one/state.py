"""The state of a series, and what its numbers mean."""

from __future__ import annotations

from typing import Literal, NamedTuple

from hotdice.core.dice import Faces
from hotdice.core.events import Choice

ROUNDS = 6
DISCS = 6
RED = 10
"""Added to the number of a red die to make its code."""
PERUKE_ONE = 20
"""The score of a vulnerable 1 with all other discs taken, and of nothing else (P7)."""

SAFE, VULNERABLE, TAKEN = range(3)
STATUS = ("safe", "vulnerable", "taken")
ALL_SAFE = (SAFE,) * DISCS

Phase = Literal["roll", "use", "over"]

NOT_NOW = {
    "roll": ("Roll the dice.", "P2"),
    "use": ("Use a number on a disc, or pass.", "P3"),
    "over": ("The game is over.", "P8"),
}

PASS = Choice("pass")


class PerukeOneState(NamedTuple):
    """A position of Peruke One.

    Attributes:
        discs: the status of discs 1 to 6: 0 safe, 1 vulnerable, 2 taken.
        past: the scores of the games of the series that are over.
        round: the round under way, 1 to 6.
        phase: what happens next.
        tray: the dice of this round's roll that are not used yet.
        used: how many values have been used in this round.
    """

    discs: tuple[int, ...]
    past: tuple[int, ...] = ()
    round: int = 1
    phase: Phase = "roll"
    tray: Faces = ()
    used: int = 0


def value_of(dice: Faces) -> int:
    """The value that dice make together: one die, or red plus one white (P4)."""
    return sum(code - RED if code > RED else code for code in dice)


def score_of(discs: tuple[int, ...]) -> int:
    """Taken discs minus safe discs (P6)."""
    return sum((status - 1) * value for value, status in enumerate(discs, start=1))
