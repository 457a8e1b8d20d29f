"""The messages of the API, validated here; the OpenAPI schema is generated from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from hotdice.core.view import DieView, View
from hotdice.server.dice_messages import STRICT, ChainShown, DieDue, DrawShown

Text = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Secret = Annotated[str, Field(min_length=1, max_length=64)]
OptionTexts = Annotated[dict[Text, Annotated[str, Field(max_length=20_000)]], Field(max_length=100)]
PLAYER = r"^$|^.{16,64}$"
"""A player key is too long to be guessed; it may be left out."""
_MOST_SEATS = 100
"""More than any game has; the game itself limits the number of players."""
Seat = Annotated[int, Field(ge=0, lt=_MOST_SEATS, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
"""In requests; 0 or "no" would otherwise mean false."""
DueWord = Literal["wait", "roll", "draw", "choose", "over"]


class Message(BaseModel):
    """Base of all messages."""

    model_config = STRICT


# Setting up -------------------------------------------------------------------------------------


class SeatWanted(Message):
    """A seat of a new table: for a person, for a bot of a level, or open to join by link."""

    name: Name
    bot: Annotated[str, Field(max_length=20)] = ""
    open: Flag = False


class TableWanted(Message):
    """A table to set up.

    Without ``dice``, they are verified if a seat is open, and otherwise virtual.
    """

    game: Annotated[str, Field(max_length=40)]
    options: OptionTexts = {}
    seats: Annotated[list[SeatWanted], Field(min_length=1, max_length=_MOST_SEATS)]
    dice: Literal["seeded", "typed", "verified"] | None = None
    coach: Flag = True
    clock: Annotated[int, Field(ge=0, le=604_800, strict=True)] = 0
    first: Seat = 0
    series: Annotated[int, Field(ge=0, le=100, strict=True)] = 0


class SeatTaken(Message):
    """A request for an open seat; without a number, the first one."""

    name: Name
    seat: Seat | None = None


class OptionsWanted(Message):
    """Options to check before a table is set up."""

    options: OptionTexts = {}


class OptionsRead(Message):
    """The values of all options and their line of text, or what is wrong with them.

    ``wrong`` gives the reason for each option that is invalid by itself; it is empty if the options
    only contradict each other.
    """

    options: dict[str, str]
    text: str
    problem: str
    wrong: dict[str, str] = {}


class SeatOpened(Message):
    """A seat and its secret."""

    seat: int
    secret: str


# A table ----------------------------------------------------------------------------------------


class SeatShown(Message):
    """The current state of a seat.

    Attributes:
        name: the name of the player.
        bot: the level of the bot that plays now; empty for a person.
        open: whether the seat can be taken.
        person: whether it belongs to a person, who can come back to it.
    """

    name: str
    bot: str
    open: bool
    person: bool


class ResultShown(Message):
    """How a game ended."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    clause: str
    why: str


class FeatShown(Message):
    """A turn that stands out, by its points."""

    seat: int
    points: int


class StoryShown(Message):
    """The course of a finished game: scores after each turn, the best turn and the worst loss."""

    scores: list[tuple[int, ...]]
    best: FeatShown | None
    worst: FeatShown | None


class Status(Message):
    """The status of a table: everything but the view.

    Attributes:
        seq: the number of the last entry.
        game: the number of the current game, from 1.
        due: what has to happen next; ``draw`` while verified dice wait for the links of devices.
        seat: who has to act; ``None`` when the game is over.
        rolling: the physical dice that have to be rolled and typed in.
        result: how the game ended.
        story: the course of the game, once it is over.
        wins: how many games of the series each seat has won.
        champions: who has won the series, once it is decided.
        deadline: when the clock runs out, in seconds since the epoch.
        moved: when the game last moved on.
        undoer: the seat that may undo the last entry; -1 if any player may.
        seats: who sits where.
        draw: verified dice; ``None`` with other dice.
    """

    seq: int
    game: int
    due: DueWord
    seat: int | None
    rolling: list[DieDue]
    result: ResultShown | None
    story: StoryShown | None
    wins: tuple[int, ...]
    champions: tuple[int, ...]
    deadline: float | None
    moved: float | None
    undoer: int | None
    seats: list[SeatShown]
    draw: DrawShown | None


class LogLine(Message):
    """An entry of the log, as a sentence."""

    seq: int
    kind: str
    seat: int
    at: float
    told: str


class EntryShown(LogLine):
    """An entry of the log with the view after it.

    Attributes:
        text: the entry in its notation.
        rolled: the dice of a roll that are no longer on the table.
        ends_turn: whether it ended the turn.
        lost: whether it was a roll that ended the turn with nothing gained.
        starts: whether it was the roll that decided who starts.
        ended: the last view of a game of a series, if the next one has begun.
        view: the view after it.
    """

    text: str
    rolled: tuple[DieView, ...]
    ends_turn: bool
    lost: bool
    starts: bool
    ended: View | None
    view: View


class TableShown(Message):
    """A table with its status, its view, and the lines of its log that the client has not seen."""

    type: Literal["table"] = "table"
    id: str
    game: str
    title: str
    options: dict[str, str]
    changed: str
    rules: str
    dice: str
    coach: bool
    clock: int
    series: int
    challenge: str
    patience: float
    now: float
    yours: list[int]
    host: bool
    trouble: str
    away: list[int]
    chains: list[ChainShown]
    status: Status
    view: View
    log: list[LogLine]


class TableOpened(Message):
    """A new table: its id, the host's secret, and the secrets of the seats of people.

    Attributes:
        before: the view of the table as it was set up.
        entries: what has happened since, such as a first roll that is made by itself.
    """

    id: str
    host: str
    seats: list[SeatOpened]
    table: TableShown
    before: View
    entries: list[EntryShown]


# Sockets ----------------------------------------------------------------------------------------


class Hello(Message):
    """The first message of a client: its secrets, and the last entry it has seen."""

    secrets: Annotated[list[Secret], Field(max_length=10)] = []
    player: Annotated[str, Field(pattern=PLAYER)] = ""
    seen: Annotated[int, Field(ge=0)] = 0


class Command(Message):
    """A command of a seat; ``seen`` is the last entry that the client has seen.

    ``bot`` lets a bot of the level in ``text`` sit in for the ``other`` seat; ``back`` reclaims
    the seat; ``advise`` asks the coach and changes nothing. Any person may type in the physical
    dice of a bot. With verified dice, ``chain`` announces the tip of a device's chain, perhaps with
    the number of the one that it replaces, and ``link`` gives the number of a roll, that of the
    chain, and the link.
    """

    do: Literal[
        "roll", "choose", "undo", "rematch", "say", "bot", "back", "advise", "chain", "link"
    ]
    seat: Annotated[int, Field(ge=-1, lt=_MOST_SEATS)]
    seen: Annotated[int, Field(ge=0)]
    text: Text = ""
    other: Seat | None = None


class News(Message):
    """New entries, and the status after them."""

    type: Literal["news"] = "news"
    entries: list[EntryShown]
    status: Status


class OddsShown(Message):
    """A possible outcome of the next roll, and its probability."""

    name: str
    chance: float


class CounselShown(Message):
    """A choice with its value."""

    text: str
    words: str
    effect: str
    value: float
    worth: str
    cost: float
    lost: str
    odds: list[OddsShown]
    why: str


class AdviceShown(Message):
    """The coach's advice at a sequence number: all choices, the best first."""

    type: Literal["advice"] = "advice"
    seq: int
    objective: str
    exact: bool
    basis: str
    counsels: list[CounselShown]


class Working(Message):
    """Progress of a solver for a bot or the coach: ``part`` is 1 at the end."""

    type: Literal["working"] = "working"
    what: str
    part: float


class Trouble(Message):
    """A problem of the server; ``what`` is empty when it is over."""

    type: Literal["trouble"] = "trouble"
    what: str


class PresenceShown(Message):
    """The seats of people who are not connected."""

    type: Literal["presence"] = "presence"
    away: list[int]


class Problem(Message):
    """An error, in one sentence."""

    type: Literal["problem"] = "problem"
    error: str
    kind: str


# Server and player ------------------------------------------------------------------------------


class Health(Message):
    """The health of the server, with a sentence for each problem."""

    status: Literal["ok", "trouble"]
    problems: list[str] = []


class ListedTable(Message):
    """A table in the list of the player's tables."""

    id: str
    game: str
    title: str
    names: list[str]
    created: float
    touched: float
    due: DueWord
    your_turn: bool
    games: int
    result: ResultShown | None
    yours: list[int]


class Tables(Message):
    """The player's tables, newest first; ``more`` is the ``before`` of the next page."""

    tables: list[ListedTable]
    more: float | None
