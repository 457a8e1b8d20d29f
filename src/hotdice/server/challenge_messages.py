"""Messages about challenges."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hotdice.server.messages import Message, Name, OptionTexts
from hotdice.table.challenge import MOST_BOTS

Level = Annotated[str, Field(max_length=20)]
_MOST_PEOPLE = 100
"""More than any game has; the game itself limits the number of players."""


class ChallengeWanted(Message):
    """A challenge to make: so many people at each table, and bots of these levels after them.

    With ``days`` it can only be started for so long.
    """

    game: Annotated[str, Field(max_length=40)]
    options: OptionTexts = Field(default_factory=dict)
    people: Annotated[int, Field(ge=1, le=_MOST_PEOPLE, strict=True)] = 1
    bots: list[Level] = Field(default_factory=list, max_length=MOST_BOTS)
    days: Annotated[int, Field(ge=1, le=366, strict=True)] | None = None


class TryWanted(Message):
    """A request to start a challenge, under a name."""

    name: Name


class ChallengeListed(Message):
    """A challenge, and how far it is.

    Attributes:
        id: its id.
        game: the slug of the game.
        title: the name of the game.
        changed: the options that differ from their defaults, as text.
        rules: the same in words.
        people: how many people sit at each table.
        bots: the levels of the bots that sit after them.
        day: the day in UTC, if it is a daily one.
        created: when it was made.
        closes: when it can no longer be started.
        closed: whether it cannot be started any more.
        yours: whether the player made it.
        tries: how many people have started it.
        finished: how many of them are done.
        table: where the player plays or played it; empty if they have not started.
        done: whether the player's own try is finished.
    """

    id: str
    game: str
    title: str
    changed: str
    rules: str
    people: int
    bots: list[str]
    day: str
    created: float
    closes: float | None
    closed: bool
    yours: bool
    tries: int
    finished: int
    table: str
    done: bool


class SkillShown(Message):
    """Luck and skill of a try, from its analysis; see ``analysis.report.SeatReport``."""

    accuracy: float | None
    decisions: int
    cost: float
    luck: float
    percentile: float
    rolls: int


class TryShown(Message):
    """A try of a challenge.

    Attributes:
        name: the player's name.
        yours: whether it is the player's own.
        table: where it was played.
        done: whether it is finished.
        won: whether it was won.
        score: the points.
        margin: by how many points the player is ahead; without opponents, the points.
        by_result: the rank by result; equal results share it.
        by_skill: the rank by accuracy.
        skill: its luck and skill; ``None`` until the game is analysed.
    """

    name: str
    yours: bool
    table: str
    done: bool
    won: bool | None
    score: int | None
    margin: int | None
    by_result: int | None
    by_skill: int | None
    skill: SkillShown | None


class StandingsShown(Message):
    """The tries that were played in one seat, which has its own dice: the best result first."""

    seat: int
    tries: list[TryShown]


class ChallengeShown(ChallengeListed):
    """A challenge with its standings.

    Attributes:
        alone: whether it is played without opponents.
        open: whether the player may see the standings: their own try is done, or they have none
            and cannot start one any more.
        standings: the standings of every seat that people play; empty unless ``open``.
        objective: what skill is measured in, ``win`` or ``points``; empty before any analysis.
        exact: whether these values are exact.
        more: whether there are more tries than are shown.
        today: the id of today's challenge of the same game, if this is a daily one of another day.
    """

    alone: bool
    open: bool
    standings: list[StandingsShown]
    objective: str
    exact: bool
    more: bool
    today: str


class ChallengesShown(Message):
    """Today's challenges, one for each game, and the newest that the player made or played.

    ``bots`` are the levels that can play challenges.
    """

    day: str
    bots: list[str]
    daily: list[ChallengeListed]
    yours: list[ChallengeListed]
