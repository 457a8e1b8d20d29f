"""Every clause of the rules has a golden and a text."""

import re

import pytest

from hotdice import game_names, game_type
from tests.clauses import CLAUSES, COMMON, SAMPLES
from tests.goldens import PLAYTHROUGHS

NAMES = {slug: [path.stem for s, path in PLAYTHROUGHS if s == slug] for slug in CLAUSES}


def test_every_game_has_its_clauses_listed() -> None:
    assert set(CLAUSES) == set(game_names())


@pytest.mark.parametrize("slug, clause", [(s, c) for s, cs in CLAUSES.items() for c in cs])
def test_every_clause_has_a_golden(slug: str, clause: str) -> None:
    assert any(name.startswith(f"{clause}-") for name in NAMES[slug])


@pytest.mark.parametrize("clause", COMMON)
def test_every_common_clause_has_a_golden(clause: str) -> None:
    assert any(name.startswith(f"{clause}-") for names in NAMES.values() for name in names)


@pytest.mark.parametrize("slug, sample", [(s, n) for s, ns in SAMPLES.items() for n in ns])
def test_every_worked_example_has_a_golden(slug: str, sample: str) -> None:
    assert sample in NAMES[slug]


@pytest.mark.parametrize("slug", CLAUSES)
def test_every_golden_is_named_after_a_clause(slug: str) -> None:
    known = {*CLAUSES[slug], *COMMON, CLAUSES[slug][0][0]}
    assert {name.partition("-")[0] for name in NAMES[slug]} <= known


@pytest.mark.parametrize("slug", CLAUSES)
def test_rule_text_states_every_clause_once(slug: str) -> None:
    stated = re.findall(r"^\*\*([A-Z]\d+) ", game_type(slug).rules_text(), re.MULTILINE)
    assert sorted(stated) == sorted(CLAUSES[slug])


@pytest.mark.parametrize("slug", CLAUSES)
def test_rule_text_names_every_option_outside_the_charts(slug: str) -> None:
    """Scoring options are in the charts; all others are named where they apply."""
    text = game_type(slug).rules_text()
    scoring = {"F3", "R3", "P3", "C1", "C4"}
    for info in game_type(slug).options_type.describe():
        assert f"`{info.name}`" in text or info.clause in scoring
