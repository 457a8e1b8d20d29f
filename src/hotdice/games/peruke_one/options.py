"""The options of Peruke One."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class PerukeOneOptions(Options):
    """The options of Peruke One; the defaults are the printed rules."""

    red_combines: bool = option(
        True, "The red die and a white one may be added up to a single value.", "P9"
    )
    games: int = option(
        5, "How many games count together as a series.", "P8", low=1, high=100, series=True
    )
    uses: int = option(2, "How many values you may use after each roll.", "P3", low=1, high=6)
