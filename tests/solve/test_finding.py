"""Solvers are made once for all tables with the same rules, and forgotten in time."""

from __future__ import annotations

import pytest

from hotdice import load_game
from hotdice.solve import finding


def test_as_many_are_known_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MOST_MADE", 2)
    monkeypatch.setattr(finding, "_made", {})
    games = [load_game("cockroach", f"target={target}") for target in (7, 8, 9)]
    first, second = (finding.find_solver(game) for game in games[:2])
    assert finding.find_solver(games[0]) is first
    finding.find_solver(games[2])  # the second is what nobody has asked for longest
    assert finding.find_solver(games[0]) is first
    assert finding.find_solver(games[1]) is not second
