"""Which tests are not traced for coverage, and when to raise its floor."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
SLACK = 1.5
"""How many percentage points coverage may be above the floor before it should be raised."""

UNMEASURED = {
    "tests/analysis/test_busts.py": "brute force",
    "tests/analysis/test_guessing.py::"
    "test_the_chance_is_that_of_every_way_the_dice_can_fall": "brute force",
    "tests/analysis/test_report.py::test_luck_and_costs_add_up_to_the_result": "whole games",
    "tests/analysis/test_report.py::"
    "test_luck_has_no_expectation_and_the_variance_it_is_said_to_have": "brute force",
    "tests/analysis/test_report.py::test_perfect_bots_give_nothing_away": "whole games",
    "tests/analysis/test_training.py::"
    "test_how_likely_bots_choose_is_how_often_they_do": "thousands of choices",
    "tests/analysis/test_training.py::"
    "test_lessons_are_clear_tempting_and_the_same_everywhere": "whole games",
    "tests/analysis/test_skill.py": "whole games",
    "tests/bots/": "whole games",
    "tests/cli/test_solving.py::test_advise_solves_first_if_asked_to": "solves whole games",
    "tests/cli/test_solving.py::test_solve_reports_the_chance_to_win": "solves whole games",
    "tests/core/test_long_texts.py": "has time limits, and tracing is slow",
    "tests/fuzz/": "thousands of texts",
    "tests/games/cockroach/test_scoring.py": "brute force",
    "tests/games/farkle/test_scoring.py": "brute force",
    "tests/games/rogue/test_scoring.py": "brute force",
    "tests/games/test_conformance.py": "thousands of states",
    "tests/games/test_goldens.py::test_perft": "brute force",
    "tests/games/test_keeps.py": "brute force",
    "tests/games/test_properties.py": "thousands of states",
    "tests/server/test_analysing.py::test_games_are_analysed_one_by_one_and_stored": "whole games",
    "tests/server/test_driving.py": "solves whole games, with time limits",
    "tests/solve/test_bellman.py": "whole games",
    "tests/solve/test_cockroach.py": "brute force",
    "tests/solve/test_enumeration.py": "brute force",
    "tests/solve/test_exact.py": "brute force",
    "tests/solve/test_go500.py": "brute force",
    "tests/solve/test_graph.py": "brute force",
    "tests/solve/test_naive_rounds.py": "brute force",
    "tests/solve/test_needs.py": "time limits",
    "tests/solve/test_peruke_one.py": "brute force",
    "tests/solve/test_race.py": "brute force",
    "tests/solve/test_rogue.py": "brute force",
    "tests/table/test_challenge_dice.py::"
    "test_turns_and_rolls_are_counted_from_the_start_of_each_turn": "whole games",
    "tests/table/test_challenge_dice.py::"
    "test_whoever_chooses_differently_meets_the_same_dice": "whole games",
    "tests/table/test_log.py::test_a_table_matches_its_log_after_any_commands": (
        "thousands of states"
    ),
    "tests/server/test_stateful.py": "thousands of states",
    "tests/table/test_stateful.py": "thousands of states",
    "tests/table/test_verified.py::"
    "test_every_single_change_of_a_record_is_noticed": "thousands of records",
    "tests/table/test_verifiers.py": "thousands of rolls",
    "tests/test_docs.py": "runs everything there is, once more",
    "tests/web/": "the server has its own process; what is left is whole games",
}
"""Tests by folder, file or name that are not traced, and why.

They run the same lines so often that tracing them would take longer than all other tests.
"""


def is_measured(node: str) -> bool:
    """Whether a test, by its node id, counts towards coverage."""
    test, _, variant = node.partition("[")
    if "postgresql" in variant and not test.startswith("tests/storage/"):
        return False  # the same lines as with SQLite
    folders = tuple(place for place in UNMEASURED if place.endswith("/"))
    return not (
        test in UNMEASURED or test.partition("::")[0] in UNMEASURED or test.startswith(folders)
    )


@contextmanager
def untraced() -> Iterator[None]:
    """Suspend tracing in this thread and in those it starts.

    pytest-cov's ``no_cover`` is not enough: in an xdist worker it stops only one of two tracers.
    """
    here, elsewhere = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    try:
        yield
    finally:
        sys.settrace(here)
        threading.settrace(elsewhere)


def advice(measured: float, floor: float) -> str:
    """A suggestion to raise the floor, or an empty string."""
    if measured <= floor + SLACK:
        return ""
    return (
        f"Coverage is {measured:.1f} % and its floor {floor:g} %: "
        f"set fail_under in pyproject.toml to {int(measured)}."
    )
