"""What goes over the wire, checked at the edge; the OpenAPI schema is made of this."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hotdice.core.dice import Drawn
from hotdice.core.view import DieView, View

Text = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(min_length=1, max_length=40)]
Secret = Annotated[str, Field(min_length=1, max_length=64)]
OptionTexts = Annotated[dict[Text, Annotated[str, Field(max_length=20_000)]], Field(max_length=100)]
PLAYER = r"^$|^.{16,64}$"
"""A player key is long enough not to be guessed."""
_MOST_SEATS = 100
"""More than any game has; the game itself says how many may play."""
Seat = Annotated[int, Field(ge=0, lt=_MOST_SEATS)]
DueWord = Literal["wait", "roll", "choose", "over"]


class Message(BaseModel):
    """Anything that goes over the wire."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, json_schema_serialization_defaults_required=True
    )


# Setting up -------------------------------------------------------------------------------------


class SeatWanted(Message):
    """A seat of a new table: a person here, a bot of a level, or whoever comes with the link."""

    name: Name
    bot: Annotated[str, Field(max_length=20)] = ""
    open: bool = False


class TableWanted(Message):
    """A table to be set up."""

    game: Annotated[str, Field(max_length=40)]
    options: OptionTexts = {}
    seats: Annotated[list[SeatWanted], Field(min_length=1, max_length=_MOST_SEATS)]
    dice: Literal["seeded", "typed"] = "seeded"
    coach: bool = True
    clock: Annotated[int, Field(ge=0, le=604_800)] = 0
    first: Seat = 0
    series: Annotated[int, Field(ge=0, le=100)] = 0


class SeatTaken(Message):
    """Who wants an open seat, and which one; without a number, the first that is open."""

    name: Name
    seat: Seat | None = None


class OptionsWanted(Message):
    """Options to be looked at before a table is set up with them."""

    options: OptionTexts = {}


class OptionsRead(Message):
    """Options as they were understood, all of them and in one line; or what is wrong with them.

    ``wrong`` says of each option that would be refused alone why; nothing if they only do not go
    together.
    """

    options: dict[str, str]
    text: str
    problem: str
    wrong: dict[str, str] = {}


class SeatOpened(Message):
    """A seat and the secret that opens it."""

    seat: int
    secret: str


# A table ----------------------------------------------------------------------------------------


class SeatShown(Message):
    """Who sits in a seat now.

    Attributes:
        name: what they are called.
        bot: the level of the bot that plays it now; nothing for a person.
        open: whether the seat waits for somebody to take it.
        person: whether it belongs to a person, who can come back to it.
    """

    name: str
    bot: str
    open: bool
    person: bool


class FaceShown(Message):
    """A face of a die: how it is typed, what it shows and how that is drawn."""

    token: str
    label: str
    ring: bool
    drawn: Drawn
    pips: int
    flag: str


class DieDue(Message):
    """A die that has to be rolled, with its faces."""

    kind: str
    colour: str
    called: str
    faces: list[FaceShown]


class ResultShown(Message):
    """How a game ended."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    clause: str
    why: str


class Status(Message):
    """How a table stands, the picture apart.

    Attributes:
        seq: the number of the last entry.
        game: which game is under way, from 1.
        due: what has to happen next.
        seat: who has to do it; nobody when the game is over.
        rolling: the real dice that have to be rolled and typed in.
        result: how the game ended.
        wins: the games of the series each seat has won.
        champions: who has won the series, once it is decided.
        deadline: when the clock runs out, in seconds since the epoch.
        moved: when the table last went on.
        undoer: the seat that may take the last thing back; -1 if anybody who plays may.
        seats: who sits where.
    """

    seq: int
    game: int
    due: DueWord
    seat: int | None
    rolling: list[DieDue]
    result: ResultShown | None
    wins: tuple[int, ...]
    champions: tuple[int, ...]
    deadline: float | None
    moved: float | None
    undoer: int | None
    seats: list[SeatShown]


class LogLine(Message):
    """One thing that happened, in a sentence."""

    seq: int
    kind: str
    seat: int
    at: float
    told: str


class EntryShown(LogLine):
    """One thing that happened, and what the table looks like after it.

    Attributes:
        text: it in its line of text.
        rolled: the dice of a roll, which may be gone from the table after it.
        ends_turn: whether the turn was over with it.
        lost: whether it was a roll that ended the turn with nothing gained.
        view: what the table looks like now.
    """

    text: str
    rolled: tuple[DieView, ...]
    ends_turn: bool
    lost: bool
    view: View


class TableShown(Message):
    """A table as it stands, with the lines of its log that were not seen yet."""

    type: Literal["table"] = "table"
    id: str
    game: str
    title: str
    options: dict[str, str]
    changed: str
    dice: str
    coach: bool
    clock: int
    series: int
    patience: float
    now: float
    yours: list[int]
    host: bool
    trouble: str
    status: Status
    view: View
    log: list[LogLine]


class TableOpened(Message):
    """A new table: its id, the host's secret, the secrets of the seats that people have."""

    id: str
    host: str
    seats: list[SeatOpened]
    table: TableShown


# Over the socket --------------------------------------------------------------------------------


class Hello(Message):
    """The first message of a socket: who one is, and what one has seen."""

    secrets: Annotated[list[Secret], Field(max_length=10)] = []
    player: Annotated[str, Field(pattern=PLAYER)] = ""
    seen: Annotated[int, Field(ge=0)] = 0


class Command(Message):
    """What a seat does, having seen the table up to a number.

    ``bot`` lets a bot of the level in ``text`` sit in for the ``other`` seat; ``back`` reclaims
    one's seat; ``advise`` asks the coach and changes nothing. Real dice that a bot is due are
    rolled and typed in by any of the people.
    """

    do: Literal["roll", "choose", "undo", "rematch", "say", "bot", "back", "advise"]
    seat: Annotated[int, Field(ge=-1, lt=_MOST_SEATS)]
    seen: Annotated[int, Field(ge=0)]
    text: Text = ""
    other: Seat | None = None


class News(Message):
    """What happened, and how the table stands now."""

    type: Literal["news"] = "news"
    entries: list[EntryShown]
    status: Status


class OddsShown(Message):
    """What the next roll may bring, and its chance."""

    name: str
    chance: float


class CounselShown(Message):
    """A choice, weighed."""

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
    """What the coach says of every choice, the best first, at a sequence number."""

    type: Literal["advice"] = "advice"
    seq: int
    objective: str
    exact: bool
    basis: str
    counsels: list[CounselShown]


class Working(Message):
    """Tables are being worked out for a bot or the coach; the part that is done, 1 when all is."""

    type: Literal["working"] = "working"
    what: str
    part: float


class Trouble(Message):
    """Something is wrong with the server; nothing when all is well again."""

    type: Literal["trouble"] = "trouble"
    what: str


class Problem(Message):
    """Why something cannot be, in one sentence."""

    type: Literal["problem"] = "problem"
    error: str
    kind: str


# Everything else --------------------------------------------------------------------------------


class Health(Message):
    """Whether all is well with the server; if not, a sentence for each thing that is wrong."""

    status: Literal["ok", "trouble"]
    problems: list[str] = []


class ListedTable(Message):
    """One of one's own tables."""

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
    """One's own tables, the newest first; ``more`` is where the next page begins."""

    tables: list[ListedTable]
    more: float | None


class CareerShown(Message):
    """What one's finished games of a kind add up to, under a name."""

    game: str
    title: str
    name: str
    games: int
    won: int
    mean: float
    top: int
    best: int
    turns: int
    empty: int


class Statistics(Message):
    """What one's finished games add up to."""

    careers: list[CareerShown]
