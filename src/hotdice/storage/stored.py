"""What is kept of tables, and what can be wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hotdice.core.errors import HotDiceError
from hotdice.table.entries import Entry
from hotdice.table.log import Stale
from hotdice.table.setup import Setup
from hotdice.table.summary import Summary


class StorageError(HotDiceError):
    """The database cannot be used.

    Attributes:
        told: what everybody may know of it; what the database itself says is for the log.
    """

    def __init__(self, why: str, told: str = "") -> None:
        super().__init__(why)
        self.told = told or "The database does not answer; try again in a moment."


class NoSuchTable(HotDiceError):
    """No table has this id."""


class Conflict(Stale):
    """Somebody else's entries came first."""


class Key(NamedTuple):
    """What opens a seat, or the host's chair: hashes of a secret and of somebody's player key."""

    secret: str
    owner: str = ""


class Stored(NamedTuple):
    """A table as it is kept.

    Attributes:
        id: its id, which is all a spectator needs.
        setup: how it was set up.
        host: what opens the host's chair.
        keys: what opens the seats that people have, by seat.
        created: when.
        entries: its log.
    """

    id: str
    setup: Setup
    host: Key
    keys: Mapping[int, Key]
    created: float
    entries: tuple[Entry, ...]


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


class Addition(NamedTuple):
    """What a table adds to what is kept of it, all or none.

    Attributes:
        table_id: the table.
        entries: what its log goes on with.
        claim: the seat that was taken with it, and what opens it.
        game: the game whose scores are replaced; 0 if none are.
        scores: the scores of that game, none if it is under way again.
        new: the table itself, if it is a new one; its entries are those of the addition.
        gone: whether the table is removed with all that belongs to it, and nothing added.
    """

    table_id: str
    entries: Sequence[Entry]
    claim: tuple[int, Key] | None = None
    game: int = 0
    scores: Sequence[Scored] = ()
    new: Stored | None = None
    gone: bool = False


class Listed(NamedTuple):
    """One of somebody's tables."""

    id: str
    created: float
    length: int
    touched: float


class Career(NamedTuple):
    """What somebody's finished games of one kind add up to."""

    slug: str
    name: str
    games: int
    won: int
    mean: float
    top: int
    best: int
    turns: int
    empty: int
