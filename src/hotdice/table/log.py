"""A table: one sitting after another as an append-only log, and what may be added to it.

The log is the truth; everything else about a table is what its entries add up to. A command names
the sequence number it saw, so two that race cannot both win. What a command leads to is worked out
first, as entries that are not part of the log yet; who keeps the log commits them, and only then
are they added and seen.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from hotdice.bots import LEVELS, is_ready
from hotdice.core.errors import BadSetup, HotDiceError, UnreadableText
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame, Due, Over, Result, ToChoose, ToRoll
from hotdice.core.record import Record, check_name
from hotdice.core.words import is_shown, same_name
from hotdice.table.growing import Growing
from hotdice.table.setup import Setup
from hotdice.table.sitting import ANYBODY, Seat, Sitting, Thought

PATIENCE = 60.0
"""Seconds somebody may be waited for before another may let a bot sit in."""
PLAYED = ("roll", "choose")
"""The kinds of entries that are events of the game."""
SITS_IN = "casual"
"""The level that plays for somebody whose clock ran out."""
_LONGEST_SAID = 200
_LONGEST_LOG = 20_000
_LAST_OF_ITSELF = 19_900
"""How long a log may be for bots to play and clocks to run out; the rest is for people."""
_LAST_WORD = 15_000
"""How long a log may be for anybody to say something; the rest is for playing."""


class Refused(HotDiceError):
    """A command that cannot be carried out; the table stays as it was."""


class Stale(Refused):
    """The table has moved on since the command was given."""


class Entry(NamedTuple):
    """One thing that happened at a table.

    Attributes:
        seq: its number in the log, from 1.
        kind: ``roll``, ``choose``, ``undo``, ``join``, ``sit``, ``late``, ``game`` or ``say``.
        seat: whose it is.
        text: a roll or choice in its line of text; a name; who sits there now; what was said.
        at: when, in seconds since the epoch.
    """

    seq: int
    kind: str
    seat: int
    text: str
    at: float


class Next(NamedTuple):
    """What a command leads to: the entries to be committed, and the table after them."""

    entries: list[Entry]
    table: Table


class Table:
    """A table as its log says it stands."""

    def __init__(self, setup: Setup, entries: Iterable[Entry] = ()) -> None:
        self.setup = setup
        self.game: AnyGame = setup.rules()
        self.entries: Growing[Entry] = Growing()
        self.seq = 0
        self.moved: float | None = None
        self._settled = 0
        self.results: tuple[Result, ...] = ()
        self.seats = setup.seats
        self.waiting = frozenset(setup.open)
        people = (seat for seat, who in enumerate(setup.seats) if not who.bot)
        self.people = frozenset(people) - self.waiting
        self.sitting = self._sitting(setup.first)
        for entry in entries:
            self.add(entry)

    # What the log adds up to ------------------------------------------------------------------

    @property
    def number(self) -> int:
        """Which game is under way, from 1."""
        return len(self.results) + 1

    @property
    def state(self) -> Any:
        """The state it stands in."""
        return self.sitting.state

    @property
    def names(self) -> list[str]:
        """The names of the seats."""
        return [seat.name for seat in self.seats]

    def due(self) -> Due:
        """What has to happen next."""
        return self.sitting.due()

    def is_bot(self, seat: int) -> bool:
        """Whether a bot plays the seat now."""
        return bool(self.seats[seat].bot)

    def only_bots(self) -> bool:
        """Whether bots play all seats, those of people too."""
        return all(seat.bot for seat in self.seats)

    @property
    def is_full(self) -> bool:
        """Whether the log is so long that nothing happens of itself any more."""
        return self.seq >= _LAST_OF_ITSELF

    def bot_due(self) -> str:
        """The level of the bot that has to choose now; nothing if none has to."""
        if self.is_full:
            return ""
        due = self.due()
        return self.seats[due.seat].bot if isinstance(due, ToChoose) and not self.waiting else ""

    def deadline(self) -> float | None:
        """When the clock of whoever has to act runs out; ``None`` without a clock."""
        due = self.due()
        if not self.setup.clock or self.waiting or self.moved is None or isinstance(due, Over):
            return None
        if self.is_full:
            return None
        return None if self.is_bot(due.seat) else self.moved + self.setup.clock

    def wins(self) -> tuple[int, ...]:
        """How many games of the series under way each seat has won or shared."""
        won = [0] * len(self.seats)
        for result in self.results:
            for seat in result.winners:
                won[seat] += 1
            if self._decides(won):
                won = [0] * len(self.seats)
        due = self.due()
        for seat in due.result.winners if isinstance(due, Over) else ():
            won[seat] += 1
        return tuple(won)

    def champions(self) -> tuple[int, ...]:
        """The seats that have won the series, once it is decided."""
        won = self.wins()
        return tuple(s for s, n in enumerate(won) if n == max(won)) if self._decides(won) else ()

    def _decides(self, won: Iterable[int]) -> bool:
        return bool(self.setup.series) and max(won) >= self.setup.series

    def record(self, number: int | None = None) -> Record:
        """A game to keep: the one under way, or a former one by its number.

        Its seed would tell the dice to come, so it waits until nothing can be taken back any more.
        """
        table = self if number is None else self.at_game(number)
        record = table.sitting.record()
        is_past = table is not self
        if is_past or (isinstance(self.due(), Over) and self.sitting.undoer() is None):
            return record
        return replace(record, tags={k: v for k, v in record.tags.items() if k != "seed"})

    def at_game(self, number: int) -> Table:
        """The table as it stood when a former game ended; raises ``Refused``."""
        begins = [e.seq for e in self.entries if e.kind == "game"]
        if not 1 <= number <= self.number:
            raise Refused(f"There is no game {number} at this table; there are {self.number}.")
        if number == self.number:
            return self
        return Table(self.setup, self.entries[: begins[number - 1] - 1])

    def add(self, entry: Entry) -> None:
        """Add a committed entry; raises ``Stale`` if it is not the next one."""
        if entry.seq != self.seq + 1:
            raise Stale(f"The table stands at {self.seq}; entry {entry.seq} does not follow.")
        _ADD[entry.kind](self, entry)
        self.entries.append(entry)
        self.seq = entry.seq
        if entry.kind != "say":
            self._settled = entry.seq
            # To sit elsewhere, or to get up and come back, gives nobody more time.
            if entry.kind != "sit" or self._is_past_their_time(entry):
                self.moved = entry.at

    def _is_past_their_time(self, entry: Entry) -> bool:
        """Whether who sits down anew has to act now, and had no time left to do so."""
        patience = self.setup.clock or PATIENCE
        is_due = entry.seat == _seat_of(self.due())
        return is_due and (self.moved is None or self.moved + patience <= entry.at)

    def _sitting(self, first: int) -> Sitting:
        return self.setup.sitting(self.game, self.seats, len(self.results), first)

    def _add_roll(self, entry: Entry) -> None:
        event = self.game.read_event(entry.text)
        if not isinstance(event, Roll):
            raise UnreadableText(f"'{entry.text}' is no roll.")
        self.sitting.play(event)

    def _add_choice(self, entry: Entry) -> None:
        event = self.game.read_event(entry.text)
        if not isinstance(event, Choice):
            raise UnreadableText(f"'{entry.text}' is no choice.")
        self.sitting.play(event)

    def _add_undo(self, _entry: Entry) -> None:
        self.sitting.undo()

    def _add_join(self, entry: Entry) -> None:
        self.people |= {entry.seat}
        self._seat(entry.seat, Seat(entry.text))

    def _add_sit(self, entry: Entry) -> None:
        self._seat(entry.seat, replace(self.seats[entry.seat], bot=entry.text))

    def _seat(self, seat: int, who: Seat) -> None:
        self.waiting -= {seat}
        self.seats = (*self.seats[:seat], who, *self.seats[seat + 1 :])
        self.sitting.seats = self.seats

    def _add_game(self, entry: Entry) -> None:
        due = self.due()
        if isinstance(due, Over):
            self.results = (*self.results, due.result)
        self.sitting = self._sitting(int(entry.text))

    def _add_said(self, entry: Entry) -> None:
        """Words change nothing."""

    # What may be added to it ------------------------------------------------------------------

    def roll(self, seat: int, typed: str, seen: int, now: float) -> Next:
        """A seat rolls: virtual dice, or real ones typed in; bots have their real dice rolled."""
        self._check(seat, seen)
        due = self.due()
        for_bot = isinstance(due, ToRoll) and self.is_bot(due.seat) and seat in self.people
        if not isinstance(due, ToRoll) or (due.seat != seat and not for_bot):
            raise Refused("You have no dice to roll now.")
        roll = self.sitting.throw()
        if roll is None:
            roll = self.game.read_roll(self.state, typed)
        elif typed:
            raise Refused("The dice of this table are virtual; they cannot be typed in.")
        rolled = self._entry("roll", due.seat, self.game.event_text(roll), now)
        return self._followed([rolled], now)

    def choose(self, seat: int, text: str, seen: int, now: float) -> Next:
        """A seat chooses; where that leads to rolling on, virtual dice fall at once."""
        self._check(seat, seen)
        due = self.due()
        if not isinstance(due, ToChoose) or due.seat != seat:
            raise Refused("It is not your choice now.")
        if self.is_bot(seat):
            raise Refused("A bot plays for you; take your seat back first.")
        if all(text != self.game.event_text(choice) for choice in self.game.choices(self.state)):
            text = self.game.event_text(self.game.pick(self.state, text))
        chosen = self._entry("choose", seat, text, now)
        return self._followed([chosen], now)

    def undo(self, seat: int, seen: int, now: float) -> Next:
        """A seat takes back what it did last; raises ``CannotUndo``."""
        self._check(seat, seen)
        undoer = self.sitting.undoer()
        if undoer not in (None, seat, ANYBODY):
            raise Refused("Only who did the last thing can take it back.")
        return self._after([self._entry("undo", seat, "", now)])

    def say(self, seat: int, text: str, now: float) -> Next:
        """A seat says something; it changes nothing, so it needs to have seen nothing."""
        said = " ".join("".join(c if is_shown(c) else " " for c in text).split())
        if not said or len(said) > _LONGEST_SAID:
            raise Refused(f"Say something of up to {_LONGEST_SAID} characters.")
        if self.seq >= _LAST_WORD:
            raise Refused("Enough has been said at this table; play on.")
        return self._after([self._entry("say", seat, said, now)])

    def rematch(self, seat: int, seen: int, now: float) -> Next:
        """The same people play again; the rules say who comes first."""
        self._check(seat, seen)
        due = self.due()
        if not isinstance(due, Over):
            raise Refused("The game is not over yet.")
        first = self.game.rematch_first(due.result)
        return self._followed([self._entry("game", seat, str(first), now)], now)

    def join(self, seat: int, name: str, now: float) -> Next:
        """Somebody takes an open seat; the game begins when nobody is waited for any more."""
        if seat not in self.waiting:
            raise Refused("This seat is taken; choose another, or watch.")
        name = check_name(name)
        others = [same_name(one) for at, one in enumerate(self.names) if at != seat]
        if same_name(name) in others:
            raise BadSetup(f"Somebody called {name} sits here already; take another name.")
        return self._followed([self._entry("join", seat, name, now)], now)

    def sit(self, seat: int, level: str, now: float) -> Next:
        """A bot sits in for a player, or (without a level) the player is back."""
        if not 0 <= seat < len(self.seats):
            raise Refused("There is no such seat.")
        if level and level not in LEVELS:
            raise Refused(f"There is no bot '{level}'; the levels are {', '.join(LEVELS)}.")
        if not level and seat not in self.people:
            raise Refused("Nobody has that seat who could come back to it.")
        if self.seats[seat].bot == level:
            raise Refused("That is who sits there already.")
        return self._followed([self._entry("sit", seat, level, now)], now)

    def relieve(self, seat: int, level: str, now: float) -> Next:
        """A bot sits in for somebody who has been waited for long enough."""
        due = self.due()
        if isinstance(due, Over) or due.seat != seat or self.waiting:
            raise Refused("Nobody waits for that seat now.")
        left = PATIENCE if self.moved is None else self.moved + PATIENCE - now
        if left > 0:
            raise Refused(f"Wait {left:.0f} seconds more; then a bot may sit in.")
        return self.sit(seat, level, now)

    def time_out(self, now: float) -> Next:
        """A bot sits in for whoever has let the clock run out."""
        deadline, due = self.deadline(), self.due()
        if deadline is None or deadline > now or isinstance(due, Over):
            raise Refused("The clock has not run out.")
        return self._followed([self._entry("late", due.seat, SITS_IN, now)], now)

    def falling(self, now: float) -> Next:
        """The dice that fall of themselves from here on."""
        return self._followed([], now)

    def advance(self, now: float) -> Next:
        """All that happens without a person from here on: dice that fall and bots that play.

        A bot that has to work out its tables first is not waited for.
        """
        trial = self.falling(now).table
        while trial._bot_can_play():  # noqa: SLF001 - one of us
            trial = trial.play_bot(now).table
        return Next(trial.entries[self.seq :], trial)

    def play_bot(self, now: float) -> Next:
        """The bot that is due plays until it is somebody else's turn, if it is ready."""
        if not self._bot_can_play():
            return Next([], self)
        turn = self.bot_turn(now)
        thought = next(turn)
        while True:
            try:
                thought = turn.send(thought.choice())
            except StopIteration as ended:
                after: Next = ended.value
                return after

    def bot_turn(self, now: float) -> Generator[Thought, Choice, Next]:
        """The turn of the bot that is due: yields what it has to think about, is sent choices."""
        trial, seat = self, _seat_of(self.due())
        while (level := trial.bot_due()) and _seat_of(trial.due()) == seat:
            choice = yield trial.sitting.thought(level)
            chosen = trial._entry("choose", seat, trial.game.event_text(choice), now)
            trial = trial._followed([chosen], now).table
        return Next(trial.entries[self.seq :], trial)

    def _bot_can_play(self) -> bool:
        level = self.bot_due()
        return bool(level) and is_ready(level, self.game, len(self.seats))

    def _check(self, seat: int, seen: int) -> None:
        if not 0 <= seat < len(self.seats):
            raise Refused("There is no such seat.")
        if not self._settled <= seen <= self.seq:  # words do not move a table on
            raise Stale(f"The table has moved on to {self.seq}; you saw {seen}.")
        if self.waiting:
            raise Refused("Not everybody sits down yet; the game begins when all seats are taken.")

    def _entry(self, kind: str, seat: int, text: str, now: float) -> Entry:
        if self.seq >= _LONGEST_LOG:
            raise Refused("This table has seen enough; set up a new one.")
        return Entry(self.seq + 1, kind, seat, text, now)

    def _after(self, entries: list[Entry]) -> Next:
        return Next(entries, self.fork(entries))

    def _followed(self, entries: list[Entry], now: float) -> Next:
        """The entries, and the dice that fall of themselves after them."""
        trial = self.fork(entries)
        while (more := trial._next_roll(now)) is not None:  # noqa: SLF001 - one of us
            trial.add(more)
        return Next(trial.entries[self.seq :], trial)

    def caught_up(self, entries: Iterable[Entry]) -> Iterator[Next]:
        """Entries that others have committed, in steps: what is played comes last in each."""
        steps: list[list[Entry]] = []
        for entry in entries:
            if not steps or entry.kind not in PLAYED:
                steps.append([])
            steps[-1].append(entry)
        table = self
        for step in steps:
            table = table.fork(step)
            yield Next(step, table)

    def fork(self, entries: Iterable[Entry] = ()) -> Table:
        """A table that stands the same, and goes its own way with these entries."""
        copy = object.__new__(Table)
        copy.setup, copy.game, copy.seats = self.setup, self.game, self.seats
        copy.entries, copy.seq, copy.results = self.entries.fork(), self.seq, self.results
        copy.moved, copy._settled = self.moved, self._settled
        copy.waiting, copy.people = self.waiting, self.people
        copy.sitting = self.sitting.fork()
        for entry in entries:
            copy.add(entry)
        return copy

    def _next_roll(self, now: float) -> Entry | None:
        """The roll that nobody has to ask for; ``None`` if somebody has to do something.

        The first dice of a game lie there at once; later turns of people begin with their tap.
        """
        due = self.due()
        if not isinstance(due, ToRoll) or self.waiting:
            return None
        asked_for = self.game.begins_turn(self.state) and self.sitting.has_chosen()
        roll = None if asked_for and not self.is_bot(due.seat) else self.sitting.throw()
        return self._entry("roll", due.seat, self.game.event_text(roll), now) if roll else None


def _seat_of(due: Due) -> int:
    return -1 if isinstance(due, Over) else due.seat


_ADD: dict[str, Callable[[Table, Entry], None]] = {
    "roll": Table._add_roll,  # noqa: SLF001 - the table's own
    "choose": Table._add_choice,  # noqa: SLF001 - as above
    "undo": Table._add_undo,  # noqa: SLF001 - as above
    "join": Table._add_join,  # noqa: SLF001 - as above
    "sit": Table._add_sit,  # noqa: SLF001 - as above
    "late": Table._add_sit,  # noqa: SLF001 - as above
    "game": Table._add_game,  # noqa: SLF001 - as above
    "say": Table._add_said,  # noqa: SLF001 - as above
}
