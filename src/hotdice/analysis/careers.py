"""Careers: a player's finished games of one kind, folded into ratings, bests and their history."""

from __future__ import annotations

import json
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hotdice.analysis.skill import (
    LAST,
    Busts,
    Estimate,
    Luck,
    Outing,
    Play,
    adjusted_of,
    busts_of,
    luck_of,
    play_of,
    results_of,
    skill_rating,
)
from hotdice.analysis.winning import Ladder, Strength


class Player(NamedTuple):
    """Who had a seat in a finished game.

    Attributes:
        who: who it is for ratings: a person, or a bot by its level.
        name: the name at the table.
        own: whether the seat belongs to the player whose careers these are.
        won: whether it won or shared the win.
        score: its final points.
    """

    who: str
    name: str
    own: bool
    won: bool
    score: int


class Entered(NamedTuple):
    """A finished game as careers need it; ``digest`` is JSON, empty if it is not analysed."""

    slug: str
    table_id: str
    game: int
    at: float
    players: tuple[Player, ...]
    digest: str


class Moment(NamedTuple):
    """A game in the history of a career, with the ratings after it.

    What is ``None`` is not known: the game is not analysed, or had no decision.
    """

    table_id: str
    game: int
    at: float
    won: bool
    score: int
    luck: float | None = None
    deviation: float | None = None
    accuracy: float | None = None
    decisions: int = 0
    cost: float | None = None
    options: str | None = None
    skill: Estimate | None = None
    strength: Strength | None = None


class Best(NamedTuple):
    """The best result of games alone under the same rules: of one game, or of a series of so many.

    Attributes:
        rules: what differs from the usual rules, as text.
        length: how many games were added up.
        points: the best result.
        among: of how many.
        table_id: at which table it was.
        game: in which game of that table.
        at: when.
    """

    rules: str
    length: int
    points: int
    among: int
    table_id: str
    game: int
    at: float


@dataclass
class Career:
    """All games of one kind that were played under one name.

    Attributes:
        slug: the game.
        alone: whether these are the games without opponents.
        name: the name.
        moments: every game, the oldest first.
        outings: those that are analysed by the objective that fits the game.
        other: how many are analysed only by another objective.
        bests: the best results of games alone.
    """

    slug: str
    alone: bool
    name: str
    moments: list[Moment] = field(default_factory=list)
    outings: list[Outing] = field(default_factory=list)
    other: int = 0
    bests: dict[tuple[str, int], Best] = field(default_factory=dict)
    _costs: deque[float] = field(default_factory=lambda: deque(maxlen=LAST))
    _options: Counter[str] = field(default_factory=Counter)

    @property
    def objective(self) -> str:
        """What values mean in these games."""
        return "points" if self.alone else "win"

    @property
    def play(self) -> Play:
        """How well they were played."""
        return play_of(self.outings)

    @property
    def luck(self) -> Luck | None:
        """The luck of those with exact values."""
        return luck_of(self.outings)

    @property
    def busts(self) -> Busts:
        """Turns that a roll ended with nothing made."""
        return busts_of(self.outings)

    @property
    def skill(self) -> Estimate | None:
        """The skill rating."""
        return skill_rating(self._costs)

    @property
    def adjusted(self) -> Estimate | None:
        """The mean result without luck."""
        return adjusted_of(self._comparable)

    @property
    def results(self) -> Estimate | None:
        """The mean result of the same games."""
        return results_of(self._comparable)

    @property
    def usual(self) -> str:
        """The options under which most of the analysed games were played."""
        return self._options.most_common(1)[0][0] if self._options else ""

    @property
    def _comparable(self) -> list[Outing]:
        """The games whose results can be averaged: points under other rules are other points."""
        if not self.alone:
            return self.outings
        return [one for one in self.outings if one.options == self.usual]

    @property
    def strength(self) -> Strength | None:
        """The rating from wins."""
        return self.moments[-1].strength if self.moments else None

    def add(self, entered: Entered, seat: int, digest: dict[str, Any] | None) -> None:
        """One more game."""
        who = entered.players[seat]
        moment = Moment(entered.table_id, entered.game, entered.at, who.won, who.score)
        if digest is None:
            self.moments.append(moment)
            return
        if digest["objective"] != self.objective:
            self.other += 1
            self.moments.append(moment)
            return
        one = outing_of(digest, seat)
        self.outings.append(one)
        self._options[one.options] += 1
        if one.is_duel:
            self._costs.append(one.cost)
        if self.alone:
            self._note_bests(entered, digest, who.score)
        self.moments.append(
            moment._replace(
                luck=one.luck if one.exact else None,
                deviation=one.deviation if one.exact else None,
                accuracy=one.accuracy,
                decisions=one.decisions,
                cost=one.cost,
                options=one.options,
                skill=self.skill,
            )
        )

    def _note_bests(self, entered: Entered, digest: dict[str, Any], score: int) -> None:
        series: Sequence[int] = digest["series"] or [score]
        for points in series:
            self._note(entered, digest["rules"], 1, points)
        if len(series) > 1:
            self._note(entered, digest["rules"], len(series), score)

    def _note(self, entered: Entered, rules: str, length: int, points: int) -> None:
        found = Best(rules, length, points, 1, entered.table_id, entered.game, entered.at)
        before = self.bests.get((rules, length))
        if before is not None:
            better = found if points > before.points else before
            found = better._replace(among=before.among + 1)
        self.bests[rules, length] = found


def outing_of(digest: dict[str, Any], seat: int) -> Outing:
    """One seat's part in an analysed game, from the JSON of its report."""
    one, players = digest["seats"][seat], len(digest["seats"])
    is_other_side = digest["exact"] and players == 2 and seat == 1
    return Outing(
        digest["objective"],
        digest["exact"],
        players,
        digest["changed"],
        1.0 - digest["start"] if is_other_side else digest["start"],
        one["result"],
        one["rolls"],
        one["luck"],
        one["deviation"],
        one["decisions"],
        one["cost"],
        (one["difficulty"] or 0.0) * one["decisions"],
        sum(other["cost"] for other in digest["seats"] if other is not one),
        one["busts"],
        one["risk"],
        one["risk_deviation"],
    )


def careers_of(games: Iterable[Entered]) -> list[Career]:
    """The careers in these games, those with the most games first."""
    found: dict[tuple[str, bool, str], Career] = {}
    ladders: dict[str, Ladder] = {}
    for entered in sorted(games, key=lambda one: (one.at, one.table_id, one.game)):
        digest = json.loads(entered.digest) if entered.digest else None
        alone = len(entered.players) == 1
        ladder = ladders.setdefault(entered.slug, Ladder())
        ladder.add(
            [one.who for one in entered.players],
            [seat for seat, one in enumerate(entered.players) if one.won],
        )
        for seat, player in enumerate(entered.players):
            if not player.own:
                continue
            key = entered.slug, alone, player.name
            career = found.setdefault(key, Career(*key))
            career.add(entered, seat, digest)
            career.moments[-1] = career.moments[-1]._replace(strength=ladder.of(player.who))
    return sorted(found.values(), key=lambda one: -len(one.moments))


_MOST_SHOWN = 400
"""Games of a career that its history shows, the newest; ratings count all."""


def career_json(career: Career) -> dict[str, object]:
    """A career for programs."""
    parts = {name: getattr(career, name) for name in _PARTS}
    return {
        "game": career.slug,
        "alone": career.alone,
        "name": career.name,
        "objective": career.objective,
        "games": len(career.moments),
        "analysed": len(career.outings),
        "other": career.other,
        "usual": career.usual,
        **{name: part and part._asdict() for name, part in parts.items()},
        "bests": [one._asdict() for one in sorted(career.bests.values())],
        "history": [_moment_json(one) for one in career.moments[-_MOST_SHOWN:]],
    }


_PARTS = ("play", "luck", "busts", "skill", "adjusted", "results", "strength")


def _moment_json(one: Moment) -> dict[str, object]:
    return {
        **one._asdict(),
        "skill": one.skill and one.skill._asdict(),
        "strength": one.strength and one.strength._asdict(),
    }
