"""Merges the infinitely many states of a short Farkle into finitely many with the same value."""

from __future__ import annotations

from collections.abc import Callable

from hotdice.games.farkle import Farkle, FarkleState

SIXES = "one=6 five=6 three_ones=6 three_times=6 four_times=1 five_times=1 six_times=1 straight=6"
"""Options under which all points are multiples of six, or nearly so."""
FAR = 10**6
"""More points than any lead or total that is distinguished."""


def merge_farkle(game: Farkle, cut: int) -> Callable[[FarkleState], FarkleState]:
    """Merge states: dice aside by count, the last lap by missing points, totals above the cut.

    On the last lap the other score is at least the target, so that neither a farkle nor less than
    the entry is ever enough. Above the cut, which is no less than the target, a greater total
    is never worse for its owner: recording it starts the last lap, after which the next seat needs
    as many points with an offer, whatever the total, and more when starting fresh.
    """
    assert cut >= game.options.target

    def merged(state: FarkleState) -> FarkleState:
        scores, seat, phase, total, tray, kept, closer, *_ = state
        if phase in ("offer", "over"):
            return state
        if closer >= 0:
            missing = scores[closer] - scores[seat] - total
            scores = (0, FAR) if closer else (FAR, 0)
            if missing > FAR // 2:
                return FarkleState(scores, seat, "over", closer=closer)
            total = FAR - max(-1, missing)
        elif total > cut:
            total = cut + 1 if seat else FAR
        return FarkleState(scores, seat, phase, total, tray, (1,) * len(kept), closer)

    return merged
