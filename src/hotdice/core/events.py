"""The two kinds of events in a game: rolls and choices."""

from __future__ import annotations

from typing import NamedTuple

from hotdice.core.dice import Faces


class Roll(NamedTuple):
    """Rolled dice, in any order; the state says who rolls which dice."""

    faces: Faces


class Choice(NamedTuple):
    """A decision of the seat to act.

    Attributes:
        verb: what is done, for instance ``keep``.
        dice: the dice it uses, sorted.
        then: what follows, for instance ``roll`` or ``bank``; empty if there is no alternative.
    """

    verb: str
    dice: Faces = ()
    then: str = ""


Event = Roll | Choice
