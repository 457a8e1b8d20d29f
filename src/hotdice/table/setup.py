"""The set-up of a table, as one line of text."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from hashlib import sha256

from hotdice.bots import LEVELS
from hotdice.core.errors import BadSetup, UnreadableText
from hotdice.core.events import Roll
from hotdice.core.game import AnyGame
from hotdice.core.record import check_name
from hotdice.core.registry import game_type, load_game
from hotdice.table.dice_sources import (
    ChallengeDice,
    DiceSource,
    ScriptedDice,
    SeededDice,
    TypedDice,
    VerifiedDice,
)
from hotdice.table.sitting import Seat, Sitting

DICE = ("seeded", "typed", "verified", "challenge", "scripted")
_LONGEST_CLOCK = 7 * 24 * 3600
_LONGEST_SERIES = 100
_NO_SETUP = "This is not the set-up of a table."


@dataclass(frozen=True)
class Setup:
    """How a table was set up.

    Attributes:
        game: the slug of the game.
        options: its options as text.
        seats: names, and levels of bots.
        dice: ``seeded``, ``typed``, ``verified``, ``challenge`` or ``scripted``.
        seed: the seed of seeded dice, the secret of the server's chain with verified dice, the
            secret of a challenge, or scripted rolls separated by spaces.
        coach: whether odds and advice are shown.
        clock: seconds a player has to act; 0 for no clock.
        first: the seat that is first in the first game, where no rule decides it.
        open: the seats that anybody with the link may take.
        series: how many games win the series; 0 for no series.
        challenge: the id of the challenge that is played here; empty if none is.
    """

    game: str
    options: str
    seats: tuple[Seat, ...]
    dice: str = "seeded"
    seed: str = ""
    coach: bool = True
    clock: int = 0
    first: int = 0
    open: tuple[int, ...] = ()
    series: int = 0
    challenge: str = ""

    def text(self) -> str:
        """One line of JSON that ``read`` turns back into an equal set-up."""
        values = asdict(self)
        values["seats"] = [seat._asdict() for seat in self.seats]
        return json.dumps(values, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Setup:
        """The set-up in a line of JSON; raises ``UnreadableText``."""
        try:
            values = json.loads(text)
            values["seats"] = tuple(Seat(**seat) for seat in values["seats"])
            values["open"] = tuple(values.get("open", ()))
            setup = cls(**values)
            setup.text().encode()  # a lone surrogate cannot be encoded
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise UnreadableText(_NO_SETUP) from error
        if not setup._is_typed():
            raise UnreadableText(_NO_SETUP)
        return setup

    def _is_typed(self) -> bool:
        """Whether every value is of its declared type; JSON does not check that."""
        texts = [self.game, self.options, self.dice, self.seed, self.challenge]
        texts += [text for seat in self.seats for text in (seat.name, seat.bot)]
        numbers = [self.clock, self.first, self.series, *self.open]
        return (
            all(isinstance(text, str) for text in texts)
            and all(type(number) is int for number in numbers)
            and isinstance(self.coach, bool)
        )

    def checked(self) -> Setup:
        """The same set-up, normalised; raises ``BadSetup`` and the like if it is not valid."""
        if self.dice not in DICE:
            raise BadSetup(f"Dice are {', '.join(DICE[:-1])} or {DICE[-1]}, not '{self.dice}'.")
        if self.challenge and (self.dice != "challenge" or self.coach or self.series):
            raise BadSetup("A challenge is one game with the dice of the challenge and no coach.")
        if not 0 <= self.clock <= _LONGEST_CLOCK:
            raise BadSetup("A clock gives at most a week to act.")
        if not 0 <= self.series <= _LONGEST_SERIES:
            raise BadSetup(f"A series is won with at most {_LONGEST_SERIES} games.")
        if not 0 <= self.first < max(1, len(self.seats)):
            raise BadSetup("There is no such seat to be first.")
        seats = tuple(Seat(check_name(seat.name), seat.bot) for seat in self.seats)
        for seat in seats:
            if seat.bot and seat.bot not in LEVELS:
                raise BadSetup(f"There is no bot '{seat.bot}'; there are {', '.join(LEVELS)}.")
        if any(not 0 <= seat < len(seats) or seats[seat].bot for seat in self.open):
            raise BadSetup("Only an existing seat without a bot can be open.")
        kind = game_type(self.game)
        options = kind.options_type.read(self.options)
        setup = replace(self, game=kind.slug, options=options.text(), seats=seats)
        setup.sitting(setup.rules(), seats, 0, self.first)
        return setup

    def rules(self) -> AnyGame:
        """The game under its options; tables with the same rules share it and its caches."""
        return _rules(self.game, self.options)

    def sitting(self, rules: AnyGame, seats: tuple[Seat, ...], number: int, first: int) -> Sitting:
        """A game at this table before its first event; ``number`` counts games from 0."""
        return Sitting.of(rules, seats, self._source(rules, number), first=first)

    def _source(self, rules: AnyGame, number: int) -> DiceSource:
        if self.dice == "typed":
            return TypedDice()
        if self.dice == "scripted":
            rolls = [rules.read_event(text) for text in self.seed.split()]
            return ScriptedDice(tuple(roll for roll in rolls if isinstance(roll, Roll)))
        if self.dice == "verified":
            return VerifiedDice(sha256(f"{self.seed}/bots/{number}".encode()).hexdigest()[:32])
        if self.dice == "challenge":
            return ChallengeDice(self.seed)
        # Each game has its own seed, since the seed of a finished game is published.
        return SeededDice(sha256(f"{self.seed}/{number}".encode()).hexdigest()[:32])


@lru_cache(maxsize=64)  # the caches of one game can take some megabytes
def _rules(slug: str, options: str) -> AnyGame:
    return load_game(slug, options)
