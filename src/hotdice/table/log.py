"""A table: the state that the entries of its log add up to.

The log is the source of truth; a table is a fold over it. ``commands`` validates commands,
``rights`` says who may do what, and ``bots`` plays for bots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.errors import HotDiceError, UnreadableText
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import AnyGame
from hotdice.core.record import Record
from hotdice.table.drawing import Drawing
from hotdice.table.entries import PLAYED, Entry, Kind
from hotdice.table.growing import Growing
from hotdice.table.setup import Setup
from hotdice.table.sitting import CannotUndo, Seat, Sitting
from hotdice.table.verified import SERVER, sealed

PATIENCE = 60.0
"""Seconds after which another player may let a bot sit in for whoever has to act."""
_LONGEST_LOG = 20_000
_LAST_AUTOMATIC = 19_900
"""The length of a log at which bots and clocks stop; the remaining entries are for people."""
_LAST_CHAT = 15_000
"""The length of a log at which chat is refused; the remaining entries are for the game."""


class Refused(HotDiceError):
    """A command that is not allowed; the table does not change."""


class Stale(Refused):
    """The table has changed since the command was sent."""


class Next(NamedTuple):
    """Entries to be committed, and the table after them."""

    entries: list[Entry]
    table: Table


class Table(NamedTuple):
    """The state of a table; immutable, so every entry makes a new one.

    Fields that few entries change come first, so that the next table copies them as one slice.

    Attributes:
        setup: how it was set up.
        waiting: the open seats that nobody has taken yet; the game waits for them.
        people: the seats that belong to a person, who can come back to it.
        results: the results of former games.
        drawing: the state of verified dice; ``None`` with other dice.
        sitting: the game under way, and who sits in which seat now.
        entries: the log.
        seq: the number of the last entry.
        moved: when the clock of whoever has to act started; ``None`` before the first entry.
        settled: the number of the last entry that is not chat, a chain or a link.
    """

    setup: Setup
    waiting: frozenset[int]
    people: frozenset[int]
    results: tuple[Result, ...]
    drawing: Drawing | None
    sitting: Sitting
    entries: Growing[Entry]
    seq: int = 0
    moved: float | None = None
    settled: int = 0

    @classmethod
    def of(cls, setup: Setup, entries: Iterable[Entry] = ()) -> Table:
        """The table that a log adds up to."""
        waiting = frozenset(setup.open)
        people = frozenset(seat for seat, who in enumerate(setup.seats) if not who.bot)
        sitting = setup.sitting(setup.rules(), setup.seats, 0, setup.first)
        drawing = Drawing.of(setup.seed) if setup.dice == "verified" else None
        table = cls(setup, waiting, people - waiting, (), drawing, sitting, Growing.of())
        for entry in entries:
            table = table.add(entry)
        return table

    # The fold ---------------------------------------------------------------------------------

    def add(self, entry: Entry, event: Event | None = None) -> Table:
        """The table after one more entry; raises ``Stale`` if the entry is not the next one.

        Args:
            entry: the entry.
            event: the event in its text, if the caller knows it; otherwise the text is parsed.
        """
        if entry.seq != self.seq + 1:
            raise Stale(f"The table is at {self.seq}; entry {entry.seq} is not the next one.")
        return _FOLDS[entry.kind](self, entry, event)

    def caught_up(self, entries: Iterable[Entry]) -> Iterator[Next]:
        """Fold committed entries in groups; in each group, played entries come last."""
        groups: list[list[Entry]] = []
        for entry in entries:
            if not groups or entry.kind not in PLAYED:
                groups.append([])
            groups[-1].append(entry)
        table = self
        for group in groups:
            for entry in group:
                table = table.add(entry)
            yield Next(group, table)

    # Derived ----------------------------------------------------------------------------------

    @property
    def game(self) -> AnyGame:
        """The rules."""
        return self.sitting.game

    @property
    def state(self) -> Any:
        """The state of the game under way."""
        return self.sitting.state

    @property
    def due(self) -> Due:
        """What has to happen next."""
        return self.sitting.due

    @property
    def seat_due(self) -> int:
        """The seat that has to act; -1 if the game is over."""
        due = self.sitting.due
        return -1 if isinstance(due, Over) else due.seat

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Who sits in which seat now."""
        return self.sitting.seats

    @property
    def names(self) -> list[str]:
        """The names of the seats."""
        return [seat.name for seat in self.sitting.seats]

    @property
    def number(self) -> int:
        """The number of the game under way, from 1."""
        return len(self.results) + 1

    def is_bot(self, seat: int) -> bool:
        """Whether a bot plays the seat now."""
        return bool(self.seats[seat].bot)

    def only_bots(self) -> bool:
        """Whether bots play all seats now, including those of people."""
        return all(seat.bot for seat in self.seats)

    @property
    def is_full(self) -> bool:
        """Whether the log takes no more entries."""
        return self.seq >= _LONGEST_LOG

    @property
    def is_full_of_chat(self) -> bool:
        """Whether the log takes no more chat."""
        return self.seq >= _LAST_CHAT

    @property
    def is_idle(self) -> bool:
        """Whether the log is so long that bots and clocks have stopped."""
        return self.seq >= _LAST_AUTOMATIC

    def bot_due(self) -> str:
        """The level of the bot that has to choose now; empty if no bot has to."""
        due = self.due
        if not isinstance(due, ToChoose) or self.waiting or self.is_idle:
            return ""
        return self.seats[due.seat].bot

    @property
    def is_asked(self) -> bool:
        """Whether verified dice have been asked for and do not lie yet."""
        return self.drawing is not None and self.drawing.ask is not None

    def lacks_devices(self) -> bool:
        """Whether the first verified dice wait for devices of people that take no part yet."""
        drawing = self.drawing
        if drawing is None or drawing.total or drawing.ask is not None or self.waiting:
            return False
        return isinstance(self.due, ToRoll) and not all(map(drawing.has_device, self.people))

    @property
    def is_final(self) -> bool:
        """Whether a challenge is over; its player may then see the dice that others had."""
        return bool(self.setup.challenge) and self.sitting.is_over()

    def undoer(self) -> int | None:
        """The seat that may undo now, or ``ANYBODY``; ``None`` if nobody may.

        Once verified dice are asked for, a link may be known, so nothing can be undone.
        """
        if self.drawing is not None and self.is_asked:
            return None
        return None if self.setup.challenge and self.is_final else self.sitting.undoer()

    def deadline(self) -> float | None:
        """When the clock of whoever has to act runs out; ``None`` if no clock runs."""
        if not self.setup.clock or self.waiting or self.moved is None or self.is_idle:
            return None
        if self.is_asked:
            return None
        due = self.due
        if isinstance(due, Over) or self.is_bot(due.seat):
            return None
        return self.moved + self.setup.clock

    def wins(self) -> tuple[int, ...]:
        """How many games of the current series each seat has won or shared."""
        won = [0] * len(self.seats)
        for result in self.results:
            for seat in result.winners:
                won[seat] += 1
            if self._decides(won):
                won = [0] * len(self.seats)
        for seat in self.due.result.winners if isinstance(self.due, Over) else ():
            won[seat] += 1
        return tuple(won)

    def champions(self) -> tuple[int, ...]:
        """The seats that have won the series, once it is decided."""
        won = self.wins()
        return tuple(s for s, n in enumerate(won) if n == max(won)) if self._decides(won) else ()

    def _decides(self, won: Iterable[int]) -> bool:
        return bool(self.setup.series) and max(won) >= self.setup.series

    def record(self, number: int | None = None) -> Record:
        """The record of the game under way, or of a former one by its number.

        Whoever knows the seed knows the dice to come, so it is left out until the game is over and
        nothing can be undone.
        """
        table = self if number is None else self.at_game(number)
        record = table.sitting.record()
        if table.drawing is not None and SERVER in table.drawing.chains:
            return sealed(replace(record, proof=table.drawing.lines()))
        is_past = table is not self
        if is_past or (isinstance(self.due, Over) and self.sitting.undoer() is None):
            return record
        return replace(record, tags={k: v for k, v in record.tags.items() if k != "seed"})

    def at_game(self, number: int) -> Table:
        """The table as it was when a former game ended; raises ``Refused``."""
        if not 1 <= number <= self.number:
            raise Refused(f"There is no game {number} at this table; there are {self.number}.")
        if number == self.number:
            return self
        begins = [entry.seq for entry in self.entries if entry.kind is Kind.GAME]
        return Table.of(self.setup, self.entries[: begins[number - 1] - 1])


def _after(table: Table, entry: Entry, sitting: Sitting) -> Table:
    """The table after an entry that is not chat, with the sitting it leads to."""
    # Changing seats does not reset the clock.
    keeps_clock = entry.kind is Kind.SIT and not _is_late(table, entry)
    moved = table.moved if keeps_clock else entry.at
    entries, seq = table.entries.grown(entry), entry.seq
    return Table(*table[:5], sitting, entries, seq, moved, seq)


def _is_late(table: Table, entry: Entry) -> bool:
    """Whether the seat has to act now and its time has run out."""
    patience = table.setup.clock or PATIENCE
    return table.seat_due == entry.seat and (
        table.moved is None or table.moved + patience <= entry.at
    )


def _fold_roll(table: Table, entry: Entry, event: Event | None) -> Table:
    if event is None:
        event = table.sitting.game.read_event(entry.text)
    if not isinstance(event, Roll):
        raise UnreadableText(f"'{entry.text}' is not a roll.")
    return _after(table, entry, table.sitting.played(event))


def _fold_choice(table: Table, entry: Entry, event: Event | None) -> Table:
    if event is None:
        event = table.sitting.game.read_event(entry.text)
    if not isinstance(event, Choice):
        raise UnreadableText(f"'{entry.text}' is not a choice.")
    return _after(table, entry, table.sitting.played(event))


def _fold_undo(table: Table, entry: Entry, _event: Event | None) -> Table:
    if table.is_asked:
        raise CannotUndo("The dice have been asked for; nothing can be undone.")
    if table.is_final:
        raise CannotUndo("The challenge is over; nothing can be undone.")
    return _after(table, entry, table.sitting.undone())


def _fold_join(table: Table, entry: Entry, _event: Event | None) -> Table:
    seated = table.sitting.seated(entry.seat, Seat(entry.text))
    table = table._replace(people=table.people | {entry.seat}, waiting=table.waiting - {entry.seat})
    return _after(table, entry, seated)


def _fold_sit(table: Table, entry: Entry, _event: Event | None) -> Table:
    who = table.seats[entry.seat]._replace(bot=entry.text)
    table = table._replace(waiting=table.waiting - {entry.seat})
    return _after(table, entry, table.sitting.seated(entry.seat, who))


def _fold_game(table: Table, entry: Entry, _event: Event | None) -> Table:
    if table.drawing is not None:
        table = table._replace(drawing=table.drawing.with_game(table.sitting))
    if isinstance(table.due, Over):
        table = table._replace(results=(*table.results, table.due.result))
    first, number = int(entry.text), len(table.results)
    return _after(table, entry, table.setup.sitting(table.game, table.seats, number, first))


def _fold_chat(table: Table, entry: Entry, _event: Event | None) -> Table:
    """Chat does not change the game."""
    return table._replace(entries=table.entries.grown(entry), seq=entry.seq)


def _fold_chain(table: Table, entry: Entry, event: Event | None) -> Table:
    drawing = _drawing(table).with_chain(entry.text)
    return _fold_chat(table._replace(drawing=drawing), entry, event)


def _fold_link(table: Table, entry: Entry, event: Event | None) -> Table:
    drawing = _drawing(table).with_link(entry.text)
    return _fold_chat(table._replace(drawing=drawing), entry, event)


def _fold_ask(table: Table, entry: Entry, _event: Event | None) -> Table:
    drawing = _drawing(table).with_ask(entry.text, entry.at, table.sitting)
    return _after(table._replace(drawing=drawing), entry, table.sitting)


def _fold_draw(table: Table, entry: Entry, _event: Event | None) -> Table:
    drawing = _drawing(table).with_draw(entry.text, table.sitting, table.people)
    return _after(table._replace(drawing=drawing), entry, table.sitting)


def _drawing(table: Table) -> Drawing:
    if table.drawing is None:
        raise UnreadableText("The dice of this table are not verified.")
    return table.drawing


_FOLDS: dict[Kind, Callable[[Table, Entry, Event | None], Table]] = {
    Kind.ROLL: _fold_roll,
    Kind.CHOOSE: _fold_choice,
    Kind.UNDO: _fold_undo,
    Kind.JOIN: _fold_join,
    Kind.SIT: _fold_sit,
    Kind.LATE: _fold_sit,
    Kind.GAME: _fold_game,
    Kind.SAY: _fold_chat,
    Kind.CHAIN: _fold_chain,
    Kind.ASK: _fold_ask,
    Kind.LINK: _fold_link,
    Kind.DRAW: _fold_draw,
}
"""The table after an entry, by kind."""
