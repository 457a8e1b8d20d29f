"""What a game says of itself to be solved as a banking race."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from hotdice.solve.graph import TurnGraph

S = TypeVar("S", bound=tuple[object, ...])


@dataclass(frozen=True)
class RaceTerms:
    """The numbers of a race.

    Attributes:
        target: the score to reach.
        entry: the fewest points a first turn may be banked with.
        carry_over: whether the next player may go on with the dice left unrolled, once on the pad.
        last_lap: whether the others have one more turn once the target is reached; the highest
            score wins then, and equal ones share. Without it the first to reach the target wins.
        fresh_dice: what players call using all dice and rolling them anew; nothing if they do not.
    """

    target: int
    entry: int = 0
    carry_over: bool = False
    last_lap: bool = False
    fresh_dice: str = ""


class BankingRace(Protocol[S]):
    """A game for two or more in which a turn's points are banked or lost.

    Every roll is a bust that loses the turn's points, or leaves ways to go on; with each of them
    the turn may be ended too, which adds its points to the score.
    """

    @property
    def terms(self) -> RaceTerms:
        """The numbers of the race."""

    def turn(self) -> TurnGraph:
        """A turn, compiled with target and entry out of the way."""

    def turn_at(self, scores: tuple[int, int]) -> S:
        """The state in which the first seat starts a turn at these scores."""

    def closer(self, state: S) -> int:
        """The seat that has reached the target and started the last lap; -1 before that."""
