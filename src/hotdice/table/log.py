"""A table: one sitting after another as an append-only log, and what may be added to it.

The log is the truth; everything else about a table is what its entries add up to. A command names
the sequence number it saw, so two that race cannot both win. What a command leads to is worked out
first, as entries that are not part of the log yet; who keeps the log commits them, and only then
are they added and seen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, NamedTuple

from hotdice.bots import LEVELS
from hotdice.core.errors import BadSetup, HotDiceError, UnreadableText
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame, Due, Over, ToChoose, ToRoll
from hotdice.core.record import Record, check_name
from hotdice.core.registry import game_type
from hotdice.table.dice import DiceSource, ScriptedDice, SeededDice, TypedDice
from hotdice.table.sitting import Seat, Sitting

_LONGEST_CLOCK = 7 * 24 * 3600
_LONGEST_SAID = 200
DICE = ("seeded", "typed", "scripted")


class Refused(HotDiceError):
    """A command that cannot be carried out; the table stays as it was."""


class Stale(Refused):
    """The table has moved on since the command was given."""


class Entry(NamedTuple):
    """One thing that happened at a table.

    Attributes:
        seq: its number in the log, from 1.
        kind: ``roll``, ``choose``, ``undo``, ``sit``, ``game`` or ``say``.
        seat: who did it; -1 for the table itself.
        text: a roll or choice in its line of text; who sits there now; what was said.
        at: when, in seconds since the epoch.
    """

    seq: int
    kind: str
    seat: int
    text: str
    at: float


@dataclass(frozen=True)
class Setup:
    """How a table was set up.

    Attributes:
        game: the slug of the game.
        options: its options in their line of text.
        seats: names, and levels of bots.
        dice: ``seeded``, ``typed`` or ``scripted``.
        seed: what seeded dice come from, or scripted rolls separated by spaces.
        coach: whether odds and advice are shown.
        clock: seconds a player has for a turn; 0 for no clock.
        first: the seat that comes first in the first game, where no rule decides it.
    """

    game: str
    options: str
    seats: tuple[Seat, ...]
    dice: str = "seeded"
    seed: str = ""
    coach: bool = True
    clock: int = 0
    first: int = 0

    def text(self) -> str:
        """One line of JSON that ``read`` turns back into an equal set-up."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Setup:
        """The set-up a line describes; raises ``UnreadableText``."""
        try:
            values = json.loads(text)
            return cls(**{**values, "seats": tuple(Seat(**seat) for seat in values["seats"])})
        except (ValueError, TypeError, KeyError) as error:
            raise UnreadableText("This is not the set-up of a table.") from error

    def checked(self) -> Setup:
        """The same, if a table can be set up like that; raises ``BadSetup`` and the like."""
        if self.dice not in DICE:
            raise BadSetup(f"Dice are {', '.join(DICE[:-1])} or {DICE[-1]}, not '{self.dice}'.")
        if not 0 <= self.clock <= _LONGEST_CLOCK:
            raise BadSetup("A clock gives up to a week for a turn.")
        if not 0 <= self.first < max(1, len(self.seats)):
            raise BadSetup("There is no such seat to come first.")
        seats = tuple(Seat(check_name(seat.name), seat.bot) for seat in self.seats)
        for seat in seats:
            if seat.bot and seat.bot not in LEVELS:
                raise BadSetup(f"There is no bot '{seat.bot}'; there are {', '.join(LEVELS)}.")
        kind = game_type(self.game)
        options = kind.options_type.read(self.options)
        setup = replace(self, game=kind.slug, options=options.text(), seats=seats)
        Table(setup)
        return setup


class Table:
    """A table as its log says it stands."""

    def __init__(self, setup: Setup, entries: Iterable[Entry] = ()) -> None:
        kind = game_type(setup.game)
        self.setup = setup
        self.game: AnyGame = kind(kind.options_type.read(setup.options))
        self.entries: list[Entry] = []
        self.games: list[Sitting] = []
        self.seats = list(setup.seats)
        self._begin(setup.first)
        for entry in entries:
            self.add(entry)

    # What the log adds up to ------------------------------------------------------------------

    @property
    def seq(self) -> int:
        """The number of the last entry."""
        return len(self.entries)

    @property
    def sitting(self) -> Sitting:
        """The game under way."""
        return self.games[-1]

    @property
    def state(self) -> Any:
        """The state it stands in."""
        return self.sitting.state

    def due(self) -> Due:
        """What has to happen next."""
        return self.sitting.due()

    def is_bot(self, seat: int) -> bool:
        """Whether a bot plays the seat now."""
        return bool(self.seats[seat].bot)

    def deadline(self) -> float | None:
        """When the clock of whoever has to act runs out; ``None`` without a clock."""
        due = self.due()
        if not self.setup.clock or isinstance(due, Over) or self.is_bot(due.seat):
            return None
        began = next(
            (e.at for e in reversed(self.entries) if e.kind in ("roll", "choose", "game", "sit")),
            None,
        )
        return None if began is None else began + self.setup.clock

    def record(self) -> Record:
        """The game under way, to keep; its seed would tell the dice to come, so it waits."""
        record = self.sitting.record()
        if isinstance(self.due(), Over):
            return record
        return replace(record, tags={k: v for k, v in record.tags.items() if k != "seed"})

    def add(self, entry: Entry) -> None:
        """Add a committed entry; raises ``Stale`` if it is not the next one."""
        if entry.seq != self.seq + 1:
            raise Stale(f"The table stands at {self.seq}; entry {entry.seq} does not follow.")
        _ADD[entry.kind](self, entry)
        self.entries.append(entry)

    def _begin(self, first: int) -> None:
        source = self._source(len(self.games))
        self.games.append(Sitting(self.game, self.seats, source, first=first))

    def _source(self, number: int) -> DiceSource:
        if self.setup.dice == "typed":
            return TypedDice()
        if self.setup.dice == "scripted":
            rolls = [self.game.read_event(text) for text in self.setup.seed.split()]
            return ScriptedDice([roll for roll in rolls if isinstance(roll, Roll)])
        # A game's own seed is told when it is over, and must not tell that of the next.
        return SeededDice(sha256(f"{self.setup.seed}/{number}".encode()).hexdigest()[:32])

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

    def _add_sit(self, entry: Entry) -> None:
        self.seats[entry.seat] = Seat(self.setup.seats[entry.seat].name, entry.text)
        self.sitting.seats = tuple(self.seats)

    def _add_game(self, entry: Entry) -> None:
        self._begin(int(entry.text))

    def _add_said(self, entry: Entry) -> None:
        """Words change nothing."""

    # What may be added to it ------------------------------------------------------------------

    def roll(self, seat: int, typed: str, seen: int, now: float) -> list[Entry]:
        """A seat rolls: virtual dice, or real ones typed in."""
        self._check(seat, seen)
        due = self.due()
        if not isinstance(due, ToRoll) or due.seat != seat:
            raise Refused("You have no dice to roll now.")
        roll = self.sitting.throw()
        if roll is None:
            roll = self.game.read_roll(self.state, typed)
        elif typed:
            raise Refused("The dice of this table are virtual; they cannot be typed in.")
        return self._followed([self._entry("roll", seat, self.game.event_text(roll), now)], now)

    def choose(self, seat: int, text: str, seen: int, now: float) -> list[Entry]:
        """A seat chooses; where that leads to rolling on, virtual dice fall at once."""
        self._check(seat, seen)
        due = self.due()
        if not isinstance(due, ToChoose) or due.seat != seat:
            raise Refused("It is not your choice now.")
        choice = self.game.pick(self.state, text)
        chosen = self._entry("choose", seat, self.game.event_text(choice), now)
        return self._followed([chosen], now)

    def undo(self, seat: int, seen: int, now: float) -> list[Entry]:
        """A seat takes back what it did last; raises ``CannotUndo``."""
        self._check(seat, seen)
        trial = self.sitting.fork()
        trial.undo()
        due = trial.due()
        if isinstance(due, Over) or due.seat != seat:
            raise Refused("Only who did the last thing can take it back.")
        return [self._entry("undo", seat, "", now)]

    def say(self, seat: int, text: str, now: float) -> list[Entry]:
        """A seat says something; it changes nothing, so it needs to have seen nothing."""
        said = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if not said or len(said) > _LONGEST_SAID:
            raise Refused(f"Say something of up to {_LONGEST_SAID} characters.")
        return [self._entry("say", seat, said, now)]

    def rematch(self, seat: int, seen: int, now: float) -> list[Entry]:
        """The same people play again; the rules say who comes first."""
        self._check(seat, seen)
        due = self.due()
        if not isinstance(due, Over):
            raise Refused("The game is not over yet.")
        first = self.game.rematch_first(due.result)
        return self._followed([self._entry("game", seat, str(first), now)], now)

    def sit(self, seat: int, level: str, now: float) -> list[Entry]:
        """A bot sits in for an absent player, or (without a level) the player is back."""
        if not 0 <= seat < len(self.seats):
            raise Refused("There is no such seat.")
        if level and level not in LEVELS:
            raise Refused(f"There is no bot '{level}'; the levels are {', '.join(LEVELS)}.")
        if self.seats[seat].bot == level:
            raise Refused("That is who sits there already.")
        return self._followed([self._entry("sit", seat, level, now)], now)

    def advance(self, now: float) -> list[Entry]:
        """What is due from bots and from dice nobody has to ask for, until a person acts."""
        return self._followed([], now)

    def _check(self, seat: int, seen: int) -> None:
        if not 0 <= seat < len(self.seats):
            raise Refused("There is no such seat.")
        if seen != self.seq:
            raise Stale(f"The table has moved on to {self.seq}; you saw {seen}.")

    def _entry(self, kind: str, seat: int, text: str, now: float) -> Entry:
        return Entry(self.seq + 1, kind, seat, text, now)

    def _followed(self, entries: list[Entry], now: float) -> list[Entry]:
        """The entries, and those that follow of themselves: bots, and dice rolled on."""
        trial = self.fork()
        for entry in entries:
            trial.add(entry)
        while (more := trial._following(now)) is not None:  # noqa: SLF001 - one of us
            trial.add(more)
        return trial.entries[self.seq :]

    def fork(self) -> Table:
        """A table that stands the same and goes its own way."""
        copy = object.__new__(Table)
        copy.setup, copy.game, copy.seats = self.setup, self.game, list(self.seats)
        copy.entries = list(self.entries)
        copy.games = [*self.games[:-1], self.sitting.fork()]
        return copy

    def _following(self, now: float) -> Entry | None:
        """The next thing that happens without a person; ``None`` if a person has to act."""
        due = self.due()
        if isinstance(due, Over):
            return None
        bot = self.is_bot(due.seat)
        if isinstance(due, ToRoll):
            asked_for = self.game.begins_turn(self.state) and any(
                isinstance(event, Choice) for event in self.sitting.events
            )
            roll = None if asked_for and not bot else self.sitting.throw()
            text = self.game.event_text(roll) if roll else ""
            return self._entry("roll", due.seat, text, now) if text else None
        if not bot:
            return None
        choice = self.sitting.choice_of(self.seats[due.seat].bot)
        return self._entry("choose", due.seat, self.game.event_text(choice), now)


_ADD: dict[str, Callable[[Table, Entry], None]] = {
    "roll": Table._add_roll,  # noqa: SLF001 - the table's own
    "choose": Table._add_choice,  # noqa: SLF001 - as above
    "undo": Table._add_undo,  # noqa: SLF001 - as above
    "sit": Table._add_sit,  # noqa: SLF001 - as above
    "game": Table._add_game,  # noqa: SLF001 - as above
    "say": Table._add_said,  # noqa: SLF001 - as above
}
