"""Who starts: seats roll off, the highest total begins, ties among the highest roll again.

The state of a game holds the roll-off as two tuples: the seats still in it, and the totals of
those that have rolled. It is over when no seats are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hotdice.core.dice import Die, numbered_face
from hotdice.core.words import listed

_LOT_BASE = 900


class RollOff(NamedTuple):
    """A roll-off under way: who is in it, and what the first of them have rolled."""

    contenders: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()

    @property
    def seat(self) -> int:
        """The seat that rolls next."""
        return self.contenders[len(self.totals)]

    def rolled(self, total: int) -> tuple[RollOff, int | None]:
        """The roll-off after the next total, and the seat that starts if that is decided."""
        totals = (*self.totals, total)
        if len(totals) < len(self.contenders):
            return RollOff(self.contenders, totals), None
        best = max(totals)
        tied = tuple(seat for seat, got in zip(self.contenders, totals, strict=True) if got == best)
        if len(tied) > 1:
            return RollOff(tied), None
        return RollOff(), tied[0]

    def tell(self, total: int, names: Sequence[str]) -> str:
        """The sentence for the next total: who rolls next, or all totals and who starts."""
        after, starter = self.rolled(total)
        if after.totals:
            return f"{names[self.seat]} rolls {total} for the start; {names[after.seat]} rolls."
        totals = zip(self.contenders, (*self.totals, total), strict=True)
        said = ", ".join(f"{names[seat]} {got}" for seat, got in totals)
        if starter is not None:
            return f"{said}: {names[starter]} starts."
        return f"{said}: {listed([names[seat] for seat in after.contenders])} roll again."

    def problem(self, scores: Sequence[int]) -> str | None:
        """Why this roll-off cannot occur with these scores; ``None`` if it can."""
        players, seats = len(scores), self.contenders
        if tuple(sorted(set(seats))) != seats or any(not 0 <= s < players for s in seats):
            return "the seats of the roll-off are not seats of this game"
        if len(seats) == 1 or len(self.totals) >= max(1, len(seats)):
            return "the roll-off is already decided"
        if self.contenders and any(score for score in scores):
            return "nobody has points before the start"
        return None


def lot(players: int) -> Die:
    """A lot that names one of the seats at random."""
    return Die(
        "lot",
        "grey",
        tuple(numbered_face(_LOT_BASE + n, f"seat{n}", n) for n in range(1, players + 1)),
        called="lot",
    )


def seat_of_lot(code: int) -> int:
    """The seat a drawn lot names."""
    return code - _LOT_BASE - 1
