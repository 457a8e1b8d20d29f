"""Turn graphs: a game's turn, compiled by driving its rules.

A node is dice about to be rolled, as far as they matter within the turn (``Game.turn_key``). A roll
class is all rolls that leave the same outcomes to choose from. An outcome either goes on at another
node or ends the turn. What it does to the turn's points is a multiple of what was there plus a
number, found by playing the same events twice, with different points at stake.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

from hotdice.core.due import ToChoose, ToRoll, seat_of
from hotdice.core.events import Event
from hotdice.core.game import Game, O, S

T = TypeVar("T", bound=Hashable)


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


@dataclass(frozen=True)
class _Twin(Generic[S]):
    """The same position twice, with and without additional points at stake."""

    plain: S
    shifted: S


def compile_turn(game: Game[S, O], state: S, shifted: S | None = None) -> TurnGraph:
    """The turn that begins at a state.

    Args:
        game: the rules.
        state: where the turn begins, at scores such that no turn ends the game or starts anything:
            what a turn's points lead to in the game at large is the solver's business.
        shifted: the same with many points at stake; without it nothing is at stake in such turns.
    """
    start = _Twin(state, state if shifted is None else shifted)
    waiting = {game.turn_key(state): start}
    nodes: dict[Hashable, tuple[RollClass, ...]] = {}
    known: dict[Hashable, tuple[tuple[Outcome, ...], dict[Outcome, _Twin[S]]]] = {}
    seat = seat_of(game.due(state))
    while waiting:
        key, twin = waiting.popitem()
        found: dict[tuple[Outcome, ...], Fraction] = defaultdict(Fraction)
        for roll, chance in game.rolls(twin.plain):
            rolled = _Twin(game.apply(twin.plain, roll), game.apply(twin.shifted, roll))
            same = rolled, game.at_stake(twin.plain, seat)
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


def _outcomes(
    game: Game[S, O], before: _Twin[S], event: Event, last: _Twin[S], after: _Twin[S]
) -> Iterator[tuple[Outcome, _Twin[S]]]:
    """What can come of a roll, all choices made until dice fall again or the turn ends."""
    seat = seat_of(game.due(before.plain))
    due = game.due(after.plain)
    ends = game.turn_over(last.plain, event, after.plain)
    if not ends and isinstance(due, ToChoose):
        for choice in game.choices(after.plain):
            chosen = _Twin(game.apply(after.plain, choice), game.apply(after.shifted, choice))
            yield from _outcomes(game, before, choice, after, chosen)
        return
    if not ends and not isinstance(due, ToRoll):
        raise AssertionError("a turn goes on with dice or choices")
    plain = _points(game, before.plain, after.plain, seat, ends=ends)
    shifted = _points(game, before.shifted, after.shifted, seat, ends=ends)
    staked = game.at_stake(before.plain, seat)
    shift = game.at_stake(before.shifted, seat) - staked
    factor = (shifted - plain) // shift if shift else 0
    add = plain - factor * staked
    yield Outcome(ends, game.turn_key(after.plain), factor, add), after


def _points(game: Game[S, O], before: S, after: S, seat: int, *, ends: bool) -> int:
    if ends:
        return game.score(after, seat) - game.score(before, seat)
    return game.at_stake(after, seat)


def share_steps(
    sets: Mapping[frozenset[T], Fraction], depth: int, steps: list[tuple[int, T, float]]
) -> None:
    """Roll classes as steps for a kernel, depth first.

    Each step takes one more outcome into the best so far; classes that share outcomes share the
    steps that lead there, as words share a prefix in a trie. A step that completes a class has the
    class's chance, any other 0.
    """
    left = dict(sets)
    while left:
        common = Counter(outcome for found in left for outcome in found)
        best = max(common, key=lambda outcome: (common[outcome], repr(outcome)))
        within = {found - {best}: chance for found, chance in left.items() if best in found}
        left = {found: chance for found, chance in left.items() if best not in found}
        done = within.pop(frozenset(), Fraction(0))
        steps.append((depth, best, float(done)))
        share_steps(within, depth + 1, steps)
