"""The options of Cockroach."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class CockroachOptions(Options):
    """The options of Cockroach; the defaults are the printed rules without variations."""

    target: int = option(25, "The score that starts the last lap.", "C5", low=1, high=100_000)
    any_start: bool = option(False, "Whether a sequence may begin with any number.", "C6")
    extra_die: bool = option(False, "Whether each 6 also costs another die in play.", "C7")
    duplicates: bool = option(
        False, "Whether every way of picking the dice of the sequence counts.", "C8"
    )
    shortest: int = option(2, "The fewest dice that make a sequence.", "C4", low=1, high=5)
    starts: str = option(
        "highest",
        "Who starts: the highest sum of five dice each, or the first seat.",
        "C1",
        among=("highest", "seat"),
        opening=True,
    )
