"""Where dice come from: one interface, whatever rolls them.

A source is asked for the n-th roll of a game, so that a game taken up again, or a roll
played a second time after an undo, shows the same dice.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Protocol

from hotdice.core.dice import Die
from hotdice.core.events import Roll


class DiceSource(Protocol):
    """Throws dice, or leaves it to people."""

    kind: str

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll | None:
        """The dice of the roll with this number; ``None`` if somebody has to roll real ones."""


class SeededDice:
    """Virtual dice; the same seed gives the same dice."""

    kind = "seeded"

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll:
        """Each die falls by its own number from the seed and the number of the roll."""
        rng = Random(f"{self.seed}/{number}")  # noqa: S311 - a seed is there to be repeated
        return Roll(tuple(die.sides[int(rng.random() * len(die.sides))] for die in dice))


class TypedDice:
    """Real dice that somebody rolls and types in."""

    kind = "typed"

    def throw(self, dice: tuple[Die, ...], number: int) -> None:
        """Nothing: people roll."""


class ScriptedDice:
    """Rolls fixed beforehand, for tests and demonstrations."""

    kind = "scripted"

    def __init__(self, rolls: Sequence[Roll]) -> None:
        self.rolls = tuple(rolls)

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll:
        """The roll with this number."""
        return self.rolls[number]
