"""What ``make coverage`` leaves out, and when its floor is to be raised."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOM = 1.0
"""How many points the coverage may be above the floor before somebody is to raise it."""

UNMEASURED = {
    "tests/bots/": "whole games",
    "tests/cli/test_solving.py::test_advise_solves_first_if_asked_to": "solves whole games",
    "tests/cli/test_solving.py::test_solve_tells_the_chance_to_win": "solves whole games",
    "tests/core/test_long_texts.py": "limits its own time, which tracing multiplies",
    "tests/games/cockroach/test_scoring.py::test_all_rolls": "brute force",
    "tests/games/farkle/test_scoring.py::test_all_rolls": "brute force",
    "tests/games/rogue/test_scoring.py::test_all_rolls": "brute force",
    "tests/games/test_conformance.py::test_play_keeps_the_contract": "thousands of states",
    "tests/games/test_goldens.py::test_perft": "brute force",
    "tests/games/test_properties.py": "thousands of states",
    "tests/server/test_driving.py": "solves whole games, and limits on their time",
    "tests/solve/": "brute force, whole games, and limits on their own time",
    "tests/table/test_log.py::test_whatever_people_do_the_log_is_all_there_is": (
        "thousands of states"
    ),
    "tests/table/test_stateful.py": "thousands of states",
}
"""Tests by folder, file or name that are not traced, and why.

They run the same lines so often that tracing them would take longer than all the others.
"""


def is_measured(node: str) -> bool:
    """Whether a test, by its node id, counts towards the coverage."""
    test = node.partition("[")[0]
    folders = tuple(place for place in UNMEASURED if place.endswith("/"))
    return not (
        test in UNMEASURED or test.partition("::")[0] in UNMEASURED or test.startswith(folders)
    )


@contextmanager
def untraced() -> Iterator[None]:
    """Run without a tracer, in this thread and in those it starts.

    pytest-cov's own ``no_cover`` does not: in a worker of xdist it stops one of two tracers.
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
    """What to do about the floor; empty if nothing."""
    if measured <= floor + ROOM:
        return ""
    return (
        f"Coverage is {measured:.1f} % and its floor {floor:g} %: "
        f"set fail_under in pyproject.toml to {int(measured)}."
    )
