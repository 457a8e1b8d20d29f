"""Commands of players, validated against a table.

A command returns the entries it would add and the table after them, and changes nothing. The owner
of the log commits the entries; of two commands that race, the second is ``Stale``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol, cast

from hotdice.bots import LEVELS
from hotdice.core.due import Over, ToRoll
from hotdice.core.errors import BadSetup, HotDiceError
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.record import check_name
from hotdice.core.words import is_shown, name_key
from hotdice.table.drawing import Drawing
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Next, Refused, Stale, Table
from hotdice.table.rights import Act, check_moment

TIMEOUT_LEVEL = "casual"
"""The bot that sits in for whoever lets the clock run out."""
_LONGEST_CHAT = 200


class Command(Protocol):
    """A command for a seat.

    Attributes:
        act: what it does; the rules say who may do that.
    """

    act: ClassVar[Act]

    @property
    def seat(self) -> int:
        """The seat that it acts for."""

    def on(self, table: Table, now: float) -> Next:
        """The result of the command on a table; raises ``Refused`` and the like."""


@dataclass(frozen=True, slots=True)
class RollDice:
    """A seat rolls: virtual dice, or real ones typed in. People roll the real dice of bots."""

    act: ClassVar[Act] = Act.ROLL
    seat: int
    typed: str
    seen: int

    def on(self, table: Table, now: float) -> Next:
        """The roll, and the automatic rolls after it."""
        _check_seen(table, self.seat, self.seen)
        check_moment(self.act, table, self.seat)
        if table.drawing is not None and not self.typed:
            return ask_for_dice(table, self.seat, now)
        roll = table.sitting.throw()
        if roll is None and table.drawing is None:
            roll = table.game.read_roll(table.state, self.typed)
        elif roll is None or self.typed:
            raise Refused("The dice of this table are virtual; they cannot be typed in.")
        return play_event(table, roll, now)


@dataclass(frozen=True, slots=True)
class Choose:
    """A seat chooses; if that means to roll on, virtual dice are rolled at once."""

    act: ClassVar[Act] = Act.CHOOSE
    seat: int
    text: str
    seen: int

    def on(self, table: Table, now: float) -> Next:
        """The choice, and the automatic rolls after it."""
        _check_seen(table, self.seat, self.seen)
        check_moment(self.act, table, self.seat)
        return play_event(table, find_choice(table, self.text), now)


@dataclass(frozen=True, slots=True)
class Undo:
    """A seat takes back what it did last."""

    act: ClassVar[Act] = Act.UNDO
    seat: int
    seen: int

    def on(self, table: Table, now: float) -> Next:
        """The undo; raises ``CannotUndo``."""
        _check_seen(table, self.seat, self.seen)
        check_moment(self.act, table, self.seat)
        return add_entry(table, Kind.UNDO, self.seat, "", now)


@dataclass(frozen=True, slots=True)
class Rematch:
    """The same people play again; the rules say who is first."""

    act: ClassVar[Act] = Act.REMATCH
    seat: int
    seen: int

    def on(self, table: Table, now: float) -> Next:
        """The new game, and its first roll."""
        _check_seen(table, self.seat, self.seen)
        check_moment(self.act, table, self.seat)
        first = table.game.rematch_first(cast("Over", table.due).result)
        return add_and_roll(table, Kind.GAME, self.seat, str(first), now)


@dataclass(frozen=True, slots=True)
class Say:
    """A seat sends a chat message.

    Chat does not change the game, so the sender need not have seen the latest entry.
    """

    act: ClassVar[Act] = Act.SAY
    seat: int
    text: str

    def on(self, table: Table, now: float) -> Next:
        """The message, without control characters."""
        check_moment(self.act, table, self.seat)
        said = " ".join("".join(c if is_shown(c) else " " for c in self.text).split())
        if not said or len(said) > _LONGEST_CHAT:
            raise Refused(f"A message has 1 to {_LONGEST_CHAT} characters.")
        if table.is_full_of_chat:
            raise Refused("The chat of this table is full; you can still play.")
        return add_entry(table, Kind.SAY, self.seat, said, now)


@dataclass(frozen=True, slots=True)
class Join:
    """Somebody takes an open seat; the game starts when all seats are taken."""

    act: ClassVar[Act] = Act.JOIN
    seat: int
    name: str

    def on(self, table: Table, now: float) -> Next:
        """The new player, and the first roll if the game starts."""
        check_moment(self.act, table, self.seat)
        name = check_name(self.name)
        others = [name_key(one) for at, one in enumerate(table.names) if at != self.seat]
        if name_key(name) in others:
            raise BadSetup(f"Somebody called {name} sits here already; take another name.")
        return add_and_roll(table, Kind.JOIN, self.seat, name, now)


@dataclass(frozen=True, slots=True)
class Return:
    """A player comes back and takes over from the bot that sat in."""

    act: ClassVar[Act] = Act.RETURN
    seat: int

    def on(self, table: Table, now: float) -> Next:
        """The player back in the seat."""
        _check_seat(table, self.seat)
        check_moment(self.act, table, self.seat)
        return _sit(table, self.seat, "", now)


@dataclass(frozen=True, slots=True)
class SitIn:
    """A bot sits in for a seat, at the request of its player or the host."""

    act: ClassVar[Act] = Act.SIT_IN
    seat: int
    level: str

    def on(self, table: Table, now: float) -> Next:
        """The bot in the seat."""
        _check_seat(table, self.seat)
        check_moment(self.act, table, self.seat)
        if self.level not in LEVELS:
            raise Refused(f"There is no bot '{self.level}'; the levels are {', '.join(LEVELS)}.")
        return _sit(table, self.seat, self.level, now)


@dataclass(frozen=True, slots=True)
class Relieve:
    """A bot sits in for another player who has kept everybody waiting."""

    act: ClassVar[Act] = Act.RELIEVE
    seat: int
    other: int
    level: str

    def on(self, table: Table, now: float) -> Next:
        """The bot in the other seat."""
        check_moment(self.act, table, self.other, now)
        return SitIn(self.other, self.level).on(table, now)


@dataclass(frozen=True, slots=True)
class TimeOut:
    """A bot sits in for whoever has let the clock run out.

    It has no seat, so it is not a ``Command``; only the server issues it.
    """

    act: ClassVar[Act] = Act.TIME_OUT

    def on(self, table: Table, now: float) -> Next:
        """The bot in the seat."""
        check_moment(self.act, table, table.seat_due, now)
        return add_and_roll(table, Kind.LATE, table.seat_due, TIMEOUT_LEVEL, now)


def find_choice(table: Table, text: str) -> Choice:
    """The legal choice that a text means; raises if it is unreadable, ambiguous or illegal.

    Clients send the text of a choice they were shown, which is one look-up in the game's parse
    cache. Any other text is parsed as typed by a person.
    """
    game, state = table.sitting.game, table.sitting.state
    try:
        event = game.read_event(text)
    except HotDiceError:
        return game.pick(state, text)
    if isinstance(event, Choice) and event in game.choices(state):
        return event
    return game.pick(state, text)


def play_event(table: Table, event: Event, now: float) -> Next:
    """An event by whoever has to act, and the automatic rolls after it."""
    return auto_roll(add_event(table, event, now), now, since=table.seq)


def auto_roll(table: Table, now: float, *, since: int | None = None) -> Next:
    """The automatic rolls; ``since`` is the entry after which the returned ones begin."""
    seen = table.seq if since is None else since
    while _is_automatic(table):
        if table.drawing is not None:
            table = ask_for_dice(table, table.seat_due, now).table
        elif (roll := table.sitting.throw()) is not None:
            table = add_event(table, roll, now)
        else:
            break
    return Next(table.entries.last(table.seq - seen), table)


def _is_automatic(table: Table) -> bool:
    """Whether a roll is due that nobody has to ask for.

    The first dice of a game are rolled at once; people start their later turns themselves.
    """
    sitting = table.sitting
    due = sitting.due
    if not isinstance(due, ToRoll) or table.waiting or table.is_asked or table.lacks_devices():
        return False
    is_asked_for = sitting.game.begins_turn(sitting.state) and sitting.has_chosen()
    return not is_asked_for or bool(sitting.seats[due.seat].bot)


def begin_table(table: Table, now: float) -> Next:
    """The first entries of a new table: the server's chain, if needed, and automatic rolls."""
    if table.drawing is None:
        return auto_roll(table, now)
    return add_and_roll(table, Kind.CHAIN, -1, table.drawing.servers().text(), now)


def ask_for_dice(table: Table, seat: int, now: float) -> Next:
    """A request for verified dice; raises ``Refused`` if the table has other dice."""
    ask = verified_dice(table).asking(table.sitting, now)
    return add_entry(table, Kind.ASK, seat, ask.text(), now)


def verified_dice(table: Table) -> Drawing:
    """The state of verified dice; raises ``Refused`` if the table has other dice."""
    if table.drawing is None:
        raise Refused("The dice of this table are not verified.")
    return table.drawing


def _sit(table: Table, seat: int, level: str, now: float) -> Next:
    if table.seats[seat].bot == level:
        raise Refused("That seat is already played that way.")
    return add_and_roll(table, Kind.SIT, seat, level, now)


def _check_seat(table: Table, seat: int) -> None:
    if not 0 <= seat < len(table.sitting.seats):
        raise Refused("There is no such seat.")


def _check_seen(table: Table, seat: int, seen: int) -> None:
    """Check that the sender has seen the latest entry that is not chat."""
    _check_seat(table, seat)
    if not table.settled <= seen <= table.seq:
        raise Stale(f"The table has moved on to {table.seq}; you saw {seen}.")
    if table.waiting:
        raise Refused("The game begins when all seats are taken.")


def _entry(table: Table, kind: Kind, seat: int, text: str, now: float) -> Entry:
    if table.is_full:
        raise Refused("The log of this table is full; set up a new one.")
    return Entry(table.seq + 1, kind, seat, text, now)


def add_entry(table: Table, kind: Kind, seat: int, text: str, now: float) -> Next:
    """One entry."""
    entry = _entry(table, kind, seat, text, now)
    return Next([entry], table.add(entry))


def add_and_roll(table: Table, kind: Kind, seat: int, text: str, now: float) -> Next:
    """One entry, and the automatic rolls after it."""
    entry = _entry(table, kind, seat, text, now)
    return auto_roll(table.add(entry), now, since=table.seq)


def add_event(table: Table, event: Event, now: float) -> Table:
    """The table after an event; its text is written for the log and not parsed again."""
    text = table.sitting.game.event_text(event)
    if isinstance(event, Roll):
        # Writing a roll puts it into the parse cache, so that equal rolls share one object there.
        return table.add(_entry(table, Kind.ROLL, table.seat_due, text, now))
    return table.add(_entry(table, Kind.CHOOSE, table.seat_due, text, now), event)
