"""Rogue's turn, compiled from the rules, and the solution computed from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from hotdice.games.rogue import Rogue, RogueState
from hotdice.solve.arrays import Floats
from hotdice.solve.graph import TurnGraph, compile_turn
from hotdice.solvers.rogue.unrolled import Position, Unrolled

_FAR = 1_000_000
_STAKE = 3000
"""Additional points at stake in the shifted copy of the turn (``graph.compile_turn``)."""
_DEEPEST = 64
"""An upper bound on the outcomes of a roll."""


@dataclass(frozen=True)
class RogueSolution:
    """The solved game.

    Attributes:
        first: chance to win when moving first in the round, by sum of scores and own score.
        second: the same when moving second.
        behind: chance to win when moving second in a last round, by points behind.
        ahead: chance to win when moving first in a last round, by points ahead before the turn.
        residual: the largest change of a value in the last iteration.
        seconds: how long solving took.
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
    """A turn in war, compiled without the effect of the target."""
    relaxed = Rogue(replace(game.options, target=_FAR, war_at=1))
    start = RogueState((1000, 1000))
    return compile_turn(relaxed, start, start._replace(total=_STAKE))


def how_it_ends(end: Position) -> str:
    """How a turn ended: ``roll`` plainly, ``extra`` with another turn, ``over`` with the game."""
    key, _ = end
    return str(key[0]) if isinstance(key, tuple) else ""


Steps = list[list[tuple[int, int, float]]]
"""The steps of each position: depth, place and weight."""


def step_lists(turn: Unrolled) -> Steps:
    """The steps of each position as Python numbers, which are faster than NumPy scalars."""
    flat = zip(turn.depth.tolist(), turn.place.tolist(), turn.weight.tolist(), strict=True)
    steps = list(flat)
    return [steps[begin:end] for begin, end in pairwise(turn.first.tolist())]


def run_steps(steps: Steps, ends: Floats) -> list[float]:
    """The value of every end and position, given the ends; the last one is the start."""
    values: list[float] = ends.tolist()
    best = [-1e18] * (_DEEPEST + 1)
    for here in steps:
        total = 0.0
        for depth, place, weight in here:
            before, reached = best[depth], values[place]
            after = best[depth + 1] = reached if reached > before else before  # noqa: FURB136 - faster
            if weight:
                total += weight * after
        values.append(total)
    return values
