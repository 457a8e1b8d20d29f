"""The solvers against exact fractions: small games solved from the rules and proved optimal.

Where a game has infinitely many states, distant ones are replaced by states that are at least as
good for the first seat. The first seat's chance is then an upper bound, and the second seat's, with
seats exchanged, a lower bound; where both are equal, they are the value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from hotdice.core.events import Roll
from hotdice.core.game import AnyGame
from hotdice.games.cockroach import Cockroach
from hotdice.games.farkle import Farkle
from hotdice.games.rogue import Rogue
from hotdice.solve.solutions import no_progress
from hotdice.solvers.cockroach import CockroachSolver
from hotdice.solvers.farkle import FarkleSolver
from hotdice.solvers.rogue import RogueSolver
from tests.solve.exact import Chance, Decision, End, Node, settle, solve_exactly
from tests.solve.merging import FAR, SIXES, merge_farkle

WIN, LOSS = End(Fraction(1)), End(Fraction(0))


# Farkle ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, cut",
    [
        ("target=18 entry=12 carry_over=on three_pairs=6", 144),
        ("target=18 entry=12 carry_over=off three_pairs=12 four_and_pair=on", 162),
    ],
)
def test_farkle_is_solved_exactly(options: str, cut: int) -> None:
    """Both bounds are equal: optimal play never reaches a total above the cut."""
    game = Farkle.with_options(f"starts=seat {SIXES} {options}")
    table = FarkleSolver(game).compute(no_progress)
    begin = game.start(2)
    scores = [0, *range(max(6, game.options.entry), game.options.target, 6)]
    low, high = [], []
    for own, other in product(scores, repeat=2):
        high.append(begin._replace(scores=(own, other), seat=0))
        low.append(begin._replace(scores=(other, own), seat=1))
    solved = solve_exactly(game, low + high, same=merge_farkle(game, cut), alike=_keeps_of(game))
    for (own, other), lower, upper in zip(product(scores, repeat=2), low, high, strict=True):
        exact = solved.at(upper)
        assert exact == 1 - solved.at(lower)
        assert abs(float(exact) - table.value(own, other)) < 1e-12


def _keeps_of(game: AnyGame) -> Callable[[Roll], Hashable]:
    """Points and dice left for every keep of a roll."""
    return lambda roll: frozenset((keep.points, keep.left) for keep in game.keeps(roll.faces))


# Rogue -----------------------------------------------------------------------------------

ONES = " ".join(f"{row}=1,1,1,1,1,1" for row in ("pairs", "triplets", "quads", "quints"))
MIXED = "pairs=1,1,1,1,1,2 triplets=1,1,1,1,2,2 quads=2,2,2,2,2,2 quints=2,2,2,2,2,3"


@pytest.mark.parametrize(
    "options, farthest",
    [
        (f"target=1 war_at=1 {ONES} six_numbers=1 six_critters=1 run=1", 36),
        (f"target=3 war_at=2 {ONES} six_numbers=1 six_critters=1 run=1", 36),
        (f"target=3 war_at=3 {MIXED} six_numbers=3 six_critters=3 run=2", 36),
    ],
)
def test_rogue_lies_between_exact_bounds(options: str, farthest: int) -> None:
    game = Rogue.with_options(options)
    table = RogueSolver(game).compute(no_progress)
    begin = game.start(2)
    places = list(product(range(game.options.target), range(game.options.target), (True, False)))
    low, high = [], []
    for own, other, first in places:
        high.append(begin._replace(scores=(own, other), seat=0, first=int(not first)))
        low.append(begin._replace(scores=(other, own), seat=1, first=int(first)))
    same, alike = _same_rogue(game, farthest), _keeps_with_rogues(game)
    solved = solve_exactly(game, low + high, same=same, alike=alike)
    for (own, other, first), lower, upper in zip(places, low, high, strict=True):
        least, most = 1 - solved.at(lower), solved.at(upper)
        assert 0 <= most - least < Fraction(1, 10**10)
        assert float(least) - 1e-12 < table.value(own, other, first=first) < float(most) + 1e-12


def _same_rogue(game: AnyGame, farthest: int) -> Callable[[Any], Any]:
    """Merge states: dice aside by count and, once the target is reached, scores by a capped lead.

    A greater lead is never worse: its holder can play as with the smaller one, and does at least
    as well at the end of every round.
    """
    target = game.options.target

    def same(state: Any) -> Any:
        scores = state.scores
        if state.phase == "over":
            return state
        if max(scores) >= target:
            lead = scores[0] - scores[1]
            lead = FAR if lead > farthest else max(-farthest, lead)
            scores = (target + max(0, lead), target + max(0, -lead))
        kept = (1,) * state.lone + (2,) * (len(state.kept) - state.lone)
        return state._replace(scores=scores, kept=kept)

    return same


def _keeps_with_rogues(game: AnyGame) -> Callable[[Roll], Hashable]:
    """Points, dice left and lone rogues for every keep of a roll."""
    return lambda roll: frozenset(
        (k.points, k.left, k.dice == (1,)) for k in game.keeps(roll.faces)
    )


# Cockroach -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        "target=1",
        "target=2 any_start=on",
        "target=2 extra_die=on duplicates=on",
        "target=2 any_start=on extra_die=on duplicates=on",
        "target=2 shortest=1",
        "target=3 extra_die=on",
    ],
)
def test_cockroach_is_solved_exactly(options: str) -> None:
    game = Cockroach.with_options(f"starts=seat {options}")
    table = CockroachSolver(game).compute(no_progress)
    scores = [0, *range(game.options.shortest, game.options.target)]
    places = list(product(scores, repeat=2))
    states = [game.start(2)._replace(scores=place) for place in places]
    solved = solve_exactly(game, states, same=_same_cockroach)
    for state, (own, other) in zip(states, places, strict=True):
        assert abs(float(solved.at(state)) - table.value(own, other)) < 1e-10


def _same_cockroach(state: Any) -> Any:
    """Merge states: dead dice by count, the last lap by missing points."""
    if state.closer < 0 or state.phase == "over":
        return state._replace(dead=(6,) * len(state.dead))
    missing = state.scores[state.closer] - state.scores[state.seat]
    scores = (0, missing) if state.closer else (missing, 0)
    return state._replace(dead=(6,) * len(state.dead), scores=scores)


# The proof itself ------------------------------------------------------------------------


def test_a_loop_is_solved_exactly() -> None:
    """The first seat rolls to win, lose or hand over; the second may also hand back at once."""
    first, second = Chance({1: 1, 0: 1, 4: 1}, 3), Chance({0: 1, 1: 1, 2: 1}, 3)
    nodes: list[Node] = [LOSS, WIN, first, second, Decision(1, (2, 3))]
    assert settle(nodes)[2] == Fraction(1, 2)
    tempting: list[Node] = [LOSS, WIN, Chance({1: 2, 4: 1}, 3), second, Decision(1, (2, 3))]
    assert settle(tempting)[2] == Fraction(7, 8)


def test_a_game_that_never_ends_is_refused() -> None:
    with pytest.raises(ArithmeticError, match="never ends"):
        settle([LOSS, WIN, Chance({3: 1}, 1), Chance({2: 1}, 1)])


def test_a_seat_that_can_prevent_the_end_is_detected() -> None:
    """Sharing the win looks as good as waiting, and waiting may take for ever."""
    half = End(Fraction(1, 2))
    for seat in (0, 1):
        with pytest.raises(ArithmeticError, match="from ending"):
            settle([LOSS, WIN, half, Decision(seat, (2, 4)), Chance({3: 1}, 1)])
