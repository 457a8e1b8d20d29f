"""What goes over the wire, checked at the edge; the OpenAPI schema is made of this."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hotdice.core.view import View

Text = Annotated[str, Field(max_length=200)]
Secret = Annotated[str, Field(min_length=1, max_length=64)]


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SeatWanted(_Message):
    """A seat of a new table: a person, or a bot of a level."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    bot: Annotated[str, Field(max_length=20)] = ""


class TableWanted(_Message):
    """A table to be set up."""

    game: Annotated[str, Field(max_length=40)]
    options: dict[Text, Annotated[str, Field(max_length=20_000)]] = {}
    seats: Annotated[list[SeatWanted], Field(min_length=1, max_length=8)]
    dice: Literal["seeded", "typed"] = "seeded"
    coach: bool = True
    clock: Annotated[int, Field(ge=0, le=604_800)] = 0
    first: Annotated[int, Field(ge=0, le=7)] = 0


class SeatOpened(_Message):
    """A seat and the secret that opens it."""

    seat: int
    secret: str


class TableOpened(_Message):
    """A new table: its id, the host's secret and the secrets of the seats that people have."""

    id: str
    host: str
    seats: list[SeatOpened]


class SeatShown(_Message):
    """Who sits in a seat now; without a bot's level it is a person."""

    name: str
    bot: str


class ResultShown(_Message):
    """How a game ended."""

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    clause: str
    why: str


class EntryShown(_Message):
    """One thing that happened, with a sentence about it and what the table looks like after it."""

    seq: int
    kind: str
    seat: int
    text: str
    at: float
    told: str
    view: View


class TableShown(_Message):
    """A table as it stands."""

    id: str
    game: str
    title: str
    options: str
    dice: str
    coach: bool
    seats: list[SeatShown]
    yours: list[int]
    games: int
    seq: int
    due: Literal["roll", "choose", "over"]
    view: View
    result: ResultShown | None
    deadline: float | None


class Hello(_Message):
    """The first message of a socket: which seats one has, and what one has seen."""

    secrets: Annotated[list[Secret], Field(max_length=8)] = []
    seen: Annotated[int, Field(ge=0)] = 0


class Command(_Message):
    """What a seat does, having seen the table up to a number."""

    do: Literal["roll", "choose", "undo", "rematch", "say"]
    seat: Annotated[int, Field(ge=0, le=7)]
    seen: Annotated[int, Field(ge=0)]
    text: Text = ""


class Problem(_Message):
    """Why something cannot be, in one sentence."""

    error: str
    kind: str
