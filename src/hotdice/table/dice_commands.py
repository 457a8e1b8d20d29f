"""Commands for verified dice: devices announce chains and give links, the server draws."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from hotdice.table.commands import (
    add_and_roll,
    add_entry,
    add_event,
    ask_for_dice,
    auto_roll,
    verified_dice,
)
from hotdice.table.entries import Kind
from hotdice.table.log import Next, Refused, Stale, Table
from hotdice.table.rights import Act, check_moment
from hotdice.table.verified import SKIPPED, hashed_back, is_link


class NotTaken(Refused):
    """A chain or a link that is not taken; clients do not show it."""


class TooLate(NotTaken):
    """A link for dice that lie already."""


@dataclass(frozen=True, slots=True)
class Announce:
    """A device takes part in verified dice from the next roll on.

    Attributes:
        seats: the seats on the device.
        tip: the first link of its chain.
        ended: the number of the chain that this one replaces.
    """

    act: ClassVar[Act] = Act.CHAIN
    seats: tuple[int, ...]
    tip: str
    ended: int | None = None

    @property
    def seat(self) -> int:
        """The first seat on the device."""
        return min(self.seats)

    def on(self, table: Table, now: float) -> Next:
        """The chain, and the first roll of the table if it has waited for this device."""
        check_moment(self.act, table, self.seat)
        drawing = verified_dice(table)
        if not all(0 <= seat < len(table.seats) for seat in self.seats):
            raise NotTaken("A device has seats of this table only.")
        if not is_link(self.tip):
            raise NotTaken("A chain begins with 64 hexadecimal digits.")
        if any(chain.tip == self.tip for chain in drawing.chains.values()):
            raise NotTaken("This chain takes part already.")
        old = None if self.ended is None else drawing.chains.get(self.ended)
        if self.ended is not None and (old is None or not set(old.seats) & set(self.seats)):
            raise NotTaken("A device can only replace a chain of its own seats.")
        if drawing.is_full_for(self.seats):
            raise NotTaken("This seat has announced too many chains.")
        if table.is_asked:  # its owner could choose a chain that suits the links known already
            raise NotTaken("The dice are rolling; announce the chain after that.")
        text = drawing.announce(self.seats, self.tip, self.ended)
        return add_and_roll(table, Kind.CHAIN, self.seat, text, now)


@dataclass(frozen=True, slots=True)
class GiveLink:
    """A device gives the link of its chain for the roll that has been asked for.

    Attributes:
        seat: a seat on the device.
        chain: the number of its chain.
        number: the number of the roll at the table.
        link: the link.
    """

    act: ClassVar[Act] = Act.LINK
    seat: int
    chain: int
    number: int
    link: str

    def on(self, table: Table, now: float) -> Next:
        """The link; raises ``TooLate`` if the dice lie already."""
        check_moment(self.act, table, self.seat)
        drawing = verified_dice(table)
        if drawing.ask is None or drawing.ask.number != self.number:
            raise TooLate("These dice lie already; the link came too late.")
        chain = next((one for one in drawing.asked_of() if one.number == self.chain), None)
        if chain is None or self.seat not in chain.seats:
            raise NotTaken("This device gives no link for this roll, or has given it.")
        if (
            not is_link(self.link)
            or hashed_back(self.link, self.number - chain.known) != chain.head
        ):
            raise NotTaken("This link does not belong to the chain of this device.")
        return add_entry(table, Kind.LINK, self.seat, f"{self.chain} {self.link}", now)


@dataclass(frozen=True, slots=True)
class Begin:
    """The first verified dice wait for devices no longer; only the server issues it."""

    act: ClassVar[Act] = Act.BEGIN

    def on(self, table: Table, now: float) -> Next:
        """The roll is asked for."""
        check_moment(self.act, table, table.seat_due)
        return ask_for_dice(table, table.seat_due, now)


@dataclass(frozen=True, slots=True)
class DrawDice:
    """Verified dice are rolled with the links that were given; only the server issues it.

    Attributes:
        number: the number of the roll at the table.
        silent: the chains of devices that are connected and did not answer in time; other devices
            that gave no link are absent.
    """

    act: ClassVar[Act] = Act.DRAW
    number: int
    silent: Collection[int] = ()

    def on(self, table: Table, now: float) -> Next:
        """All links, the roll, and what is automatic after it."""
        check_moment(self.act, table, table.seat_due)
        drawing = verified_dice(table)
        if drawing.ask is None or drawing.ask.number != self.number:
            raise Stale("These dice lie already.")
        absent, silent = SKIPPED
        skipped = {
            chain.number: silent if chain.number in self.silent else absent
            for chain in drawing.asked_of()
        }
        text, roll = drawing.drawn(table.sitting, skipped)
        asked = add_entry(table, Kind.DRAW, table.seat_due, text, now).table
        return auto_roll(add_event(asked, roll, now), now, since=table.seq)
