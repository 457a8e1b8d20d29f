"""The two things that happen in a game: dice fall, and somebody chooses."""

from __future__ import annotations

from typing import NamedTuple

from hotdice.core.dice import Faces


class Roll(NamedTuple):
    """Dice that were thrown, in any order; who threw which dice, the state knows."""

    faces: Faces


class Choice(NamedTuple):
    """What the seat to act decides.

    Attributes:
        verb: what is done, for instance ``keep``.
        dice: the dice it touches, sorted.
        then: how it goes on, for instance ``roll`` or ``bank``; empty if that needs no saying.
    """

    verb: str
    dice: Faces = ()
    then: str = ""


Event = Roll | Choice
