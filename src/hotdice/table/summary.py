"""What came of a game: statistics by seat, and its course turn by turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from hotdice.core.due import Over
from hotdice.core.game import AnyGame
from hotdice.core.record import Record, Step


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


class Turn(NamedTuple):
    """One turn of a game.

    Attributes:
        seat: whose turn it was.
        gain: the points it made; negative if points were lost.
        lost: the points that its last roll lost.
        scores: the points of all seats after it.
    """

    seat: int
    gain: int
    lost: int
    scores: tuple[int, ...]


class Feat(NamedTuple):
    """A turn that stands out, by its points."""

    seat: int
    points: int


class Story(NamedTuple):
    """The course of a finished game.

    Attributes:
        scores: the scores after each turn.
        best: the turn that made the most.
        worst: the turn that lost the most; ``None`` if none lost anything.
    """

    scores: tuple[tuple[int, ...], ...]
    best: Feat | None
    worst: Feat | None


def turns_of(game: AnyGame, steps: Iterable[Step], began: Any) -> Iterator[Turn]:
    """The turns of a game, without rolls for who starts.

    Args:
        game: the rules.
        steps: all events of the game.
        began: the state before the first of them.
    """
    seats = range(game.players(began))
    for step in steps:
        acted = game.due(step.before)
        if isinstance(acted, Over) or not game.turn_over(*step):
            continue
        if game.begins_turn(began):  # else it was a roll for the start
            seat = acted.seat
            scores = tuple(_settled(game, step, one) for one in seats)
            yield Turn(
                seat,
                scores[seat] - _standing(game, began, seat),
                max(0, _standing(game, step.before, seat) - scores[seat]),
                scores,
            )
        began = step.after


def story_of(game: AnyGame, steps: Iterable[Step], began: Any) -> Story:
    """The course of a game; see ``turns_of``."""
    turns = list(turns_of(game, steps, began))
    best = max(turns, key=lambda turn: turn.gain, default=None)
    worst = max(turns, key=lambda turn: turn.lost, default=None)
    return Story(
        tuple(turn.scores for turn in turns),
        Feat(best.seat, best.gain) if best and best.gain > 0 else None,
        Feat(worst.seat, worst.lost) if worst and worst.lost else None,
    )


def summarize(record: Record) -> tuple[Summary, ...]:
    """The summaries of all seats; empty if the game is not over."""
    game = record.game
    gains: list[list[int]] = [[] for _ in record.names]
    began = game.start(len(record.names), record.first)
    for turn in turns_of(game, record.steps(), began):
        gains[turn.seat].append(turn.gain)
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


def _settled(game: AnyGame, step: Step, seat: int) -> int:
    """A seat's points after a step, without those with which another game of a series begins."""
    stake = game.at_stake(step.after, seat)
    opening = game.at_stake(game.start(game.players(step.after)), seat)
    begins_anew = stake == opening < game.at_stake(step.before, seat)
    return game.score(step.after, seat) + (0 if begins_anew else stake)
