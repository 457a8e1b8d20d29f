"""Turn graphs agree with the rules, with exact probabilities."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hotdice import load_game
from hotdice.core.due import ToChoose
from hotdice.core.game import AnyGame
from hotdice.solve.graph import Outcome, TurnGraph, compile_turn

CASES = [
    ("farkle", "starts=seat entry=0 target=1000000", "scores=1000,1000"),
    ("farkle", "starts=seat entry=0 target=1000000 carry_over=off", "scores=1000,1000"),
    ("farkle", "starts=seat entry=0 target=1000000 four_and_pair=on one=7", "scores=1000,1000"),
    ("rogue", "target=1000000 war_at=1000000", "scores=0,0"),
    ("rogue", "target=1000000 war_at=1", "scores=1000,1000"),
    ("rogue", "target=1000000 war_at=1 run=90 pairs=1,2,3,4,5,6", "scores=1000,1000"),
    *(
        (
            "cockroach",
            f"starts=seat target=9999 any_start={a} extra_die={e} duplicates={d}",
            "scores=0,0",
        )
        for a in ("on", "off")
        for e in ("on", "off")
        for d in ("on", "off")
    ),
]


def drive(game: AnyGame, state: Any) -> dict[frozenset[Outcome], Fraction]:
    """What the rules offer after each roll from a state: outcomes with their chances."""
    found: dict[frozenset[Outcome], Fraction] = defaultdict(Fraction)
    for roll, chance in game.rolls(state):
        found[frozenset(_ends(game, state, state, roll, game.apply(state, roll)))] += chance
    return found


def _ends(game: AnyGame, start: Any, before: Any, event: Any, after: Any) -> list[Outcome]:
    over = game.turn_over(before, event, after)
    if not over and isinstance(game.due(after), ToChoose):
        return [
            end
            for choice in game.choices(after)
            for end in _ends(game, start, after, choice, game.apply(after, choice))
        ]
    seat, total = start.seat, getattr(start, "total", 0)
    gain = after.scores[seat] - start.scores[seat] if over else getattr(after, "total", 0)
    return [Outcome(over, game.turn_key(after), 0, gain - total)]


def compiled(game: AnyGame, state: Any) -> TurnGraph:
    """The turn graph, with points at stake where the game has any."""
    shifted = state._replace(total=3000) if "total" in state._fields else None
    return compile_turn(game, state, shifted)


def as_driven(total: int, outcomes: tuple[Outcome, ...]) -> frozenset[Outcome]:
    """The graph's outcomes at a total, in the form that ``drive`` returns."""
    return frozenset(Outcome(o.ends, o.key, 0, o.factor * total + o.add - total) for o in outcomes)


@pytest.mark.parametrize("slug, options, start", CASES)
def test_the_graph_and_the_rules_agree(slug: str, options: str, start: str) -> None:
    compare(slug, options, start, turns=12)


def compare(slug: str, options: str, start: str, *, turns: int) -> None:
    """Play turns by the rules; before every roll, graph and rules give the same outcomes."""
    game = load_game(slug, options)
    state = game.read_state(start)
    graph = compiled(game, state)
    rng = random.Random(f"{slug} {options}")
    seen: set[Hashable] = set()
    for _ in range(turns):
        here = state
        while True:
            key = game.turn_key(here)
            total = getattr(here, "total", 0)
            walked: dict[frozenset[Outcome], Fraction] = defaultdict(Fraction)
            for roll_class in graph.nodes[key]:
                walked[as_driven(total, roll_class.outcomes)] += roll_class.chance
            if (key, total) not in seen:
                assert dict(walked) == dict(drive(game, here))
                seen.add((key, total))
            following = _random_turn(game, here, rng)
            if following is None:
                break
            here = following
    assert seen


def numbers(low: int, high: int, count: int) -> st.SearchStrategy[str]:
    some = st.lists(st.integers(low, high), min_size=count, max_size=count)
    return some.map(lambda found: ",".join(str(number) for number in found))


SWITCH = st.sampled_from(["on", "off"])
SOME_OPTIONS = st.one_of(
    st.builds(
        (
            "starts=seat entry=0 target=1000000 one={} five={} three_ones={} three_times={} "
            "four_times={} straight={} three_pairs={} carry_over={} four_and_pair={}"
        ).format,
        *(st.integers(1, 40) for _ in range(4)),
        st.integers(1, 5),
        *(st.integers(1, 200) for _ in range(2)),
        SWITCH,
        SWITCH,
    ).map(lambda options: ("farkle", options, "scores=1000,1000")),
    st.builds(
        ("target=1000000 war_at=1 pairs={} triplets={} quads={} run={} six_critters={}").format,
        *(numbers(1, 60, 6) for _ in range(3)),
        st.integers(1, 300),
        st.integers(1, 300),
    ).map(lambda options: ("rogue", options, "scores=1000,1000")),
    st.builds(
        "starts=seat target=9999 shortest={} any_start={} extra_die={} duplicates={}".format,
        st.integers(1, 5),
        SWITCH,
        SWITCH,
        SWITCH,
    ).map(lambda options: ("cockroach", options, "scores=0,0")),
)


@settings(max_examples=12)
@given(SOME_OPTIONS)
def test_the_graph_and_the_rules_agree_under_any_options(case: tuple[str, str, str]) -> None:
    compare(*case, turns=3)


def _random_turn(game: AnyGame, state: Any, rng: random.Random) -> Any:
    """The next state with dice to roll in the same turn, if the turn goes on."""
    rolls = game.rolls(state)
    event: Any = rng.choices([r for r, _ in rolls], [float(c) for _, c in rolls])[0]
    before, after = state, game.apply(state, event)
    while not game.turn_over(before, event, after):
        if not isinstance(game.due(after), ToChoose):
            return after
        event = rng.choice(game.choices(after))
        before, after = after, game.apply(after, event)
    return None


@pytest.mark.parametrize("slug, options, start", CASES)
def test_every_node_has_a_total_chance_of_1(slug: str, options: str, start: str) -> None:
    game = load_game(slug, options)
    graph = compiled(game, game.read_state(start))
    for classes in graph.nodes.values():
        assert sum(roll_class.chance for roll_class in classes) == 1
        assert all(roll_class.outcomes for roll_class in classes)


def test_a_farkle_turn_is_six_nodes_and_few_classes() -> None:
    game = load_game("farkle", "starts=seat entry=0 target=1000000")
    graph = compiled(game, game.read_state("scores=1000,1000"))
    assert sorted(graph.nodes, key=repr) == [1, 2, 3, 4, 5, 6]
    assert sum(len(classes) for classes in graph.nodes.values()) == 234


def test_the_last_rogue_doubles() -> None:
    game = load_game("rogue", "target=1000000 war_at=1000000")
    graph = compiled(game, game.read_state("scores=0,0"))
    last = graph.nodes["roll", 1, 0]
    assert {(c.chance, o.factor, o.add) for c in last for o in c.outcomes} == {
        (Fraction(1, 6), 2, 0),
        (Fraction(5, 6), 1, 0),
    }
