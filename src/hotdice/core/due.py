"""What has to happen next: a roll, a choice, or nothing because the game is over."""

from __future__ import annotations

from typing import NamedTuple

from hotdice.core.dice import Die


class ToRoll(NamedTuple):
    """This seat has to roll these dice."""

    seat: int
    dice: tuple[Die, ...]


class ToChoose(NamedTuple):
    """This seat has to choose."""

    seat: int


class Result(NamedTuple):
    """How a game ended (K3).

    Attributes:
        winners: the seats that won; several if they share, none if there was nothing to win.
        scores: everybody's final points.
        clause: the clause that ended the game.
        why: that clause in one sentence.
    """

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    clause: str
    why: str


class Over(NamedTuple):
    """The game is over."""

    result: Result


Due = ToRoll | ToChoose | Over


def seat_of(due: Due) -> int:
    """The seat that rolls or chooses; -1 if the game is over."""
    return -1 if isinstance(due, Over) else due.seat
