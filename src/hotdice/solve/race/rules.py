"""The interface a game implements to be solved as a banking race."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from hotdice.solve.graph import TurnGraph

S = TypeVar("S", bound=tuple[object, ...])


@dataclass(frozen=True)
class RaceTerms:
    """The parameters of a race.

    Attributes:
        target: the score to reach.
        entry: the fewest points that may be banked while the score is 0.
        carry_over: whether the next player, if on the pad, may continue with the remaining dice.
        last_lap: whether the others have one more turn once the target is reached; then the highest
            score wins, and ties share the win. Without it the first to reach the target wins.
        fresh_dice: the players' name for scoring all dice and rolling them again; may be empty.
        bust: the players' name for a roll that loses the turn.
    """

    target: int
    entry: int = 0
    carry_over: bool = False
    last_lap: bool = False
    fresh_dice: str = ""
    bust: str = "bust"


class BankingRace(Protocol[S]):
    """A game for two or more players in which a turn's points are banked or lost.

    Every roll is either a bust, which loses the turn's points, or offers ways to continue; with
    each of these the turn may also be ended, which adds its points to the score.
    """

    @property
    def terms(self) -> RaceTerms:
        """The parameters of the race."""

    def turn(self) -> TurnGraph:
        """A turn, compiled without the effects of target and entry."""

    def turn_at(self, scores: tuple[int, int]) -> S:
        """The state in which the first seat starts a turn with these scores."""

    def closer(self, state: S) -> int:
        """The seat that reached the target and started the last lap; -1 before that."""
