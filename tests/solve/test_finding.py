"""Solvers are cached by rules."""

from __future__ import annotations

import pytest

from hotdice import load_game
from hotdice.solve import finding


def test_the_least_recently_used_solver_is_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_MOST_MADE", 2)
    monkeypatch.setattr(finding, "_made", {})
    games = [load_game("cockroach", f"target={target}") for target in (7, 8, 9)]
    first, second = (finding.find_solver(game) for game in games[:2])
    assert finding.find_solver(games[0]) is first
    finding.find_solver(games[2])  # evicts the second
    assert finding.find_solver(games[0]) is first
    assert finding.find_solver(games[1]) is not second
