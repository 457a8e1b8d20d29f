"""The parts of messages that are about dice: real ones to roll, and verified ones."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from hotdice.core.dice import Drawn

STRICT = ConfigDict(extra="forbid", frozen=True, json_schema_serialization_defaults_required=True)
"""The settings of all messages."""


class _Part(BaseModel):
    model_config = STRICT


class FaceShown(_Part):
    """A face of a die: how it is typed, labelled and drawn."""

    token: str
    label: str
    ring: bool
    drawn: Drawn
    pips: int
    flag: str
    name: str


class DieDue(_Part):
    """A die that has to be rolled, with its faces."""

    kind: str
    colour: str
    called: str
    faces: list[FaceShown]


class ChainShown(_Part):
    """The chain of a device, or of the server (number 0).

    ``base`` is the number of rolls at the table before it takes part, ``tip`` its first link.
    """

    number: int
    seats: tuple[int, ...]
    base: int
    tip: str


class AskShown(_Part):
    """A roll that has been asked for: devices give their links for it now.

    ``number`` counts the rolls of the table, ``seal`` is the hash of everything before the roll,
    and ``given`` are the chains that have given their links.
    """

    number: int
    seal: str
    given: list[int]


class DrawShown(_Part):
    """Verified dice in this game: how many rolls, and how many without any device of a seat."""

    rolls: int
    without: list[int]
    ask: AskShown | None
