"""The messages about a player's statistics."""

from __future__ import annotations

from hotdice.server.messages import Message


class CareerShown(Message):
    """Statistics of the player's finished games of one kind, under one name.

    ``alone`` if they are games without opponents; ``goal`` is what can be won in these. Only games
    alone under the same rules are counted together: ``rules`` are those that differ from the usual
    ones, in words, and ``length`` is how many games a series adds up, 0 where there are no series.
    """

    game: str
    title: str
    alone: bool
    goal: str
    name: str
    rules: str
    length: int
    games: int
    won: int
    mean: float
    top: int
    best: int
    turns: int
    empty: int


class Statistics(Message):
    """Statistics of the player's finished games."""

    careers: list[CareerShown]
