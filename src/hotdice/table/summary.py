"""A finished game in numbers: what each seat made of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from hotdice.core.due import Over
from hotdice.core.game import AnyGame
from hotdice.core.record import Record


class Summary(NamedTuple):
    """How a game went for one seat.

    Attributes:
        score: the final points.
        won: whether it won or shared the win.
        turns: how many turns it had.
        best: the most points of one turn.
        empty: how many turns brought nothing, or less.
    """

    score: int
    won: bool
    turns: int
    best: int
    empty: int


def summarize(record: Record) -> tuple[Summary, ...]:
    """Every seat's summary of a game that is over; nothing for one that is not."""
    game = record.game
    gains: list[list[int]] = [[] for _ in record.names]
    began = game.start(len(record.names), record.first)
    for step in record.steps():
        acted = game.due(step.before)
        if isinstance(acted, Over) or not game.turn_over(*step):
            continue
        if game.begins_turn(began):  # or it was a roll for the start
            gain = _standing(game, step.after, acted.seat) - _standing(game, began, acted.seat)
            gains[acted.seat].append(gain)
        began = step.after
    due = game.due(record.state())
    if not isinstance(due, Over):
        return ()
    return tuple(
        Summary(
            score=due.result.scores[seat],
            won=seat in due.result.winners,
            turns=len(gained),
            best=max([0, *gained]),
            empty=sum(points <= 0 for points in gained),
        )
        for seat, gained in enumerate(gains)
    )


def _standing(game: AnyGame, state: Any, seat: int) -> int:
    """A seat's points with those that are still open."""
    return game.score(state, seat) + game.at_stake(state, seat)
