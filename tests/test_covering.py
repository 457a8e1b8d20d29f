"""Which tests are traced for coverage, and when its floor should be raised."""

import sys
import threading
import tomllib

import pytest

from tests.covering import ROOT, UNMEASURED, advice, is_measured, untraced


@pytest.mark.parametrize("measured", [93.2, 94.0, 95.0])
def test_a_floor_close_to_the_coverage_stays(measured: float) -> None:
    assert not advice(measured, 94)


def test_a_floor_far_below_the_coverage_should_be_raised() -> None:
    assert "set fail_under in pyproject.toml to 96" in advice(96.7, 94)


def test_there_is_a_floor() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["coverage"]
    assert settings["run"]["branch"]
    assert settings["report"]["fail_under"] >= 80


def test_tests_are_left_out_by_folder_file_or_name() -> None:
    assert not is_measured("tests/solve/test_race.py::test_any")
    assert not is_measured("tests/core/test_long_texts.py::test_any[a text]")
    assert not is_measured("tests/games/test_goldens.py::test_perft[farkle-small]")
    assert is_measured("tests/games/test_goldens.py::test_views[farkle-views]")
    assert is_measured("tests/server/test_app.py::test_any[sqlite]")
    assert not is_measured("tests/server/test_app.py::test_any[postgresql]")
    assert is_measured("tests/storage/test_store.py::test_any[postgresql]")


def test_untraced_suspends_tracing() -> None:
    def look(*_: object) -> None:
        return None

    before = sys.gettrace(), threading.gettrace()
    try:
        sys.settrace(look)
        threading.settrace(look)
        with untraced():
            within = sys.gettrace(), threading.gettrace()
        after = sys.gettrace(), threading.gettrace()
    finally:
        sys.settrace(before[0])
        threading.settrace(before[1])
    assert within == (None, None)
    assert after == (look, look)


@pytest.mark.parametrize("place", UNMEASURED)
def test_every_untraced_test_exists(place: str) -> None:
    path, _, test = place.partition("::")
    assert (ROOT / path).exists()
    assert not test or f"def {test}(" in (ROOT / path).read_text("utf-8")
