"""Endings that games share: the highest score wins, after one last lap."""

from __future__ import annotations

from collections.abc import Sequence


def leaders(scores: Sequence[int]) -> tuple[int, ...]:
    """The seats with the highest score."""
    best = max(scores)
    return tuple(seat for seat, score in enumerate(scores) if score == best)


def last_lap_problem(
    scores: Sequence[int], target: int, closer: int, seat: int, phase: str
) -> str | None:
    """Why a last lap started by ``closer`` (-1 before it) cannot occur; ``None`` if it can."""
    reached = [seat for seat, score in enumerate(scores) if score >= target]
    if bool(reached) != (closer >= 0) or (reached and closer not in reached):
        return "the last lap starts when a score reaches the target"
    if (phase == "over") != (closer == seat):
        return "the game ends when the last lap is complete"
    return None
