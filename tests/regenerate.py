"""Regenerate all goldens; review the diff."""

from __future__ import annotations

import sys

from hotdice.core.errors import HotDiceError
from hotdice.core.playthrough import render
from hotdice.core.registry import game_type
from tests.goldens import (
    PERFTS,
    PLAYTHROUGHS,
    REFUSED,
    VIEWS,
    render_perft,
    render_refused,
    render_views,
)


def main() -> int:
    """Regenerate all goldens; returns the number of failures."""
    broken = 0
    for slug, path in PLAYTHROUGHS:
        try:
            path.write_text(render(game_type(slug), path.read_text("utf-8")), "utf-8")
        except (HotDiceError, AssertionError) as error:
            print(f"{path}: {error}")  # noqa: T201 - a command
            broken += 1
    for found, rendering in (
        (PERFTS, render_perft),
        (VIEWS, render_views),
        (REFUSED, render_refused),
    ):
        for slug, path in found:
            path.write_text(rendering(slug, path.read_text("utf-8")), "utf-8")
    return broken


if __name__ == "__main__":
    sys.exit(main())
