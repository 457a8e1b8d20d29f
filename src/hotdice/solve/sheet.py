"""Sheets: the values of one turn, for the seat that plays it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import log2
from typing import Generic, NamedTuple

import numpy as np

from hotdice.core.game import S
from hotdice.solve.arrays import Floats, Ints, Weighed


class Odds(NamedTuple):
    """The chance of something a player fears or hopes for.

    Attributes:
        name: what may happen.
        chance: how likely it is.
        fear: the same as a reason to stop, for instance ``losing the turn``; nothing for a hope.
    """

    name: str
    chance: float
    fear: str = ""


_BASES = (
    "Exact expected points of this turn, whatever they lead to in the game.",
    "Exact chance to win, played as well as possible.",
    "Exact chances to win between two players who both play their best.",
    "Estimated chances to win, from the exact chances against each of the others alone.",
)


class Sheet(ABC, Weighed, Generic[S]):
    """The values of one turn.

    Attributes:
        objective: what they are: ``win`` for chances to win, ``points`` for expected points.
        exact: whether they are the values of best play, or an estimate of them.
        basis: where they come from, in one sentence.
    """

    def __init__(self, players: int) -> None:
        """Chances to win among this many players; for none, points."""
        self.objective = "win" if players else "points"
        self.exact = players <= 2
        self.basis = _BASES[min(players, 3)]

    @abstractmethod
    def going(self, state: S) -> float:
        """The value of a state of this turn whose dice have to be rolled."""

    @abstractmethod
    def ending(self, before: S, after: S) -> float:
        """The value of the state after the event, at ``before``, that ended this turn."""

    def odds(self, state: S) -> tuple[Odds, ...]:
        """What the next roll may bring, at a state of this turn whose dice have to be rolled."""
        return ()

    def odds_after(self, before: S, after: S) -> tuple[Odds, ...]:
        """What can still be hoped for after the choice, at ``before``, that ended this turn."""
        return ()


def trust_in(players: int) -> float:
    """The power to raise chances against each of the others alone to before multiplying them.

    Whoever beats one is likelier to beat the next; with this power equals get equal shares.
    """
    return 1.0 if players < 3 else log2(players) / (players - 1)


def settled(after: Ints | int, others: Sequence[int]) -> Floats:
    """One's share of the win by one's final score, against others whose scores are final."""
    if not others:
        return np.ones(np.shape(after))
    best = max(others)
    tied = 1.0 / (1 + others.count(best))
    return np.where(np.greater(after, best), 1.0, np.where(np.equal(after, best), tied, 0.0))


def done_and_waiting(players: int, seat: int, closer: int) -> tuple[list[int], list[int]]:
    """The others in turn order: those whose score is final, and those who are still to move.

    The last lap goes round from the closer; where nobody has closed (-1) all are still to move.
    """
    others = [(seat + step) % players for step in range(1, players)]
    left = (closer - seat - 1) % players if closer >= 0 else len(others)
    return others[left:], others[:left]
