"""Former findings of the fuzzer stay fixed, and its seed inputs parse."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.fuzz import parsers, seeds, targets

CASES = sorted((Path(__file__).parent / "cases").glob("*/*.txt"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_former_findings_stay_fixed(path: Path) -> None:
    assert parsers.replay(path.parent.name, path.read_bytes()) == ""


@pytest.mark.parametrize("name", targets.TARGETS)
def test_every_parser_has_seed_inputs(name: str) -> None:
    found = list(seeds.seeds(name))
    assert found
    for data in found:
        assert parsers.replay(name, data) == ""


def test_every_case_belongs_to_a_known_parser() -> None:
    assert {path.parent.name for path in CASES} <= set(targets.TARGETS)
