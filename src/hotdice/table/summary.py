"""Statistics of a finished game, by seat."""

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
        empty: how many turns scored nothing or lost points.
    """

    score: int
    won: bool
    turns: int
    best: int
    empty: int


def summarize(record: Record) -> tuple[Summary, ...]:
    """The summaries of all seats; empty if the game is not over."""
    game = record.game
    gains: list[list[int]] = [[] for _ in record.names]
    began = game.start(len(record.names), record.first)
    for step in record.steps():
        acted = game.due(step.before)
        if isinstance(acted, Over) or not game.turn_over(*step):
            continue
        if game.begins_turn(began):  # else it was a roll for the start
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
    """A seat's points, including those at stake."""
    return game.score(state, seat) + game.at_stake(state, seat)
