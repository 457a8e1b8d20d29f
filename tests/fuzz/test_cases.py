"""What fuzzing has found stays found; and what it begins with can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.fuzz import parsers, seeds, targets

CASES = sorted((Path(__file__).parent / "cases").glob("*/*.txt"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_former_findings(path: Path) -> None:
    assert parsers.replay(path.parent.name, path.read_bytes()) == ""


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_parser_has_something_to_begin_with(name: str) -> None:
    found = list(seeds.seeds(name))
    assert found
    for data in found:
        assert parsers.replay(name, data) == ""


def test_cases_are_of_parsers_that_there_are() -> None:
    assert {path.parent.name for path in CASES} <= set(targets.TARGETS)
