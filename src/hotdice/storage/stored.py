"""What is stored of tables, and the errors of storage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hotdice.core.errors import HotDiceError
from hotdice.storage.answers import Answered
from hotdice.table.challenge import Challenge
from hotdice.table.entries import Entry
from hotdice.table.log import Stale
from hotdice.table.setup import Setup
from hotdice.table.summary import Summary


class StorageError(HotDiceError):
    """The database cannot be used.

    Attributes:
        public: the message for clients; the error itself, with details, is only for the log.
    """

    def __init__(self, why: str, public: str = "") -> None:
        super().__init__(why)
        self.public = public or "The database does not answer; try again in a moment."


class NoSuchTable(HotDiceError):
    """No table has this id."""


class Conflict(Stale):
    """Another process committed entries first."""


class Key(NamedTuple):
    """Hashes of the secret and of the player key that give access to a seat or to the host role."""

    secret: str
    owner: str = ""


class Stored(NamedTuple):
    """A table as it is stored.

    Attributes:
        id: its id, which is all a spectator needs.
        setup: how it was set up.
        host: the key of the host.
        keys: the keys of the seats that people have, by seat.
        created: when it was created.
        entries: its log.
        is_whole: whether the log has no gap; ``entries`` end before the first one.
    """

    id: str
    setup: Setup
    host: Key
    keys: Mapping[int, Key]
    created: float
    entries: tuple[Entry, ...]
    is_whole: bool = True


def up_to_gap(entries: Iterable[Entry], seq: int) -> tuple[Entry, ...]:
    """The entries that follow a sequence number without a gap."""
    return tuple(entry for due, entry in enumerate(entries, seq + 1) if entry.seq == due)


class Scored(NamedTuple):
    """How one seat did in a finished game."""

    game: int
    seat: int
    owner: str
    slug: str
    name: str
    bot: str
    at: float
    summary: Summary


class Analysis(NamedTuple):
    """The analysis of a finished game.

    Attributes:
        game: the number of the game at its table.
        at: when the game ended; if it has ended anew since, the analysis is not stored.
        version: the version of the analysis.
        digest: the report without its events, as JSON.
        report: the whole report, as JSON.
    """

    game: int
    at: float
    version: int
    digest: str
    report: str


class Try(NamedTuple):
    """Somebody's only try of a challenge; it begins when they get a seat at a table."""

    challenge_id: str
    owner: str
    seat: int
    name: str
    at: float


class Addition(NamedTuple):
    """A change to one stored table, or a new challenge, committed atomically.

    Attributes:
        table_id: the table.
        entries: new entries of its log.
        claim: the seat that was taken, and its key.
        game: the game whose scores are replaced; 0 if none are.
        scores: the scores of that game; empty if its end was undone.
        new: the table itself if it is new; ``entries`` is its whole log.
        gone: whether the table is deleted with everything that belongs to it.
        analysis: the analysis of a finished game; it goes when the scores of the game are replaced.
        tries: the tries of a challenge that begin with this change.
        challenge: a new challenge; it belongs to no table.
        answered: a player's answer when learning, which belongs to no table.
        forgotten: the time before which all such answers are deleted; 0 for none.
    """

    table_id: str
    entries: Sequence[Entry]
    claim: tuple[int, Key] | None = None
    game: int = 0
    scores: Sequence[Scored] = ()
    new: Stored | None = None
    gone: bool = False
    analysis: Analysis | None = None
    tries: Sequence[Try] = ()
    challenge: Challenge | None = None
    answered: Answered | None = None
    forgotten: float = 0.0


class Listed(NamedTuple):
    """A table in the list of a player's tables."""

    id: str
    created: float
    length: int
    touched: float


class Career(NamedTuple):
    """Totals of a player's finished games of one kind.

    Attributes:
        slug: the game.
        alone: whether these are the games without opponents.
        name: the name under which they were played.
        options: their options, if they are games alone; empty if they are not.
        games: how many there are.
        won: how many were won.
        mean: the average of their scores.
        top: the highest score.
        best: the most points of one turn.
        turns: the number of turns.
        empty: how many of them scored nothing.
    """

    slug: str
    alone: bool
    name: str
    options: str
    games: int
    won: int
    mean: float
    top: int
    best: int
    turns: int
    empty: int


class Played(NamedTuple):
    """How one seat did in a finished game, and whether it is the player's own.

    A person's seat that a bot played at the end is nobody's own.
    """

    seat: int
    own: bool
    owner: str
    name: str
    bot: str
    summary: Summary


class Finished(NamedTuple):
    """A finished game that a player took part in.

    Attributes:
        table_id: its table.
        game: its number at the table.
        slug: which game it is.
        at: when it ended.
        seats: how every seat did.
        analysis: the digest of its analysis, or the whole report, as JSON; empty if there is none
            in the wanted version.
    """

    table_id: str
    game: int
    slug: str
    at: float
    seats: tuple[Played, ...]
    analysis: str

    @property
    def mark(self) -> Mark:
        """Where the next page begins."""
        return Mark(self.at, self.table_id, self.game)


class Mark(NamedTuple):
    """A place in the list of a player's finished games, newest first."""

    at: float
    table_id: str = ""
    game: int = 0


NEWEST = Mark(1e12)
"""The beginning of the list."""
