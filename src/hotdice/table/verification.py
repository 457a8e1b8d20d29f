"""The verification of records with verified dice: every roll is computed again.

``web/src/lib/verified.ts`` is a second implementation, which does not know the rules.
``python -m tools.verifiers`` compares the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from hotdice.core.due import ToRoll
from hotdice.core.events import Roll
from hotdice.core.record import Record, read_record
from hotdice.table.verified import (
    HEX,
    NUMBER,
    SERVER,
    SKIPPED,
    Draw,
    Legend,
    Untrue,
    first_seal,
    hashed_back,
    next_seal,
    read_given,
    roll_of,
    sealed,
)

_MOST_CHAINS = 1000
_MOST_HASHES = 3_000_000
_TAGS = {"bots", "dice"}
_BOT = re.compile("[a-z]+|-")
_CHAIN = re.compile(
    rf"chain ({NUMBER}), (server|seats {NUMBER}(?: {NUMBER})*), skipped ({NUMBER}): ({HEX})"
)
_END = re.compile(rf"end ({NUMBER})")
_ROLL = re.compile(rf"roll {NUMBER}, event {NUMBER}, dice [0-9 ]*: (.*)")


class Verdict(NamedTuple):
    """What a true record says about its dice.

    Attributes:
        rolls: the number of rolls.
        skipped: how many rolls were made without any device of a seat, by seat.
        seals: the seal of every roll, to compare with what a device remembers.
    """

    rolls: int
    skipped: dict[int, int]
    seals: tuple[str, ...]


def verify(text: str) -> Verdict:
    """Recompute every die of a record; raises ``HotDiceError`` with the first thing wrong."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    record = read_record(text)
    if not record.proof:
        raise Untrue("The record has no proof: its dice were not verified dice.")
    if record.tags.get("dice") != "verified":
        raise Untrue("The record has a proof, but its heading names other dice.")
    bots = record.tags.get("bots", " | ".join("-" for _ in record.names))
    if not set(record.tags) <= _TAGS or not _are_bots(bots, len(record.names)):
        raise Untrue("The heading has a line that no record of verified dice has.")
    body, seal = record.proof[:-1], record.proof[-1]
    whole = sealed(replace(record, proof=body))
    if seal != whole.proof[-1] or whole.text() != text:
        raise Untrue("The record has been changed: it does not match the seal in its last line.")
    return _Verifier(record, body).run()


def _are_bots(text: str, seats: int) -> bool:
    """Whether a text names who plays each seat: the level of a bot, or ``-`` for a person."""
    words = text.split(" | ")
    return len(words) == seats and all(map(_BOT.fullmatch, words))


class _Known(NamedTuple):
    """A chain during verification: its seats, its last known link and the links skipped since."""

    seats: tuple[int, ...]
    head: str
    skipped: int


class _Verifier:
    """Goes through a proof line by line, together with the events of the record."""

    def __init__(self, record: Record, lines: Sequence[str]) -> None:
        self._record = record
        self._lines = lines
        self._at = 0
        self._chains: dict[int, _Known] = {}
        self._newest = -1
        self._hashes = self._rolls = 0
        self._table = self._head("table", HEX)
        self._game = int(self._head("game", "[1-9][0-9]{0,4}"))
        self._before = self._head("before", f"-|{HEX}").removeprefix("-")

    def _head(self, key: str, value: str) -> str:
        line = self._lines[self._at] if self._at < len(self._lines) else ""
        match = re.fullmatch(f"{key} ({value})", line)
        if match is None:
            raise Untrue(f"The proof does not name its {key}.")
        self._at += 1
        return match[1]

    def run(self) -> Verdict:
        """Verify all rolls; raises ``Untrue``."""
        if bool(self._before) != (self._game > 1):
            raise Untrue("The proof does not name the game before.")
        seal = first_seal(self._record, self._table, self._game, self._before)
        texts = [self._record.game.event_text(event) for event in self._record.events]
        seals: list[str] = []
        since: list[str] = []
        done, legend = 0, Legend()
        skipped: dict[int, int] = {}
        for at, step in enumerate(self._record.steps()):
            if not isinstance(step.event, Roll):
                continue
            since += self._changes()
            seal = next_seal(seal, since, texts[done:at])
            seals.append(seal)
            done, number = at, len(seals)
            self._rolls = number
            due = self._record.game.due(step.before)
            dice = due.dice if isinstance(due, ToRoll) else ()
            given = self._given(number)
            legend, since = legend.lines(self._record.game, number, at + 1, dice, given)
            self._expect(since, number)
            links = self._links(read_given(given), number)
            for seat in self._without(links):
                skipped[seat] = skipped.get(seat, 0) + 1
            server = links.pop(SERVER)
            draw = Draw(self._table, self._game, number, links, seal)
            if self._record.game.event_text(roll_of(draw.seed(server), dice)) != texts[at]:
                raise Untrue(f"Roll {number} does not follow from its links.")
        self._changes()
        if self._at < len(self._lines):
            raise Untrue("The proof has more rolls than the game, or a line that cannot be read.")
        return Verdict(len(seals), skipped, tuple(seals))

    def _changes(self) -> list[str]:
        """The lines of chains that begin or end here."""
        start = self._at
        while self._at < len(self._lines) and self._change(self._lines[self._at]):
            self._at += 1
        return list(self._lines[start : self._at])

    def _change(self, line: str) -> bool:
        if match := _CHAIN.fullmatch(line):
            number, skipped = int(match[1]), int(match[3])
            whose = () if match[2] == "server" else tuple(map(int, match[2].split()[1:]))
            fits = (number == SERVER) == (not whose) and number > self._newest
            if not fits or not all(0 < seat <= len(self._record.names) for seat in whose):
                raise Untrue(f"Chain {number} is out of order or belongs to no seat.")
            if self._newest < 0 and number != SERVER:
                raise Untrue("The first chain is not the server's.")
            if number == SERVER and self._game == 1 and match[4] != self._table:
                raise Untrue("The server's chain is not that of the table.")
            if skipped and (number == SERVER or self._game == 1 or self._rolls):
                raise Untrue(f"Chain {number} has skipped rolls that were not made.")
            if len(self._chains) >= _MOST_CHAINS:
                raise Untrue("The proof has too many chains.")
            self._newest = number
            self._chains[number] = _Known(tuple(seat - 1 for seat in whose), match[4], skipped)
            return True
        if match := _END.fullmatch(line):
            number = int(match[1])
            if number == SERVER or self._chains.pop(number, None) is None:
                raise Untrue(f"Chain {number} ends without having begun.")
            return True
        return False

    def _given(self, number: int) -> str:
        """The links in the line of the next roll."""
        at = self._at
        while at < len(self._lines) and self._lines[at].startswith("die "):
            at += 1
        if at < len(self._lines) and (match := _ROLL.fullmatch(self._lines[at])):
            return match[1]
        raise Untrue(f"The proof has no line for roll {number}.")

    def _expect(self, lines: Sequence[str], number: int) -> None:
        end = self._at + len(lines)
        if list(self._lines[self._at : end]) != list(lines):
            raise Untrue(f"The proof does not describe roll {number} as it was made.")
        self._at = end

    def _links(self, given: Mapping[int, str], number: int) -> dict[int, str]:
        """The links given, each checked against its chain."""
        if list(given) != sorted(self._chains) or given.get(SERVER, "absent") in SKIPPED:
            raise Untrue(f"Roll {number} does not say for every chain whether it gave a link.")
        links: dict[int, str] = {}
        for chain, link in given.items():
            known = self._chains[chain]
            if link in SKIPPED:
                self._chains[chain] = known._replace(skipped=known.skipped + 1)
                continue
            self._hashes += known.skipped + 1
            if self._hashes > _MOST_HASHES:
                raise Untrue("The proof skips so many links that checking it would take too long.")
            if hashed_back(link, known.skipped + 1) != known.head:
                raise Untrue(f"A link of roll {number} does not belong to chain {chain}.")
            links[chain] = link
            self._chains[chain] = known._replace(head=link, skipped=0)
        return links

    def _without(self, links: Mapping[int, str]) -> set[int]:
        """The seats with devices of which none gave a link."""
        gave = {seat for chain in links for seat in self._chains[chain].seats}
        return {seat for known in self._chains.values() for seat in known.seats} - gave
