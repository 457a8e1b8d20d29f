"""Bots at a table: the queries for their choices, and the loops that play for them.

A query can be answered in this process or in another one. In the log, a bot's choice is an entry
like any other.
"""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Any, NamedTuple

from hotdice.bots import find_bot, is_ready
from hotdice.core.due import ToChoose
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.table.commands import auto_roll, play_event
from hotdice.table.dice_sources import ChallengeDice, SeededDice, VerifiedDice
from hotdice.table.log import Next, Table
from hotdice.table.sitting import Sitting


class Thought(NamedTuple):
    """A query for a bot's choice; the answer is the same in every process.

    Attributes:
        level: the level of the bot.
        game: the rules.
        state: a state in which a seat has to choose.
        seed: the seed of the bot's random numbers.
    """

    level: str
    game: AnyGame
    state: Any
    seed: str

    def choice(self) -> Choice:
        """What the bot chooses."""
        rng = Random(self.seed)  # noqa: S311 - games are reproducible
        return find_bot(self.level)(self.game, self.state, rng)


def thought_of(sitting: Sitting, level: str) -> Thought:
    """The query for a bot of this level at the current state."""
    return Thought(level, sitting.game, sitting.state, _seed(sitting))


def _seed(sitting: Sitting) -> str:
    """The seed of a bot's random numbers for its next choice."""
    source = sitting.source
    if isinstance(source, ChallengeDice):
        return source.bot_seed(sitting.occasion())
    seed = source.seed if isinstance(source, SeededDice | VerifiedDice) else ""
    return f"{seed}/bot/{len(sitting.moves)}"


def bot_choice(sitting: Sitting) -> Choice | None:
    """The choice of the bot whose turn it is; ``None`` if no bot has to choose."""
    due = sitting.due
    if not isinstance(due, ToChoose) or not sitting.seats[due.seat].bot:
        return None
    return thought_of(sitting, sitting.seats[due.seat].bot).choice()


def bot_turn(table: Table, now: float) -> Generator[Thought, Choice, Next]:
    """The turn of the bot that has to choose: yields queries and is sent the choices."""
    after, seat = table, table.seat_due
    while (level := after.bot_due()) and after.seat_due == seat:
        choice = yield thought_of(after.sitting, level)
        after = play_event(after, choice, now).table
    return Next(after.entries[table.seq :], after)


def play_turn(table: Table, now: float) -> Next:
    """The turn of the bot that has to choose, computed here; empty if it is not ready."""
    if not _is_bot_ready(table):
        return Next([], table)
    turn = bot_turn(table, now)
    thought = next(turn)
    while True:
        try:
            thought = turn.send(thought.choice())
        except StopIteration as ended:
            after: Next = ended.value
            return after


def play_bots(table: Table, now: float) -> Next:
    """Everything that happens until a person has to act: automatic rolls and turns of bots.

    It stops at a bot whose game has to be solved first.
    """
    after = auto_roll(table, now).table
    while _is_bot_ready(after):
        after = play_turn(after, now).table
    return Next(after.entries[table.seq :], after)


def _is_bot_ready(table: Table) -> bool:
    level = table.bot_due()
    return bool(level) and is_ready(level, table.game, len(table.seats))
