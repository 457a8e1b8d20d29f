"""Positions to learn from: every one is a real, clear and tempting decision."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from tools.games import play

from hotdice import game_names, load_game
from hotdice.analysis import training
from hotdice.analysis.training import (
    CLEAR,
    TEMPTING,
    Lesson,
    NoPosition,
    difficulty,
    difficulty_word,
    find_lesson,
)
from hotdice.bots import LEVELS, chances
from hotdice.core.due import ToChoose
from hotdice.core.game import AnyGame
from hotdice.solve.coach import advise, prepare
from tests.analysis.games import RACE

SHORT = {
    "farkle": "target=60 entry=20",
    "rogue": "target=40 war_at=1 run=9 pairs=1,2,3,4,5,6",
    "cockroach": "target=6",
    "peruke": "games=2",
    "go500": RACE,
    "pig": "target=10",
}
"""Rules that are solved at once."""


def check(game: AnyGame, lesson: Lesson) -> None:
    """A lesson is what it says, by the coach and by what the bots do."""
    state, choices = lesson.state, game.choices(lesson.state)
    advice = advise(game, state, lesson.objective)
    assert isinstance(game.due(state), ToChoose)
    assert game.read_state(game.state_text(state)) == state
    assert advice.best.choice in lesson.right
    assert 0 < len(lesson.right) < len(choices)
    costs = {one.choice: one.cost for one in advice.counsels}
    assert all(costs[choice] <= 1e-9 for choice in lesson.right)
    rest = [cost for choice, cost in costs.items() if choice not in lesson.right]
    assert min(rest) == pytest.approx(lesson.gap)
    assert lesson.objective == "points" or lesson.gap >= CLEAR
    assert max(lesson.misses[level] for level in ("greedy", "casual", "sharp")) >= TEMPTING
    assert 0 <= lesson.difficulty <= 100
    for level in ("greedy", "sharp"):
        chosen = LEVELS[level].play(game, state, Random(1))
        assert lesson.misses[level] == (chosen not in lesson.right)
        assert lesson.costs[level] == pytest.approx(costs[chosen])


@pytest.mark.parametrize("slug", [*game_names(), "pig"])
def test_lessons_are_clear_tempting_and_the_same_everywhere(slug: str, toy: str) -> None:
    game = load_game(slug, SHORT[slug])
    prepare(game, training.usual_players(game))
    found = [find_lesson(game, str(number)) for number in range(3)]
    for lesson in found:
        check(game, lesson)
    fresh = load_game(slug, SHORT[slug])
    assert [find_lesson(fresh, str(number)) for number in range(3)] == found
    assert len({game.state_text(lesson.state) for lesson in found}) > 1


@pytest.mark.parametrize(
    "slug, options",  # which no other test solves
    [
        ("farkle", "target=990"),
        ("rogue", "target=1990"),
        ("cockroach", "target=24"),
        ("go500", "rerolls=3"),
    ],
)
def test_what_is_not_solved_is_judged_by_points(slug: str, options: str) -> None:
    game = load_game(slug, options)
    lesson = find_lesson(game, "1")
    assert lesson.objective == "points"
    check(game, lesson)


def test_rules_with_nothing_to_decide_get_a_sentence(toy: str) -> None:
    game = load_game("pig", "target=1")
    prepare(game, 2)
    with pytest.raises(NoPosition, match="There is nothing to practise in Pig under these rules"):
        find_lesson(game, "1")


@pytest.mark.parametrize("level", ["random", "casual"])
def test_how_likely_bots_choose_is_how_often_they_do(level: str) -> None:
    game = load_game("farkle", "starts=seat entry=0")
    record = play(game, ("sharp", "sharp"), Random(5), 60)
    state = max(
        (step.before for step in record.steps() if game.choices(step.before)),
        key=lambda one: len(game.choices(one)),
    )
    rng, throws = Random(8), 400
    counted = Counter(LEVELS[level].play(game, state, rng) for _ in range(throws))
    expected = chances(level, game, state)
    assert sum(expected.values()) == pytest.approx(1)
    assert counted.keys() <= expected.keys()
    for choice, chance in expected.items():
        assert counted[choice] / throws == pytest.approx(chance, abs=0.08)


def test_the_difficulty_goes_from_0_to_100() -> None:
    nobody, all_of_them = (dict.fromkeys(training.WEIGHTS, part) for part in (0.0, 1.0))
    assert difficulty(nobody, 1.0) == 0
    assert difficulty(all_of_them, 0.0) == 100
    assert difficulty({**nobody, "random": 0.5, "greedy": 1.0}, 1.0) == 25
    assert [difficulty_word(hard) for hard in (0, 29, 30, 45, 60, 100)] == [
        *("easy", "easy", "medium", "hard", "very hard", "very hard")
    ]
