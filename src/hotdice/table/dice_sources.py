"""Where dice come from, behind one interface.

A source is asked for the n-th roll of a game. A resumed game, or a roll that is played again after
an undo, therefore shows the same dice.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import ClassVar, Protocol

from hotdice.core.dice import Die
from hotdice.core.events import Roll


class DiceSource(Protocol):
    """Rolls dice, or leaves it to people."""

    kind: ClassVar[str]

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll | None:
        """The roll with this number; ``None`` if somebody has to roll real dice."""


@dataclass(frozen=True, slots=True)
class SeededDice:
    """Virtual dice; the same seed gives the same dice."""

    kind: ClassVar[str] = "seeded"
    seed: str

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll:
        """The roll that follows from the seed and the number."""
        rng = Random(f"{self.seed}/{number}")  # noqa: S311 - seeded dice are reproducible
        return Roll(tuple(die.sides[int(rng.random() * len(die.sides))] for die in dice))


@dataclass(frozen=True, slots=True)
class TypedDice:
    """Real dice that somebody rolls and types in."""

    kind: ClassVar[str] = "typed"

    def throw(self, dice: tuple[Die, ...], number: int) -> None:
        """Always ``None``: people roll."""


@dataclass(frozen=True, slots=True)
class VerifiedDice:
    """Dice that the server and all devices determine together, step by step; see ``drawing``.

    The seed is only for the random numbers of bots.
    """

    kind: ClassVar[str] = "verified"
    seed: str

    def throw(self, dice: tuple[Die, ...], number: int) -> None:
        """Always ``None``: a roll has to be asked for first."""


@dataclass(frozen=True, slots=True)
class ScriptedDice:
    """Fixed rolls, for tests and demonstrations."""

    kind: ClassVar[str] = "scripted"
    rolls: tuple[Roll, ...]

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll:
        """The roll with this number."""
        return self.rolls[number]
