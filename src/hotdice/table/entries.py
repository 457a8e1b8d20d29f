"""Entries: what can happen at a table, in the form it is stored."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from hotdice.core.errors import UnreadableText
from hotdice.core.words import quoted


class Kind(StrEnum):
    """The kinds of entries; the values are what is stored."""

    ROLL = "roll"
    CHOOSE = "choose"
    UNDO = "undo"
    JOIN = "join"
    SIT = "sit"
    LATE = "late"
    GAME = "game"
    SAY = "say"
    CHAIN = "chain"
    ASK = "ask"
    LINK = "link"
    DRAW = "draw"


PLAYED = frozenset((Kind.ROLL, Kind.CHOOSE))
"""The kinds that are events of the game."""

_KINDS = {str(kind): kind for kind in Kind}


class Entry(NamedTuple):
    """One entry of a table's log.

    Attributes:
        seq: its number in the log, from 1.
        kind: what happened.
        seat: the seat that acted; -1 for the server.
        text: what it is about, by kind: the line of text of a roll or choice, the name of the
            player who joins, the level of the bot that sits in (empty if the player is back), the
            seat that is first in a new game, or what was said. With verified dice also a chain
            (see ``drawing.Chain``), the number and seal of a roll that is asked for, the number of
            a chain and its link, or all links of a roll.
        at: when, in seconds since the epoch.
    """

    seq: int
    kind: Kind
    seat: int
    text: str
    at: float

    @classmethod
    def read(cls, seq: int, kind: str, seat: int, text: str, at: float) -> Entry:
        """An entry from its stored form; raises ``UnreadableText`` if its kind is unknown."""
        known = _KINDS.get(kind)
        if known is None:  # for instance a newer server process shares the database
            raise UnreadableText(f"This version of Hot Dice has no entries of kind {quoted(kind)}.")
        return cls(seq, known, seat, text, at)
