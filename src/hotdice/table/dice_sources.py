"""Where dice come from, behind one interface.

A roll follows from its place in the game: its number among all rolls, or whose turn it is and which
roll of that turn. A resumed game, or a roll that is played again after an undo, therefore shows the
same dice.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hmac import digest
from random import Random
from threading import local
from typing import ClassVar, NamedTuple, Protocol

from hotdice.core.dice import Die
from hotdice.core.events import Roll
from hotdice.table.verified import sides_of


class Occasion(NamedTuple):
    """A place in a game that players who choose differently have in common.

    Attributes:
        seat: the seat that rolls or chooses.
        turn: which of its turns it is, from 1; 0 before the first, as in a roll for the start.
        rolls: how often it has rolled in this turn.
        choices: how often it has chosen in this turn.
    """

    seat: int
    turn: int = 0
    rolls: int = 0
    choices: int = 0


class Rolling(Protocol):
    """A game in which dice are due, as far as dice depend on it."""

    @property
    def rolls(self) -> int:
        """How many rolls there were before."""

    def occasion(self) -> Occasion:
        """Whose turn it is, and how far it has come."""


class DiceSource(Protocol):
    """Rolls dice, or leaves it to people."""

    kind: ClassVar[str]

    def roll(self, dice: tuple[Die, ...], game: Rolling) -> Roll | None:
        """The next roll of a game; ``None`` if somebody has to roll real dice."""


_kept = local()


def _generator() -> Random:
    """A generator of this thread, to be seeded: making one takes as long as seeding it."""
    found: Random | None = getattr(_kept, "generator", None)
    if found is None:
        found = _kept.generator = Random()  # noqa: S311 - seeded dice are reproducible
    return found


@dataclass(frozen=True, slots=True)
class SeededDice:
    """Virtual dice; the same seed gives the same dice."""

    kind: ClassVar[str] = "seeded"
    seed: str

    def roll(self, dice: tuple[Die, ...], game: Rolling) -> Roll:
        """The roll that follows from the seed and the number of rolls before."""
        return self.throw(dice, game.rolls)

    def throw(self, dice: tuple[Die, ...], number: int) -> Roll:
        """The roll with this number."""
        rng = _generator()
        rng.seed(f"{self.seed}/{number}")
        random = rng.random
        sides = [die.sides for die in dice]
        return Roll(tuple([one[int(random() * len(one))] for one in sides]))


@dataclass(frozen=True, slots=True)
class TypedDice:
    """Real dice that somebody rolls and types in."""

    kind: ClassVar[str] = "typed"

    def roll(self, dice: tuple[Die, ...], game: Rolling) -> None:
        """Always ``None``: people roll."""


@dataclass(frozen=True, slots=True)
class VerifiedDice:
    """Dice that the server and all devices determine together, step by step; see ``drawing``.

    The seed is only for the random numbers of bots.
    """

    kind: ClassVar[str] = "verified"
    seed: str

    def roll(self, dice: tuple[Die, ...], game: Rolling) -> None:
        """Always ``None``: a roll has to be asked for first."""


@dataclass(frozen=True, slots=True)
class ChallengeDice:
    """Virtual dice that are the same for everybody who plays a challenge, whatever they choose.

    A die follows from the secret of the challenge, whose turn it is, which roll of that turn, the
    kind of the die and its slot: its position among the dice of its kind that are rolled. Whoever
    rolls three of five dice gets the first three.
    """

    kind: ClassVar[str] = "challenge"
    secret: str = field(repr=False)

    def roll(self, dice: tuple[Die, ...], game: Rolling) -> Roll:
        """The roll that belongs to this place in the game."""
        return self.throw(dice, game.occasion())

    def throw(self, dice: tuple[Die, ...], occasion: Occasion) -> Roll:
        """The roll on an occasion; how often the seat has chosen does not matter."""
        slots: Counter[str] = Counter()
        faces = []
        for die in dice:
            faces.append(self._face(die, occasion, slots[die.name]))
            slots[die.name] += 1
        return Roll(tuple(faces))

    def _face(self, die: Die, occasion: Occasion, slot: int) -> int:
        seat, turn, rolls, _ = occasion
        seed = self._digest(f"die/{seat}/{turn}/{rolls}/{slot}/{die.name}")
        return die.sides[sides_of(seed, [len(die.sides)])[0]]

    def bot_seed(self, occasion: Occasion) -> str:
        """The seed of a bot's random numbers for one choice."""
        return self._digest(f"bot/{'/'.join(map(str, occasion))}").hex()

    def _digest(self, what: str) -> bytes:
        return digest(self.secret.encode(), what.encode(), "sha256")


@dataclass(frozen=True, slots=True)
class ScriptedDice:
    """Fixed rolls, for tests and demonstrations."""

    kind: ClassVar[str] = "scripted"
    rolls: tuple[Roll, ...]

    def roll(self, dice: tuple[Die, ...], game: Rolling) -> Roll:
        """The roll whose turn it is."""
        return self.rolls[game.rolls]
