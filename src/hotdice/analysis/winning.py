"""Ratings from wins, by openskill: who beat whom, whatever the dice did."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from openskill.models import PlackettLuceRating


class Strength(NamedTuple):
    """How strong a player is, how unsure that is (a standard deviation), and after how many games.

    Everybody starts at 25, unsure by 25/3.
    """

    value: float
    error: float
    games: int


class Ladder:
    """The strengths of everybody in some games; bots are players like others."""

    def __init__(self) -> None:
        from openskill.models import PlackettLuce  # noqa: PLC0415 - most commands do without it

        self._model = PlackettLuce()
        self._ratings: dict[Hashable, PlackettLuceRating] = {}
        self._games: dict[Hashable, int] = {}

    def add(self, players: Sequence[Hashable], winners: Collection[int]) -> None:
        """A game of these players, and the seats that won or shared the win.

        Games alone and games that nobody won say nothing about who is stronger.
        """
        if len(set(players)) < 2 or not winners:
            return
        new = self._model.rating
        teams = [[self._ratings.get(who) or new()] for who in players]
        ranks = [float(seat not in winners) for seat in range(len(players))]
        rated = [team[0] for team in self._model.rate(teams, ranks=ranks)]
        for who in set(players):  # the same bot may have several seats
            own = [one for other, one in zip(players, rated, strict=True) if other == who]
            self._ratings[who] = new(fmean(one.mu for one in own), fmean(one.sigma for one in own))
            self._games[who] = self._games.get(who, 0) + 1

    def of(self, player: Hashable) -> Strength | None:
        """A player's strength; ``None`` before the first game."""
        rating = self._ratings.get(player)
        if rating is None:
            return None
        return Strength(rating.mu, rating.sigma, self._games[player])
