"""Helpers for tests with verified dice: devices with chains, and games played with them."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from hotdice.core.due import Over, ToRoll
from hotdice.table.commands import Choose, RollDice, begin_table
from hotdice.table.dice_commands import Announce, DrawDice, GiveLink
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.verified import Links
from tests.table.playing import committed

VERIFIED = Setup(
    "farkle",
    "starts=seat entry=0 target=100",
    (Seat("Ann"), Seat("Ben")),
    dice="verified",
    seed="secret of the server",
)
LENGTH = 300


class Device:
    """A device with some seats and a chain."""

    def __init__(self, name: str, *seats: int) -> None:
        self.seats = seats
        self.links = Links(name, LENGTH)
        self.chain, self.base = -1, 0

    @property
    def tip(self) -> str:
        return self.links.link(0)

    def announced(self, table: Table, ended: int | None = None) -> Table:
        after = committed(table, Announce(self.seats, self.tip, ended).on(table, 1.0))
        drawing = after.drawing
        assert drawing
        self.chain = drawing.newest
        self.base = drawing.chains[self.chain].base
        return after

    def link(self, table: Table) -> GiveLink:
        """The command that gives the link for the roll that is asked for."""
        number = asked(table)
        link = self.links.link(number - self.base)
        return GiveLink(self.seats[0], self.chain, number, link)

    def gave(self, table: Table) -> Table:
        return committed(table, self.link(table).on(table, 2.0))


def asked(table: Table) -> int:
    """The number of the roll that is asked for."""
    assert table.drawing
    assert table.drawing.ask
    return table.drawing.ask.number


def begun(setup: Setup = VERIFIED) -> Table:
    return committed(Table.of(setup), begin_table(Table.of(setup), 0.0))


def drawn(table: Table, silent: Collection[int] = ()) -> Table:
    return committed(table, DrawDice(asked(table), silent).on(table, 3.0))


def chosen(table: Table, rng: Random) -> Table:
    """After whoever has to act has rolled, or has chosen something."""
    due = table.due
    assert not isinstance(due, Over)
    if isinstance(due, ToRoll):
        return committed(table, RollDice(due.seat, "", table.seq).on(table, 1.0))
    text = table.game.event_text(rng.choice(table.game.choices(table.state)))
    return committed(table, Choose(due.seat, text, table.seq).on(table, 1.0))


def played(
    table: Table, devices: Collection[Device], rng: Random, *, skips: float = 0.0, most: int = 2000
) -> Table:
    """A game played at random; devices miss some rolls."""
    for _ in range(most):
        if isinstance(table.due, Over):
            break
        if not table.is_asked:
            table = chosen(table, rng)
            continue
        silent = set()
        for device in devices:
            if rng.random() >= skips:
                table = device.gave(table)
            elif rng.random() < 0.5:
                silent.add(device.chain)
        table = drawn(table, silent)
    return table
