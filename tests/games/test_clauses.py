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
    """Scoring options are in the charts; all others are named where they apply, or are a clause."""
    prose = _prose(slug)
    scoring = {"F3", "R3", "P3", "C1", "C4"}
    for label, clause in _labels(slug).items():
        named = f"*{label}*" in prose or f"**{clause} {label}.**" in prose
        assert named or clause in scoring, label


@pytest.mark.parametrize("slug", CLAUSES)
def test_rule_text_speaks_as_players_do(slug: str) -> None:
    """House rules have the labels of the set-up page, and nothing is said in file syntax."""
    prose = _prose(slug)
    assert set(re.findall(r"house\s+rule\s+\*([^*]+)\*", prose)) <= set(_labels(slug))
    assert not re.search(r"\boptions?\b", prose)
    assert "=" not in prose
    assert all(len(code) < 3 for code in re.findall(r"`([^`]*)`", prose))  # the text of a face


def _prose(slug: str) -> str:
    """The rules without their examples, each paragraph on one line."""
    found = re.compile(r"^```play\n.*?^```$", re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<=\S)\n(?=\S)", " ", found.sub("", game_type(slug).rules_text()))


def _labels(slug: str) -> dict[str, str]:
    """The clause of each option, by the label that the set-up page shows."""
    found = game_type(slug).options_type.describe()
    return {info.name.replace("_", " ").capitalize(): info.clause for info in found}
