"""Verified dice: dice that the server and every device determine together, and everybody can check.

Each party has a chain of hashes: a link is the SHA-256 of the link after it. Parties publish the
first link before play and one more link for every roll, so nobody can change a link afterwards.
This module has no state and no clock; ``docs/verified-dice.md`` describes every byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from hmac import digest
from typing import NamedTuple

from hotdice.core.dice import Die
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Roll
from hotdice.core.game import AnyGame
from hotdice.core.record import Record

SERVER = 0
"""The number of the server's chain."""
SERVER_LINKS = 6_700
"""A log has at most 20,000 entries, and a roll takes three."""
SKIPPED = ("absent", "silent")
"""Why a roll was made without a link: not connected, or no answer in time."""
_MAGIC = "hotdice verified dice 1"
_EVERY = 64
"""Links between those that are stored."""
_WORDS = 1 << 32
HEX = "[0-9a-f]{64}"
"""A pattern for links and seals."""
NUMBER = "(?:0|[1-9][0-9]{0,5})"
"""A pattern for the numbers in a proof."""
_LINK = re.compile(HEX)
_GIVEN = re.compile(rf"({NUMBER})=({HEX}|absent|silent)")


class Untrue(HotDiceError):
    """A record whose dice are not verified; the sentence says what is wrong first."""


# Chains -----------------------------------------------------------------------------------------


def is_link(text: str) -> bool:
    """Whether a text is a link: 64 hexadecimal digits."""
    return _LINK.fullmatch(text) is not None


def hashed_back(link: str, times: int) -> str:
    """The link that comes so many links before this one."""
    raw = bytes.fromhex(link)
    for _ in range(times):
        raw = sha256(raw).digest()
    return raw.hex()


class Links:
    """The chain of one party; only the party itself has it.

    Link ``length`` is the SHA-256 of the secret text, and every link the SHA-256 of the next one.
    """

    def __init__(self, secret: str, length: int) -> None:
        self.length = length
        raw = sha256(secret.encode()).digest()
        self._stored = {length: raw}
        for at in range(length - 1, -1, -1):
            raw = sha256(raw).digest()
            if at % _EVERY == 0:
                self._stored[at] = raw

    def link(self, at: int) -> str:
        """The link with this number; 0 is the tip, which is published first."""
        if not 0 <= at <= self.length:
            raise ValueError(at)
        above = min(-(-at // _EVERY) * _EVERY, self.length)
        return hashed_back(self._stored[above].hex(), above - at)


@lru_cache(maxsize=512)
def server_links(seed: str) -> Links:
    """The server's chain for a table, made from the table's secret seed."""
    return Links(f"hotdice chain {seed}", SERVER_LINKS)


# Seals, seeds and faces -------------------------------------------------------------------------


def first_seal(record: Record, table: str, game: int, before: str) -> str:
    """The seal before the first roll: a hash of everything that is fixed when a game begins.

    Args:
        record: the rules, the names and who is first; events do not matter.
        table: the tip of the server's chain, which stands for the table.
        game: the number of the game at the table, from 1.
        before: the seal of the game before; empty for the first game.
    """
    lines = [
        _MAGIC,
        f"table {table}",
        f"game {game}",
        f"before {before or '-'}",
        f"rules {record.game.slug}",
        f"options {record.game.options.text()}",
        f"seats {' | '.join(record.names)}",
        f"first {record.first + 1}",
    ]
    return sha256(_joined(lines)).hexdigest()


def next_seal(seal: str, lines: Iterable[str], events: Iterable[str]) -> str:
    """The seal after more lines of the proof and more events of the game."""
    added = _joined([*lines, *(f"event {event}" for event in events)])
    return sha256(bytes.fromhex(seal) + added).hexdigest()


def _joined(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


class Draw(NamedTuple):
    """What determines a roll, except for the server's link.

    Attributes:
        table: the tip of the server's chain, which stands for the table.
        game: the number of the game at the table, from 1.
        roll: the number of the roll in the game, from 1.
        links: the links that devices gave, by the numbers of their chains.
        seal: the seal of everything before the roll.
    """

    table: str
    game: int
    roll: int
    links: Mapping[int, str]
    seal: str

    def seed(self, server_link: str) -> bytes:
        """The seed of the roll."""
        given = [f"{number}={link}" for number, link in sorted(self.links.items())]
        lines = ["hotdice roll", self.table, str(self.game), str(self.roll), *given, self.seal]
        return digest(bytes.fromhex(server_link), _joined(lines), "sha256")


def sides_of(seed: bytes, counts: Sequence[int]) -> list[int]:
    """The side that each die shows, from 0, for dice with so many sides; all equally likely."""
    words = _words(seed)
    return [
        next(word % sides for word in words if word < _WORDS - _WORDS % sides) for sides in counts
    ]


def _words(seed: bytes) -> Iterator[int]:
    """32-bit numbers from a seed, without end."""
    block = 0
    while True:
        raw = digest(seed, block.to_bytes(4, "big"), "sha256")
        yield from (int.from_bytes(raw[at : at + 4], "big") for at in range(0, len(raw), 4))
        block += 1


def roll_of(seed: bytes, dice: Sequence[Die]) -> Roll:
    """The roll of these dice that follows from a seed."""
    sides = sides_of(seed, [len(die.sides) for die in dice])
    return Roll(tuple(die.sides[side] for die, side in zip(dice, sides, strict=True)))


# The lines of a proof ---------------------------------------------------------------------------


def chain_line(number: int, seats: Sequence[int], skipped: int, head: str) -> str:
    """The line of a chain: whose it is, its last known link, and how many were skipped since."""
    whose = f"seats {' '.join(str(seat + 1) for seat in seats)}" if number else "server"
    return f"chain {number}, {whose}, skipped {skipped}: {head}"


def end_line(number: int) -> str:
    """The line of a chain that takes part in no more rolls."""
    return f"end {number}"


class Legend(NamedTuple):
    """The kinds of dice rolled so far, each with the tokens of its sides."""

    kinds: tuple[str, ...] = ()

    def lines(
        self, game: AnyGame, roll: int, event: int, dice: Sequence[Die], given: str
    ) -> tuple[Legend, list[str]]:
        """The legend and the lines of the proof after a roll.

        Args:
            game: the rules.
            roll: the number of the roll in the game, from 1.
            event: its number among the events of the game, from 1.
            dice: the dice rolled.
            given: the links, as in the entry of the log.
        """
        kinds, numbers, lines = list(self.kinds), [], []
        for die in dice:
            tokens = " ".join(game.tokens[code] for code in die.sides)
            if tokens not in kinds:
                kinds.append(tokens)
                lines.append(f"die {len(kinds)}: {tokens}")
            numbers.append(str(kinds.index(tokens) + 1))
        lines.append(f"roll {roll}, event {event}, dice {' '.join(numbers)}: {given}")
        return Legend(tuple(kinds)), lines


def read_given(text: str) -> dict[int, str]:
    """The links of a roll, or why there is none, by chain; raises ``Untrue``."""
    found: dict[int, str] = {}
    for word in text.split(" "):
        match = _GIVEN.fullmatch(word)
        if match is None or int(match[1]) <= max(found, default=-1):
            raise Untrue("The links of a roll cannot be read.")
        found[int(match[1])] = match[2]
    return found


def sealed(record: Record) -> Record:
    """The record with a last line that holds the hash of everything above it."""
    seal = sha256(record.text().encode()).hexdigest()
    return replace(record, proof=(*record.proof, f"seal {seal}"))
