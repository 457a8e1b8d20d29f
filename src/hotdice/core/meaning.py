"""What choices and keeps mean, in numbers and words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

from hotdice.core.dice import Faces
from hotdice.core.words import seat_name

_LONGEST_CALL = 12
"""Characters of a name on a button; with longer ones, words take lines that no button has."""


class Meaning(NamedTuple):
    """What a choice does, in numbers and words.

    Attributes:
        points: the points it makes at once; negative for a loss.
        left: how many dice are left to roll.
        words: what is chosen, for instance ``Keep three 4s``.
        effect: its consequence, for instance ``Bank 95 → 215``.
        ends_turn: whether it ends the turn.
        whose: the other seat that the words speak of, as ``seat_name`` calls it, if they do.
    """

    points: int
    left: int
    words: str
    effect: str
    ends_turn: bool
    whose: int | None = None

    def named(self, names: Sequence[str]) -> Self:
        """The same with the name of the seat that the words speak of; without names, as it is."""
        if self.whose is None or not names:
            return self
        return self._replace(words=self.call(self.words, names))

    def call(self, words: str, names: Sequence[str]) -> str:
        """Words that quote the choice, with the name of the seat that they speak of."""
        if self.whose is None or not names:
            return words
        name = names[self.whose]
        short = name if len(name) <= _LONGEST_CALL else f"{name[: _LONGEST_CALL - 1].rstrip()}…"
        return words.replace(seat_name(self.whose), short, 1)


class Keep(NamedTuple):
    """One way to use a roll, regardless of the state."""

    dice: Faces
    points: int
    left: int
    words: str
