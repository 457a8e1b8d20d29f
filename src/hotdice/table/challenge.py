"""Challenges: any number of tables with the same rules, seats and dice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple, Self, TypeVar

from hotdice.bots import LEVELS
from hotdice.core.errors import BadSetup
from hotdice.core.registry import game_names, game_type
from hotdice.core.words import name_key
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat

DAYS_OPEN = 7
"""How many days a daily challenge can be played, the first included."""
DAYS_KNOWN = 366
"""How many days a link to a daily challenge says that it is closed, also if nobody played it."""
_DAILY_BOT = "sharp"
"""Makes no mistakes that would be luck for some and not for others, and needs no solution."""
_BOT_NAMES = ("Casimir", "Hazel", "Otto", "Wilma", "Rosa", "Bruno", "Edda", "Malte")
MOST_BOTS = len(_BOT_NAMES) - 1
"""One of the names may be the player's own."""
BOTS = tuple(level for level, bot in LEVELS.items() if not bot.plans)
"""The levels that can play: while a game is not solved, the others play differently."""
_DAILY = re.compile(r"([\w-]+)-(\d{4}-\d\d-\d\d)", re.ASCII)


class Challenge(NamedTuple):
    """What everybody who plays a challenge has in common.

    Attributes:
        id: its id, which is all that is needed to play it.
        game: the slug of the game.
        options: its options as text.
        people: how many people sit at each table; they come first.
        bots: the levels of the bots that sit after them.
        secret: from which the dice follow; only the server has it.
        owner: the hash of the player key of whoever made it; empty for a daily one.
        created: when it was made.
        closes: when it can no longer be started; ``None`` if it always can.
    """

    id: str
    game: str
    options: str
    people: int
    bots: tuple[str, ...]
    secret: str
    owner: str
    created: float
    closes: float | None = None

    def setup(self, name: str) -> Setup:
        """The set-up of a new table for a player; other people's seats are open."""
        others = [Seat(f"Seat {number}") for number in range(2, self.people + 1)]
        names = [one for one in _BOT_NAMES if name_key(one) != name_key(name)]
        bots = [Seat(called, level) for called, level in zip(names, self.bots, strict=False)]
        return Setup(
            self.game,
            self.options,
            (Seat(name), *others, *bots),
            dice="challenge",
            seed=self.secret,
            coach=False,
            open=tuple(range(1, self.people)),
            challenge=self.id,
        )

    def checked(self) -> Self:
        """The same challenge, normalised; raises ``BadSetup`` and the like if it is not valid."""
        if self.people < 1:
            raise BadSetup("A challenge is for one person at least.")
        if len(self.bots) > MOST_BOTS:
            raise BadSetup(f"A challenge has at most {MOST_BOTS} bots.")
        if other := set(self.bots).difference(BOTS):
            raise BadSetup(f"No bot '{min(other)}' plays challenges; there are {', '.join(BOTS)}.")
        setup = self.setup("Player").checked()
        return self._replace(game=setup.game, options=setup.options)

    def is_closed(self, now: float) -> bool:
        """Whether it is too late to start."""
        return self.closes is not None and self.closes <= now


# Daily challenges -------------------------------------------------------------------------------


def today(now: float) -> date:
    """The day in UTC."""
    return datetime.fromtimestamp(now, UTC).date()


def daily_id(slug: str, day: date) -> str:
    """The id of the challenge of a game for a day: there can be only one."""
    return f"{slug}-{day.isoformat()}"


def read_daily(challenge_id: str) -> tuple[str, date] | None:
    """The game and the day of a daily challenge; ``None`` if the id is of another one."""
    found = _DAILY.fullmatch(challenge_id)
    if found is None or found[1] not in game_names():
        return None
    try:
        return found[1], date.fromisoformat(found[2])
    except ValueError:  # for instance the 30th of February
        return None


def daily(challenge_id: str, now: float) -> Challenge | None:
    """The daily challenge with an id, without its secret, of today or of a day in the last year.

    It has the rules of *Play now*, and one bot if the game is for several. After a week it is
    closed.
    """
    if (found := read_daily(challenge_id)) is None:
        return None
    slug, day = found
    if not day <= today(now) < day + timedelta(days=DAYS_KNOWN):
        return None
    kind = game_type(slug)
    begins = datetime.combine(day, time(), UTC).timestamp()
    return Challenge(
        id=challenge_id,
        game=slug,
        options=kind.options_type.read_values(kind.quick).text(),
        people=1,
        bots=(_DAILY_BOT,) if kind.max_players > 1 else (),
        secret="",
        owner="",
        created=begins,
        closes=begins + timedelta(days=DAYS_OPEN).total_seconds(),
    )


# Ranking ----------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """How a try ended.

    Attributes:
        won: whether the seat won or shared the win.
        score: its points.
        others: the most points of another seat; ``None`` without opponents.
    """

    won: bool
    score: int
    others: int | None

    @property
    def margin(self) -> int:
        """By how many points the seat is ahead; without opponents, its points."""
        return self.score - (self.others or 0)


K = TypeVar("K", tuple[bool, int], float)


def ranks(values: Sequence[K | None]) -> list[int | None]:
    """The rank of every value, the largest first; equal ones share a rank, as in 1, 2, 2, 4."""
    first: dict[K, int] = {}
    known = (value for value in values if value is not None)
    for rank, value in enumerate(sorted(known, reverse=True), start=1):
        first.setdefault(value, rank)
    return [None if value is None else first[value] for value in values]
