"""The tool that compares the two verifiers: they agree, and it would notice if they did not."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from tools.verifiers import __main__ as tool
from tools.verifiers.asking import Answer, browser_answers, fits_the_rules, python_answer
from tools.verifiers.changing import resealed

from tests.table.test_verified import RECORD


def test_the_verifiers_agree_on_records_of_every_game() -> None:
    """``python -m tools.verifiers`` compares many more."""
    figures = tool.compare(100, seed=3)
    assert "20 unchanged and true" in figures
    assert "40 changed and untrue" in figures
    assert "remade and true" in figures
    assert "remade and untrue" in figures


def test_a_disagreement_is_kept_for_a_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = [text for _, text in islice(tool.records(3), 2)]
    answers = [Answer(false, "No.") for false in (False, False)]
    monkeypatch.setattr(tool, "browser_answers", lambda _texts: answers)
    with pytest.raises(SystemExit, match="Only one verifier"):
        tool.compare(2, seed=3)
    assert tool.FOUND.read_text("utf-8") == made[0]


TRUE = Answer(true=True, rolls=2, seals=("a", "b"), skipped=((0, 1),))
WRONG = Answer(true=False, why="Roll 3 does not follow from its links.")


@pytest.mark.parametrize(
    ("ours", "theirs", "is_by_rules", "is_wrong"),
    [
        (TRUE, TRUE, True, False),
        (TRUE, WRONG, True, True),
        (WRONG, TRUE, True, True),
        (WRONG, TRUE, False, False),
        (TRUE, TRUE, False, True),
        (TRUE, TRUE._replace(seals=("a", "c")), True, True),
        (WRONG, WRONG._replace(why="A link of roll 3 is wrong."), True, False),
        (WRONG, WRONG._replace(why="A link of roll 4 is wrong."), True, True),
        (WRONG, WRONG._replace(why="The dice are out of order."), True, False),
    ],
)
def test_what_is_a_disagreement(
    ours: Answer, theirs: Answer, is_by_rules: bool, is_wrong: bool
) -> None:
    assert bool(tool.disagreement(ours, theirs, is_by_rules=is_by_rules)) == is_wrong


def test_only_the_rules_tell_whose_turn_it_is_and_which_dice_are_due() -> None:
    """The browser takes such records for true; ``hotdice verify`` does not."""
    turn = resealed(RECORD.replace("\n1. {Ann}", "\n1. {Ben}"))
    assert turn != RECORD
    assert [one.true for one in browser_answers([RECORD, turn])] == [True, True]
    assert python_answer(RECORD).true
    assert not python_answer(turn).true
    assert fits_the_rules(RECORD)
    assert not fits_the_rules(turn)
    assert not fits_the_rules(RECORD.replace("die 1: 1 2 3 4 5 6", "die 1: 1 2 3 4 5 5"))
    assert not fits_the_rules("")
