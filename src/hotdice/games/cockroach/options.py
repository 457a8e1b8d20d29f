"""The options of Cockroach."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class CockroachOptions(Options):
    """The options of Cockroach; the defaults are the printed rules without variations."""

    target: int = option(25, "Whoever reaches this starts the last lap.", "C5", low=1, high=100_000)
    any_start: bool = option(False, "A sequence may begin with any number.", "C6")
    extra_die: bool = option(False, "Each 6 also takes another die of yours away.", "C7")
    duplicates: bool = option(False, "Every way of picking the dice of the sequence counts.", "C8")
    shortest: int = option(2, "A sequence needs at least this many dice.", "C4", low=1, high=5)
    starts: str = option(
        "highest",
        "Who starts: the highest sum of five dice, or the first seat.",
        "C1",
        among=("highest", "seat"),
        opening=True,
    )
