"""Verified dice at a table: chains, the roll that is being asked for, and the proof so far.

A ``Drawing`` is a part of the table and, like the table, a fold over the log. ``verified`` has the
hashes, ``commands`` makes the entries.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from hotdice.core.due import ToRoll
from hotdice.core.errors import HotDiceError, UnreadableText
from hotdice.core.events import Roll
from hotdice.table.growing import Growing
from hotdice.table.sitting import Sitting
from hotdice.table.verified import (
    HEX,
    NUMBER,
    SERVER,
    SKIPPED,
    Draw,
    Legend,
    chain_line,
    end_line,
    first_seal,
    next_seal,
    read_given,
    roll_of,
    server_links,
)

MOST_CHAINS = 2
"""Chains of one seat that take part at the same time; a further one ends the oldest.

Whoever works together with the server can choose which of the own links to hold back."""
_MOST_ANNOUNCED = 60
"""Chains that a seat may announce at one table."""

_CHAIN = re.compile(rf"({NUMBER}) (-|{NUMBER}(?:,{NUMBER})*) ({NUMBER}) ({HEX})((?: {NUMBER})*)")
_LINK = re.compile(rf"({NUMBER}) ({HEX})")
_NO_LINES: Growing[str] = Growing.of()
_NOBODY: Mapping[int, int] = {}


class Chain(NamedTuple):
    """A chain that takes part in rolls; its entry holds everything but the head.

    Attributes:
        number: its number at the table; 0 is the server's.
        seats: the seats on the device; none for the server.
        base: the number of rolls at the table before it takes part.
        tip: its first link.
        head: its last known link.
        known: the number of the roll that the head was given for; ``base`` for the tip.
    """

    number: int
    seats: tuple[int, ...]
    base: int
    tip: str
    head: str
    known: int

    @classmethod
    def new(cls, number: int, seats: Iterable[int], base: int, tip: str) -> Chain:
        """A chain of which only the tip is known."""
        return cls(number, tuple(sorted(seats)), base, tip, tip, base)

    def text(self) -> str:
        """The chain as the text of its entry: number, seats, base and tip."""
        seats = ",".join(map(str, self.seats)) or "-"
        return f"{self.number} {seats} {self.base} {self.tip}"

    @classmethod
    def read(cls, text: str) -> tuple[Chain, tuple[int, ...]]:
        """The chain in an entry, and the numbers of the chains that it ends."""
        found = _CHAIN.fullmatch(text)
        if found is None:
            raise UnreadableText("This is not a chain of verified dice.")
        seats = () if found[2] == "-" else tuple(map(int, found[2].split(",")))
        if seats != tuple(sorted(set(seats))):
            raise UnreadableText("This is not a chain of verified dice: its seats have no order.")
        chain = cls.new(int(found[1]), seats, int(found[3]), found[4])
        return chain, tuple(map(int, found[5].split()))


class Ask(NamedTuple):
    """A roll that has been asked for; from now on nothing can be undone.

    Attributes:
        number: its number at the table, from 1; all chains count by it.
        seal: the seal of everything before it.
        at: when it was asked for.
        links: the links given for it, by chain.
    """

    number: int
    seal: str
    at: float
    links: Mapping[int, str]

    def text(self) -> str:
        """The text of its entry."""
        return f"{self.number} {self.seal}"


class Drawing(NamedTuple):
    """The state of verified dice; immutable.

    Attributes:
        secret: the server's secret.
        chains: the chains that take part, by number.
        announced: how many chains each seat has announced.
        newest: the number of the newest chain.
        total: the number of rolls at the table.
        game: the number of the game, from 1.
        before: the seal of the game before; empty for the first.
        seal: the seal of the last roll of this game; empty before the first.
        sealed: how many moves that seal covers.
        since: the lines of the proof since that seal.
        proof: all lines of the proof of this game.
        legend: the dice of this game so far.
        rolls: the number of rolls of this game.
        without: how many of them were made without any device of a seat, by seat.
        ask: the roll that has been asked for.
    """

    secret: str
    chains: Mapping[int, Chain]
    announced: Mapping[int, int]
    newest: int = -1
    total: int = 0
    game: int = 1
    before: str = ""
    seal: str = ""
    sealed: int = 0
    since: tuple[str, ...] = ()
    proof: Growing[str] = _NO_LINES
    legend: Legend = Legend()
    rolls: int = 0
    without: Mapping[int, int] = _NOBODY
    ask: Ask | None = None

    @classmethod
    def of(cls, secret: str) -> Drawing:
        """The state before any chain is announced."""
        return cls(secret, {}, {}, proof=Growing.of())

    # What can be announced --------------------------------------------------------------------

    @property
    def table(self) -> str:
        """The tip of the server's chain, which stands for the table."""
        return self.chains[SERVER].tip

    def servers(self) -> Chain:
        """The chain that the server announces first."""
        return Chain.new(SERVER, (), 0, server_links(self.secret).link(0))

    def announce(self, seats: Collection[int], tip: str, ended: int | None) -> str:
        """The text of the entry for a device's new chain, which may end its former one."""
        chain = Chain.new(self.newest + 1, seats, self.total, tip)
        ends = [] if ended is None else [ended]
        for seat in chain.seats:
            held = [one.number for one in self.chains.values() if seat in one.seats]
            left = [number for number in held if number not in ends]
            ends += left[: max(0, len(left) + 1 - MOST_CHAINS)]
        return " ".join([chain.text(), *map(str, sorted(ends))])

    def is_full_for(self, seats: Collection[int]) -> bool:
        """Whether one of these seats has announced as many chains as it may."""
        return any(self.announced.get(seat, 0) >= _MOST_ANNOUNCED for seat in seats)

    def has_device(self, seat: int) -> bool:
        """Whether a device of the seat takes part."""
        return any(seat in chain.seats for chain in self.chains.values())

    def asked_of(self) -> list[Chain]:
        """The chains of devices that may still give a link for the roll that is asked for."""
        ask = self.ask
        if ask is None:
            return []
        return [
            chain
            for number, chain in self.chains.items()
            if number != SERVER and number not in ask.links
        ]

    # What can be computed ---------------------------------------------------------------------

    def asking(self, sitting: Sitting, at: float) -> Ask:
        """The roll that is asked for now, with the seal of everything before it."""
        return Ask(self.total + 1, self._seal_now(sitting), at, {})

    def _seal_now(self, sitting: Sitting) -> str:
        seal = self.seal or first_seal(sitting.record(), self.table, self.game, self.before)
        moves = sitting.moves[self.sealed :]
        texts = (sitting.game.event_text(move.event) for move in moves)
        return next_seal(seal, self.since, texts)

    def drawn(self, sitting: Sitting, skipped: Mapping[int, str]) -> tuple[str, Roll]:
        """All links of the roll that is asked for as text, and the dice that follow from them.

        Args:
            sitting: the game.
            skipped: why a chain gave no link, by its number.
        """
        ask, due = self.ask, sitting.due
        if ask is None or not isinstance(due, ToRoll):
            raise HotDiceError("No roll has been asked for.")
        link = server_links(self.secret).link(ask.number)
        given = {SERVER: link, **{one.number: skipped[one.number] for one in self.asked_of()}}
        given |= ask.links
        draw = Draw(self.table, self.game, self.rolls + 1, ask.links, ask.seal)
        text = " ".join(f"{number}={what}" for number, what in sorted(given.items()))
        return text, roll_of(draw.seed(link), due.dice)

    def lines(self) -> tuple[str, ...]:
        """The proof of this game so far, without its last seal."""
        head = (f"table {self.table}", f"game {self.game}", f"before {self.before or '-'}")
        return (*head, *self.proof)

    # The fold ---------------------------------------------------------------------------------

    def with_chain(self, text: str) -> Drawing:
        """After a chain has been announced."""
        chain, ended = Chain.read(text)
        fits = chain.number == self.newest + 1 and chain.base == self.total
        is_server = chain.number == SERVER
        if is_server == bool(chain.seats) or not set(ended) <= self.chains.keys() - {SERVER}:
            fits = False
        if not fits or self.ask is not None:
            raise UnreadableText("This is not a chain of verified dice.")
        chains = {number: one for number, one in self.chains.items() if number not in ended}
        chains[chain.number] = chain
        announced = dict(self.announced)
        for seat in chain.seats:
            announced[seat] = announced.get(seat, 0) + 1
        after = self._replace(chains=chains, announced=announced, newest=chain.number)
        begins = chain_line(chain.number, chain.seats, 0, chain.tip)
        return after.noted([*map(end_line, ended), begins])

    def with_ask(self, text: str, at: float, sitting: Sitting) -> Drawing:
        """After a roll has been asked for."""
        ask = self.asking(sitting, at) if SERVER in self.chains else None
        if self.ask is not None or ask is None or text != ask.text():
            # A device that gives its link for a later roll gives away those of all rolls before.
            raise UnreadableText("There are dice that nobody can have asked for.")
        return self._replace(seal=ask.seal, sealed=len(sitting.moves), since=(), ask=ask)

    def with_link(self, text: str) -> Drawing:
        """After a device has given its link."""
        found = _LINK.fullmatch(text)
        if self.ask is None or found is None:
            raise UnreadableText("There is a link for no roll.")
        links = {**self.ask.links, int(found[1]): found[2]}
        return self._replace(ask=self.ask._replace(links=links))

    def with_draw(self, text: str, sitting: Sitting, people: Collection[int]) -> Drawing:
        """After all links of a roll are known; the roll itself follows."""
        ask, due = self.ask, sitting.due
        if ask is None or not isinstance(due, ToRoll):
            raise UnreadableText("There are dice that nobody asked for.")
        given = read_given(text)
        gave = {number for number, what in given.items() if what not in SKIPPED}
        chains = {
            number: chain._replace(head=given[number], known=ask.number)
            if number in gave
            else chain
            for number, chain in self.chains.items()
        }
        reached = {seat for number in gave if number in chains for seat in chains[number].seats}
        without = dict(self.without)
        for seat in set(people) - reached:
            without[seat] = without.get(seat, 0) + 1
        legend, lines = self.legend.lines(
            sitting.game, self.rolls + 1, len(sitting.moves) + 1, due.dice, text
        )
        after = self._replace(
            chains=chains,
            total=ask.number,
            legend=legend,
            rolls=self.rolls + 1,
            without=without,
            ask=None,
        )
        return after.noted(lines)

    def with_game(self, sitting: Sitting) -> Drawing:
        """After a new game has begun; ``sitting`` is the game before it."""
        lines = [
            chain_line(chain.number, chain.seats, self.total - chain.known, chain.head)
            for _, chain in sorted(self.chains.items())
        ]
        after = Drawing(self.secret, self.chains, self.announced, self.newest, self.total)
        before = self._seal_now(sitting)
        after = after._replace(game=self.game + 1, before=before, proof=Growing.of())
        return after.noted(lines)

    def noted(self, lines: Sequence[str]) -> Drawing:
        """With more lines of the proof."""
        proof = self.proof
        for line in lines:
            proof = proof.grown(line)
        return self._replace(since=(*self.since, *lines), proof=proof)
