"""A sitting: one game being played by people and bots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from hotdice.bots import find_bot
from hotdice.core.due import Due, Over, ToChoose, ToRoll, seat_of
from hotdice.core.errors import BadSetup, HotDiceError, IllegalEvent
from hotdice.core.events import Event, Roll
from hotdice.core.game import AnyGame
from hotdice.core.record import Record, Step, check_name
from hotdice.core.words import name_key
from hotdice.table.dice_sources import ChallengeDice, DiceSource, Occasion, SeededDice, TypedDice
from hotdice.table.growing import Growing


class CannotUndo(HotDiceError):
    """Nothing can be undone."""


class Seat(NamedTuple):
    """Who sits there: a name, and the level of the bot if a bot plays."""

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
"""Instead of a seat: any player, for instance whoever typed in the dice of a bot."""


class Move(NamedTuple):
    """One event of a sitting.

    Attributes:
        before: the state before it.
        event: what happened.
        after: the state after it.
        undoer: the seat that may undo it, or ``ANYBODY``; ``None`` if nobody may.
    """

    before: Any
    event: Event
    after: Any
    undoer: int | None


class Sitting(NamedTuple):
    """A game under way; immutable, so every event makes a new one.

    Fields that no event changes come first, so that the next sitting copies them as one slice.

    Attributes:
        game: the rules.
        seats: who plays.
        source: where the dice come from.
        first: the seat that is first, where no rule decides it.
        state: the current state.
        due: what has to happen next.
        moves: everything that has happened.
        rolls: how many of the moves are rolls.
        occasions: where in whose turn each move was made; ``None`` if the dice do not depend on it.
    """

    game: AnyGame
    seats: tuple[Seat, ...]
    source: DiceSource
    first: int
    state: Any
    due: Due
    moves: Growing[Move]
    rolls: int = 0
    occasions: Growing[Occasion] | None = None

    @classmethod
    def of(
        cls,
        game: AnyGame,
        seats: Sequence[Seat],
        source: DiceSource,
        *,
        first: int = 0,
        events: Iterable[Event] = (),
    ) -> Sitting:
        """The sitting after these events; raises ``BadSetup`` or ``IllegalEvent``."""
        names = [name_key(seat.name) for seat in seats]
        if len(set(names)) < len(names):
            raise BadSetup("Two seats have the same name; give each its own.")
        state = game.start(len(seats), first)
        moves: Growing[Move] = Growing.of()
        sitting = cls(game, tuple(seats), source, first, state, game.due(state), moves)
        if isinstance(source, ChallengeDice):
            sitting = sitting._replace(occasions=Growing.of())
        for event in events:
            sitting = sitting.played(event)
        return sitting

    # What has happened ------------------------------------------------------------------------

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far."""
        return tuple(move.event for move in self.moves)

    def step(self, at: int) -> Step:
        """The event at this place of the history, with the states before and after it."""
        before, event, after, _ = self.moves[at]
        return Step(before, event, after)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seats."""
        return tuple(seat.name for seat in self.seats)

    def has_chosen(self) -> bool:
        """Whether anybody has made a choice yet."""
        return len(self.moves) > self.rolls

    def is_over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.due, Over)

    def tell(self, step: Step) -> str:
        """One sentence saying what happened."""
        return self.game.tell(*step, self.names)

    def record(self) -> Record:
        """The game so far, with all that is needed to resume it."""
        tags = {"dice": self.source.kind}
        if isinstance(self.source, SeededDice):
            tags["seed"] = self.source.seed
        if any(seat.bot for seat in self.seats):
            tags["bots"] = " | ".join(seat.bot or "-" for seat in self.seats)
        return Record(self.game, self.names, self.events, self.first, tags)

    # What may happen next ---------------------------------------------------------------------

    def throw(self) -> Roll | None:
        """The dice that are due, from the source; ``None`` if somebody has to roll real ones."""
        if not isinstance(self.due, ToRoll):
            raise IllegalEvent("No dice have to be rolled now.", "K2")
        return self.source.roll(self.due.dice, self)

    def occasion(self) -> Occasion:
        """Whose turn it is, which of that seat's own, and how far it has come.

        A turn begins where the rules say so and the one before is over. What a seat rolls before
        its first turn is for the start; an additional turn is a turn of its own.
        """
        game, place = self.game, self._after_last_of(seat_of(self.due))
        is_new = not self.moves or game.turn_over(*self.step(-1))
        if is_new and game.begins_turn(self.state):
            return Occasion(place.seat, place.turn + 1)
        return place

    def _after_last_of(self, seat: int) -> Occasion:
        """Where a seat is after its last move, within the same turn."""
        if self.occasions is None:
            raise TypeError("the dice of this game do not depend on turns")
        for at in reversed(range(len(self.moves))):
            place = self.occasions[at]
            if place.seat == seat:
                is_roll = isinstance(self.moves[at].event, Roll)
                return place._replace(
                    rolls=place.rolls + is_roll, choices=place.choices + (not is_roll)
                )
        return Occasion(seat)

    def played(self, event: Event) -> Sitting:
        """The sitting after this event; raises ``IllegalEvent``."""
        before = self.state
        after = self.game.apply(before, event)
        moves = self.moves.grown(Move(before, event, after, self._undoer_of_next()))
        occasions = self.occasions
        if occasions is not None:
            occasions = occasions.grown(self.occasion())
        return self._at(after, moves, self.rolls + isinstance(event, Roll), occasions)

    def _at(
        self, state: Any, moves: Growing[Move], rolls: int, occasions: Growing[Occasion] | None
    ) -> Sitting:
        """The sitting at another state."""
        return Sitting(*self[:4], state, self.game.due(state), moves, rolls, occasions)

    def _undoer_of_next(self) -> int | None:
        """Who may undo what happens next; nobody undoes the choice of a bot."""
        due = self.due
        if isinstance(due, Over):
            return None
        if not self.seats[due.seat].bot:
            return due.seat
        return None if isinstance(due, ToChoose) else ANYBODY

    def undone(self) -> Sitting:
        """The sitting before the last move of a person; raises ``CannotUndo``.

        Real dice can be undone without limit, virtual dice not at all: a choice can be undone
        until the next roll.
        """
        point = self._undo_point()
        if point is None:
            seen = "Virtual dice have been rolled since; nothing can be undone."
            raise CannotUndo(seen if self.rolls else "There is nothing to undo.")
        undone = self.moves[point:]
        rolls = self.rolls - sum(isinstance(move.event, Roll) for move in undone)
        occasions = None if self.occasions is None else self.occasions.cut(point)
        return self._at(undone[0].before, self.moves.cut(point), rolls, occasions)

    def undoer(self) -> int | None:
        """The seat that may undo now, or ``ANYBODY``; ``None`` if nobody may."""
        point = self._undo_point()
        return None if point is None else self.moves[point].undoer

    def _undo_point(self) -> int | None:
        """How many moves an undo would keep; ``None`` if nothing can be undone."""
        moves = self.moves
        typed = isinstance(self.source, TypedDice)
        for point in range(len(moves) - 1, -1, -1):
            _, event, _, undoer = moves[point]
            if not typed and isinstance(event, Roll):
                return None
            if undoer is not None:
                return point
        return None

    def seated(self, seat: int, who: Seat) -> Sitting:
        """The sitting with somebody else in a seat."""
        return self._replace(seats=(*self.seats[:seat], who, *self.seats[seat + 1 :]))


def resume(record: Record) -> Sitting:
    """The sitting a record was saved from; raises ``BadSetup`` if the record lacks something."""
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
        raise BadSetup(f"The saved game was played with {kind} dice and cannot be resumed.")
    if kind == "seeded" and not record.tags.get("seed"):
        raise BadSetup("The saved game lacks the seed of its dice.")
    source = SeededDice(record.tags["seed"]) if kind == "seeded" else TypedDice()
    return Sitting.of(record.game, seats, source, first=record.first, events=record.events)
