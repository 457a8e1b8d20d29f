"""The scores of finished games: which have to be stored when a table changes."""

from __future__ import annotations

from typing import NamedTuple

from hotdice.table.log import Table
from hotdice.table.summary import Summary, summarize


class SeatScore(NamedTuple):
    """How one seat did in a finished game, and who played it."""

    seat: int
    name: str
    bot: str
    summary: Summary


class Scores(NamedTuple):
    """The scores of one game, which replace those stored before.

    Attributes:
        game: the number of the game.
        seats: the score of each seat; none if the end of the game was undone.
    """

    game: int
    seats: tuple[SeatScore, ...]


def changed_scores(before: Table, after: Table) -> Scores | None:
    """The scores that change between two states of a table; ``None`` if none do.

    They do when a game ends, and when its end is undone.
    """
    is_over = after.sitting.is_over()
    if before.sitting.is_over() == is_over or before.number != after.number:
        return None
    summaries = summarize(after.record()) if is_over else ()
    return Scores(
        after.number,
        tuple(
            SeatScore(seat, who.name, who.bot, summary)
            for seat, (who, summary) in enumerate(zip(after.seats, summaries, strict=False))
        ),
    )
