"""Rogue's turn, compiled from the rules, and what is solved from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from hotdice.games.rogue import Rogue, RogueState
from hotdice.solve.arrays import Floats
from hotdice.solve.graph import TurnGraph, compile_turn
from hotdice.solvers.rogue.unrolled import Position, Unrolled

_FAR = 1_000_000
_STAKE = 3000
"""Points at stake in one of two equal turns, to see what becomes of them."""
_DEEPEST = 64
"""More outcomes than any roll leaves."""


@dataclass(frozen=True)
class RogueSolution:
    """The solved game.

    Attributes:
        first: chance to win of who moves first in the round, by sum of scores and own score.
        second: the same for who moves second.
        behind: chance of who moves second in a last round and lags by so much.
        ahead: chance of who moves first in a last round, leads by so much and is to move.
        residual: the greatest difference between a value and what one look ahead gives.
        seconds: how long it took.
        states: how many pairs of scores were solved, for both places in the round.
    """

    first: Floats
    second: Floats
    behind: Floats
    ahead: Floats
    residual: float
    seconds: float
    states: int

    def value(self, own: int, other: int, *, first: bool) -> float:
        """The chance to win at the start of one's turn of the round."""
        return float((self.first if first else self.second)[own + other, own])


def turn_graph(game: Rogue) -> TurnGraph:
    """A turn in war, compiled with the target out of the way."""
    relaxed = Rogue(replace(game.options, target=_FAR, war_at=1))
    start = RogueState((1000, 1000))
    return compile_turn(relaxed, start, start._replace(total=_STAKE))


def how_it_ends(end: Position) -> str:
    """How a turn ended: ``roll`` for the next turn, ``extra`` with one more, ``over`` at once."""
    key, _ = end
    return str(key[0]) if isinstance(key, tuple) else ""


Steps = list[list[tuple[int, int, float]]]
"""The steps of each position: depth, place and weight."""


def spell_out(turn: Unrolled) -> Steps:
    """The steps of each position as plain numbers, for running through them one by one."""
    flat = zip(turn.depth.tolist(), turn.place.tolist(), turn.weight.tolist(), strict=True)
    steps = list(flat)
    return [steps[begin:end] for begin, end in pairwise(turn.first.tolist())]


def run_steps(steps: Steps, ends: Floats) -> list[float]:
    """The value of every end and position, given the ends; the last one is the turn's."""
    values: list[float] = ends.tolist()
    best = [-1e18] * (_DEEPEST + 1)
    for here in steps:
        total = 0.0
        for depth, place, weight in here:
            before, reached = best[depth], values[place]
            after = best[depth + 1] = reached if reached > before else before  # noqa: FURB136 - quick
            if weight:
                total += weight * after
        values.append(total)
    return values
