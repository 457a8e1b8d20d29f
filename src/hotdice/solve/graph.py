"""Turn graphs: a game's turn, compiled by running its rules.

A node is a state with dice to roll, reduced to what matters within the turn (``Game.turn_key``). A
roll class is the set of rolls that offer the same outcomes. An outcome either continues at another
node or ends the turn. Its effect on the turn's points is linear, ``factor * points + add``, and is
found by playing the same events twice with different points at stake.
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
    """The outcome of a choice, or of a roll that offers none.

    Attributes:
        ends: whether the turn is over.
        key: the node it continues at, or what it leaves to the next turn.
        factor: what the points of the turn so far are multiplied by.
        add: the points then added.
    """

    ends: bool
    key: Hashable
    factor: int
    add: int


class RollClass(NamedTuple):
    """The rolls with the same outcomes, and their total probability."""

    chance: Fraction
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True)
class TurnGraph:
    """A turn: its start node, and each node's roll classes."""

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
    """Compile the turn that starts at a state.

    Args:
        game: the rules.
        state: the start of the turn, at scores from which no turn ends the game or triggers a last
            lap: the effect of a turn's points on the game is handled by the solver.
        shifted: the same state with many points at stake; ``None`` for turns without a stake.
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
    """The outcomes of a roll, following all choices to the next roll or the end of the turn."""
    seat = seat_of(game.due(before.plain))
    due = game.due(after.plain)
    ends = game.turn_over(last.plain, event, after.plain)
    if not ends and isinstance(due, ToChoose):
        for choice in game.choices(after.plain):
            chosen = _Twin(game.apply(after.plain, choice), game.apply(after.shifted, choice))
            yield from _outcomes(game, before, choice, after, chosen)
        return
    if not ends and not isinstance(due, ToRoll):
        raise AssertionError("a turn continues with a roll or a choice")
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
    """Append roll classes as steps for a kernel: a trie of outcome sets, in depth-first order.

    Each step takes the maximum of the best value so far and one more outcome. A step that completes
    a class has that class's chance; any other has 0.
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
