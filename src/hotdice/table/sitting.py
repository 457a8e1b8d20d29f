"""A sitting: one game being played by people and bots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, NamedTuple

from hotdice.bots import find_bot
from hotdice.core.errors import BadSetup, HotDiceError, IllegalEvent
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import AnyGame, Due, Over, ToChoose, ToRoll
from hotdice.core.record import Record, Step, check_name
from hotdice.core.words import same_name
from hotdice.table.dice import DiceSource, SeededDice, TypedDice
from hotdice.table.growing import Growing


class CannotUndo(HotDiceError):
    """There is nothing that may be taken back."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits there: a name, and the level of the bot if it is one."""

    name: str
    bot: str = ""

    @classmethod
    def read(cls, text: str) -> Seat:
        """A seat from ``NAME`` or ``NAME=bot:LEVEL``."""
        name, equals, who = text.partition("=")
        kind, _, level = who.strip().lower().partition(":")
        if (equals and kind != "bot") or name.lower().startswith("bot:"):
            raise BadSetup(f"'{text}' is not a seat; write NAME or NAME=bot:LEVEL.")
        if equals:
            find_bot(level)
        return cls(check_name(name), level)


ANYBODY = -1
"""Instead of a seat: anybody at the table, for instance who typed in what a bot had rolled."""


class Thought(NamedTuple):
    """What a bot has to think about; here or in another process it comes to the same choice."""

    level: str
    game: AnyGame
    state: Any
    seed: str

    def choice(self) -> Choice:
        """What the bot chooses."""
        rng = Random(self.seed)  # noqa: S311 - a game is repeatable
        return find_bot(self.level)(self.game, self.state, rng)


class Sitting:
    """A game under way: an append-only log of events and the states between them."""

    def __init__(
        self,
        game: AnyGame,
        seats: Sequence[Seat],
        source: DiceSource,
        *,
        first: int = 0,
        events: Sequence[Event] = (),
    ) -> None:
        names = [same_name(seat.name) for seat in seats]
        if len(set(names)) < len(names):
            raise BadSetup("Two seats have the same name; give each its own.")
        self.game = game
        self.seats = tuple(seats)
        self.source = source
        self.first = first
        self.state: Any = game.start(len(seats), first)
        self._states: Growing[Any] = Growing([self.state])
        self._events: Growing[Event] = Growing()
        self._makers: Growing[int | None] = Growing()
        self._rolls = 0
        self._due: Due | None = None
        for event in events:
            self.play(event)

    @property
    def events(self) -> tuple[Event, ...]:
        """Everything that has happened."""
        return tuple(self._events)

    @property
    def steps(self) -> int:
        """How many things have happened."""
        return len(self._events)

    def state_after(self, steps: int) -> Any:
        """The state after so many things had happened."""
        return self._states[steps]

    def step(self, at: int) -> Step:
        """What happened at this place, with the states before and after it."""
        return Step(self._states[at], self._events[at], self._states[at + 1])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seats."""
        return tuple(seat.name for seat in self.seats)

    def due(self) -> Due:
        """What has to happen next."""
        if self._due is None:
            self._due = self.game.due(self.state)
        return self._due

    def has_chosen(self) -> bool:
        """Whether anybody has chosen anything yet."""
        return len(self._events) > self._rolls

    def play(self, event: Event) -> Step:
        """Let an event happen; raises ``IllegalEvent`` and changes nothing."""
        before, due = self.state, self.due()
        after = self.game.apply(before, event)
        self._events.append(event)
        self._states.append(after)
        self._makers.append(self._maker(due))
        self.state, self._due = after, None
        self._rolls += isinstance(event, Roll)
        return Step(before, event, after)

    def tell(self, step: Step) -> str:
        """One sentence saying what happened."""
        return self.game.tell(*step, self.names)

    def throw(self) -> Roll | None:
        """The dice that are due, from the source; ``None`` if somebody has to roll real ones."""
        due = self.due()
        if not isinstance(due, ToRoll):
            raise IllegalEvent("No dice have to be rolled now.", "K2")
        return self.source.throw(due.dice, self._rolls)

    def bot_choice(self) -> Choice | None:
        """What the bot whose turn it is chooses; ``None`` if a person has to."""
        due = self.due()
        if not isinstance(due, ToChoose) or not self.seats[due.seat].bot:
            return None
        return self.choice_of(self.seats[due.seat].bot)

    def choice_of(self, level: str) -> Choice:
        """What a bot of this level chooses here."""
        return self.thought(level).choice()

    def thought(self, level: str) -> Thought:
        """What a bot of this level has to think about here."""
        seed = self.source.seed if isinstance(self.source, SeededDice) else ""
        return Thought(level, self.game, self.state, f"{seed}/bot/{len(self._events)}")

    def _maker(self, due: Due) -> int | None:
        """Who may take back what happens now: nobody what a bot chooses."""
        if isinstance(due, Over):
            return None
        if not self.seats[due.seat].bot:
            return due.seat
        return None if isinstance(due, ToChoose) else ANYBODY

    def fork(self) -> Sitting:
        """A sitting that stands the same and goes its own way."""
        copy = object.__new__(Sitting)
        copy.game, copy.seats, copy.source = self.game, self.seats, self.source
        copy.first, copy.state, copy._due = self.first, self.state, self._due
        copy._states, copy._events = self._states.fork(), self._events.fork()
        copy._makers, copy._rolls = self._makers.fork(), self._rolls
        return copy

    def undo(self) -> Event:
        """Take back the last thing a person did; raises ``CannotUndo``.

        With real dice there is no limit. With virtual dice a choice can be taken back until
        the next roll is seen.
        """
        kept = self._undone()
        if kept is None:
            seen = "Dice have been seen since then; no choice can be taken back."
            raise CannotUndo(seen if self._rolls else "Nothing has been done yet.")
        event = self._events[kept]
        self._rolls -= sum(isinstance(one, Roll) for one in self._events[kept:])
        self._events.cut(kept)
        self._makers.cut(kept)
        self._states.cut(kept + 1)
        self.state, self._due = self._states[kept], None
        return event

    def undoer(self) -> int | None:
        """The seat that may take the last thing back, or ``ANYBODY``; ``None`` if nobody may."""
        kept = self._undone()
        return None if kept is None else self._makers[kept]

    def _undone(self) -> int | None:
        """How many events an undo would leave; ``None`` if nothing can be taken back."""
        typed = isinstance(self.source, TypedDice)
        for kept in reversed(range(len(self._events))):
            if not typed and isinstance(self._events[kept], Roll):
                return None
            if self._makers[kept] is not None:
                return kept
        return None

    def record(self) -> Record:
        """The game so far, with all that is needed to take it up again."""
        tags = {"dice": self.source.kind}
        if isinstance(self.source, SeededDice):
            tags["seed"] = self.source.seed
        if any(seat.bot for seat in self.seats):
            tags["bots"] = " | ".join(seat.bot or "-" for seat in self.seats)
        return Record(self.game, self.names, self.events, self.first, tags)

    def rematch(self, source: DiceSource) -> Sitting:
        """The same people at the same game again; the rules say who comes first (R1)."""
        due = self.due()
        if not isinstance(due, Over):
            raise BadSetup("The game is not over yet; finish it before the next one.")
        first = self.game.rematch_first(due.result)
        return Sitting(self.game, self.seats, source, first=first)

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.due(), Over)


def resume(record: Record) -> Sitting:
    """The sitting a record was saved from; raises ``BadSetup`` if it does not say enough."""
    levels = [level.strip() for level in record.tags.get("bots", "").split("|")]
    if levels == [""]:
        levels = ["-"] * len(record.names)
    if len(levels) != len(record.names):
        raise BadSetup("The saved game does not say which seats are bots.")
    seats = [
        Seat(name, "" if level == "-" else level)
        for name, level in zip(record.names, levels, strict=True)
    ]
    for seat in seats:
        if seat.bot:
            find_bot(seat.bot)
    kind = record.tags.get("dice", "typed")
    if kind not in ("seeded", "typed"):
        raise BadSetup(f"The saved game was played with {kind} dice and cannot go on.")
    if kind == "seeded" and not record.tags.get("seed"):
        raise BadSetup("The saved game does not say the seed of its dice.")
    source = SeededDice(record.tags["seed"]) if kind == "seeded" else TypedDice()
    return Sitting(record.game, seats, source, first=record.first, events=record.events)
