"""Turn graphs: a game's turn, compiled by driving its rules.

A node is dice about to be rolled, as far as it matters within the turn. A roll class is all
rolls that leave the same outcomes to choose from. An outcome either goes on at another node or
ends the turn. What it does to the turn's points is a multiple of what was there plus a number,
found by playing the same events twice, with different points at stake.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from hotdice.core.events import Event
from hotdice.core.game import AnyGame, ToChoose, ToRoll

_SHIFT = 3000
"""Points added to the second of two equal games to see what becomes of them."""


class Outcome(NamedTuple):
    """What a choice (or a roll that leaves none) comes to.

    Attributes:
        ends: whether the turn is over.
        key: the node it goes on at, or what it leaves to the next turn.
        factor: how often the points of the turn so far count.
        add: the points that come on top.
    """

    ends: bool
    key: Hashable
    factor: int
    add: int


class RollClass(NamedTuple):
    """All rolls with the same outcomes, and their chance."""

    chance: Fraction
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class TurnGraph:
    """A turn: the node it starts at, and each node's roll classes."""

    start: Hashable
    nodes: dict[Hashable, tuple[RollClass, ...]]

    def outcomes(self) -> Iterator[Outcome]:
        """Every outcome of every class."""
        for classes in self.nodes.values():
            for roll_class in classes:
                yield from roll_class.outcomes


class _Twin(NamedTuple):
    """The same position twice, with and without additional points at stake."""

    plain: Any
    shifted: Any


def compile_turn(game: AnyGame, state: Any) -> TurnGraph:
    """The turn that begins at ``state``.

    The scores in ``state`` should be such that no turn ends the game or starts anything; what a
    turn's points lead to in the game at large is the solver's business.
    """
    start = _Twin(state, _shift(state))
    waiting = {game.turn_key(state): start}
    nodes: dict[Hashable, tuple[RollClass, ...]] = {}
    known: dict[Hashable, tuple[tuple[Outcome, ...], dict[Outcome, _Twin]]] = {}
    while waiting:
        key, twin = waiting.popitem()
        found: dict[tuple[Outcome, ...], Fraction] = defaultdict(Fraction)
        for roll, chance in game.rolls(twin.plain):
            rolled = _Twin(game.apply(twin.plain, roll), game.apply(twin.shifted, roll))
            same = rolled, getattr(twin.plain, "total", 0)
            if same not in known:
                outcomes = dict(_outcomes(game, twin, roll, twin, rolled))
                known[same] = tuple(sorted(outcomes, key=repr)), outcomes
            sorted_outcomes, outcomes = known[same]
            found[sorted_outcomes] += chance
            for outcome, after in outcomes.items():
                if not outcome.ends and outcome.key not in nodes and outcome.key != key:
                    waiting.setdefault(outcome.key, after)
        nodes[key] = tuple(RollClass(chance, outcomes) for outcomes, chance in found.items())
    return TurnGraph(game.turn_key(state), nodes)


def _shift(state: Any) -> Any:
    return state._replace(total=state.total + _SHIFT) if hasattr(state, "total") else state


def _outcomes(
    game: AnyGame, before: _Twin, event: Event, last: _Twin, after: _Twin
) -> Iterator[tuple[Outcome, _Twin]]:
    """What can come of a roll, all choices made until dice fall again or the turn ends."""
    seat = before.plain.seat
    due = game.due(after.plain)
    ends = game.turn_over(last.plain, event, after.plain)
    if not ends and isinstance(due, ToChoose):
        for choice in game.choices(after.plain):
            chosen = _Twin(game.apply(after.plain, choice), game.apply(after.shifted, choice))
            yield from _outcomes(game, before, choice, after, chosen)
        return
    if not ends and not isinstance(due, ToRoll):
        raise AssertionError("a turn goes on with dice or choices")
    plain = _points(before.plain, after.plain, seat, ends=ends)
    shifted = _points(before.shifted, after.shifted, seat, ends=ends)
    shift = getattr(before.shifted, "total", 0) - getattr(before.plain, "total", 0)
    factor = (shifted - plain) // shift if shift else 0
    add = plain - factor * getattr(before.plain, "total", 0)
    yield Outcome(ends, game.turn_key(after.plain), factor, add), after


def _points(before: Any, after: Any, seat: int, *, ends: bool) -> int:
    if ends:
        return int(after.scores[seat] - before.scores[seat])
    return int(getattr(after, "total", 0))
