"""Sheets: the values of one turn, for the seat whose turn it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log2
from typing import Generic, NamedTuple

import numpy as np

from hotdice.core.game import S
from hotdice.solve.arrays import Floats, Ints, Weighed


class Odds(NamedTuple):
    """The chance of a notable outcome.

    Attributes:
        name: what may happen.
        chance: its probability.
        fear: its name as a reason to stop, such as ``losing the turn``; empty for a good outcome.
    """

    name: str
    chance: float
    fear: str = ""


PASSING = "to pass the leader this turn"
"""Ending the turn ahead of everybody, where somebody else is ahead now."""

_BASES = (
    "Exact expected points of this turn alone.",
    "Exact chance to win with best play.",
    "Exact chances to win if both players play their best.",
    "Estimated chances to win, from the exact chances against each opponent alone.",
)


class Sheet(ABC, Weighed, Generic[S]):
    """The values of one turn.

    Attributes:
        objective: what values mean: ``win`` for chances to win, ``points`` for expected points.
        exact: whether values are exact or estimated.
        basis: where values come from, in one sentence.
    """

    def __init__(self, players: int) -> None:
        """Chances to win among this many players; 0 for expected points."""
        self.objective = "win" if players else "points"
        self.exact = players <= 2
        self.basis = _BASES[min(players, 3)]

    @abstractmethod
    def going(self, state: S) -> float:
        """The value of a state of this turn that has dice to roll."""

    @abstractmethod
    def ending(self, before: S, after: S) -> float:
        """The value of ``after``, reached by the event at ``before`` that ended this turn."""

    def recorded(self, state: S) -> float:
        """The points made before this turn that its values leave out."""
        return 0.0

    def variance(self, state: S) -> float | None:
        """The variance of the value after the next roll; ``None`` if it takes long to find."""
        return None

    def bust(self, state: S) -> float | None:
        """The chance that the next roll ends the turn with nothing made; ``None`` as above."""
        return None

    def odds(self, state: S) -> tuple[Odds, ...]:
        """The odds of the next roll, at a state of this turn that has dice to roll."""
        return ()

    def odds_after(self, before: S, after: S) -> tuple[Odds, ...]:
        """The odds that remain after the choice at ``before`` that ended this turn."""
        return ()


def share_exponent(players: int) -> float:
    """The exponent for chances against single opponents before they are multiplied.

    Beating one opponent correlates with beating the next, so a plain product is too low. With this
    exponent equal players get equal shares.
    """
    return 1.0 if players < 3 else log2(players) / (players - 1)


def settled(after: Ints | int, others: Sequence[int]) -> Floats:
    """The share of the win by final score, against opponents whose scores are final."""
    if not others:
        return np.ones(np.shape(after))
    best = max(others)
    tied = 1.0 / (1 + others.count(best))
    return np.where(np.greater(after, best), 1.0, np.where(np.equal(after, best), tied, 0.0))


def done_and_waiting(players: int, seat: int, closer: int) -> tuple[list[int], list[int]]:
    """The opponents in turn order: those whose score is final, and those still to move.

    The last lap ends before the closer; without a closer (-1) everyone is still to move.
    """
    others = [(seat + step) % players for step in range(1, players)]
    left = (closer - seat - 1) % players if closer >= 0 else len(others)
    return others[left:], others[:left]
