"""The options of Peruke One."""

from __future__ import annotations

from dataclasses import dataclass

from hotdice.core.options import Options, option


@dataclass(frozen=True, kw_only=True)
class PerukeOneOptions(Options):
    """The options of Peruke One; the defaults are the printed rules."""

    red_combines: bool = option(
        True, "Whether the red die may be added to a white one to make a single value.", "P9"
    )
    games: int = option(5, "How many games a series adds up.", "P8", low=1, high=100, series=True)
    uses: int = option(2, "How many values may be used after a roll.", "P3", low=1, high=6)
