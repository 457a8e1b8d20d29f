"""Solves Farkle: a banking race with dice carried over and a last lap."""

from __future__ import annotations

from dataclasses import replace

from hotdice.games.farkle import Farkle, FarkleOptions, FarkleState
from hotdice.solve.graph import TurnGraph, compile_turn
from hotdice.solve.race.rules import RaceTerms
from hotdice.solve.race.solver import RaceSolver

_FAR = 1_000_000
_ON_PAD = (1000, 1000)
_STAKE = 3000
"""Additional points at stake in the shifted copy of the turn (``graph.compile_turn``)."""


class FarkleRace:
    """Farkle as a banking race."""

    def __init__(self, game: Farkle) -> None:
        self._options = game.options
        self.terms = RaceTerms(
            game.options.target,
            game.options.entry,
            carry_over=game.options.carry_over,
            last_lap=True,
            fresh_dice="hot dice",
            bust="farkle",
        )

    def turn(self) -> TurnGraph:
        """A turn on the pad, far from the target."""
        game = Farkle(replace(self._options, target=_FAR, entry=0))
        start = self.turn_at(_ON_PAD)
        return compile_turn(game, start, start._replace(total=_STAKE))

    def turn_at(self, scores: tuple[int, int]) -> FarkleState:
        """Six dice to roll and nothing at stake."""
        return FarkleState(scores)

    def closer(self, state: FarkleState) -> int:
        """Who started the last lap (F11)."""
        return state.closer


class FarkleSolver(RaceSolver[FarkleState, FarkleOptions]):
    """Solves Farkle."""

    def __init__(self, game: Farkle) -> None:
        super().__init__(game, FarkleRace(game))
