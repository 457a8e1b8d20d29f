"""Careers: what counts in them, and what is only counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hotdice.analysis.careers import Entered, Player, career_json, careers_of
from hotdice.analysis.report import analyse
from hotdice.analysis.telling import digest_json, report_json
from tests.analysis.games import played


@pytest.fixture(scope="module")
def digest() -> dict[str, Any]:
    """The digest of a short game between two."""
    record = played("cockroach", "target=6 starts=seat", ("casual", "random"), "career")
    return digest_json(report_json(analyse(record)))


def entered(number: int, digest: dict[str, Any] | None, names: tuple[str, ...]) -> Entered:
    players = tuple(
        Player(f"key/{name}", name, own=True, won=not seat, score=6 - seat)
        for seat, name in enumerate(names)
    )
    text = json.dumps(digest) if digest else ""
    return Entered("cockroach", f"t{number}", 1, float(number), players, text)


def test_people_at_one_device_have_careers_of_their_own(digest: dict[str, Any]) -> None:
    ann, ben = careers_of([entered(1, digest, ("Ann", "Ben"))])
    assert (ann.name, ben.name, ann.alone) == ("Ann", "Ben", False)
    assert ann.adjusted
    assert ben.adjusted
    assert ann.adjusted.value + ben.adjusted.value == pytest.approx(1.0)
    assert ann.strength
    assert ben.strength
    assert ann.strength.value > 25 > ben.strength.value


def test_what_is_not_analysed_counts_only_for_wins(digest: dict[str, Any]) -> None:
    by_points = {**digest, "objective": "points", "exact": False}
    games = [entered(n, one, ("Ann", "Ben")) for n, one in enumerate((digest, None, by_points))]
    ann = careers_of(reversed(games))[0]
    assert [one.table_id for one in ann.moments] == ["t0", "t1", "t2"]  # by time
    assert [one.cost is None for one in ann.moments] == [False, True, True]
    assert (len(ann.outings), ann.other, ann.play.games) == (1, 1, 1)
    assert ann.skill
    assert ann.skill.games == 1
    assert ann.strength
    assert ann.strength.games == 3


def test_a_long_history_is_cut_but_counts(digest: dict[str, Any]) -> None:
    found = career_json(careers_of(entered(n, digest, ("Ann", "Ben")) for n in range(450))[0])
    history = found["history"]
    assert isinstance(history, list)
    assert (found["games"], found["analysed"], len(history)) == (450, 450, 400)
    assert history[-1]["table_id"] == "t449"
