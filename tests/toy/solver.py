"""Solves Pig as a banking race, the way a third party's package would."""

from __future__ import annotations

from hotdice.solve.graph import TurnGraph, compile_turn
from hotdice.solve.race.rules import RaceTerms
from hotdice.solve.race.solver import RaceSolver
from tests.toy.game import Pig, PigOptions, PigState


class PigRace:
    def __init__(self, game: Pig) -> None:
        self.terms = RaceTerms(game.options.target)

    def turn(self) -> TurnGraph:
        start = PigState((0, 0))
        return compile_turn(Pig(PigOptions(target=1000)), start, start._replace(total=500))

    def turn_at(self, scores: tuple[int, int]) -> PigState:
        return PigState(scores)

    def closer(self, state: PigState) -> int:
        return -1  # whoever reaches the target wins at once


class PigSolver(RaceSolver[PigState, PigOptions]):
    def __init__(self, game: Pig) -> None:
        super().__init__(game, PigRace(game))
