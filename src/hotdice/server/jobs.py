"""Jobs for worker processes, and how they are sent: pickles, each preceded by its length."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Generic, NamedTuple, Protocol, TypeVar

from hotdice.analysis.careers import Entered, career_json, careers_of
from hotdice.analysis.report import analyse
from hotdice.analysis.telling import report_json
from hotdice.core.due import ToChoose
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.core.record import read_record
from hotdice.core.registry import load_game
from hotdice.core.view import View
from hotdice.solve.coach import Advice, NothingToAdvise, advise, ready
from hotdice.table.bots import Thought

LENGTH = struct.Struct("!I")
"""The length of a message."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Job(Protocol[T_co]):
    """A computation for a worker process; ``options`` are the line of text of a game's options."""

    def run(self) -> T_co:
        """Compute the result, in the worker process."""


@lru_cache(maxsize=32)
def _game(slug: str, options: str) -> AnyGame:
    return load_game(slug, options)


class AdviseJob(NamedTuple):
    """The coach's advice."""

    slug: str
    options: str
    state: object

    def run(self) -> Advice:
        """Ask the coach."""
        return advise(_game(self.slug, self.options), self.state)


class ChooseJob(NamedTuple):
    """The choice of a bot; ``seed`` is that of its random numbers."""

    slug: str
    options: str
    state: object
    level: str
    seed: str

    def run(self) -> Choice:
        """Ask the bot."""
        game = _game(self.slug, self.options)
        return Thought(self.level, game, self.state, self.seed).choice()


class ReadyJob(NamedTuple):
    """Whether everything that playing to win needs is solved."""

    slug: str
    options: str
    players: int

    def run(self) -> bool:
        """Look for the solution."""
        return ready(_game(self.slug, self.options), self.players)


class RecordGame(NamedTuple):
    """Whose record it is: the game, its options as text, the players, and whether it is solved."""

    slug: str
    options: str
    players: int
    ready: bool


class ReadJob(NamedTuple):
    """Reads a record, and looks whether its game is solved."""

    text: str

    def run(self) -> RecordGame:
        """Read the record."""
        record = read_record(self.text)
        players = len(record.names)
        options = record.game.options.text()
        return RecordGame(record.game.slug, options, players, ready(record.game, players))


class AnalyseJob(NamedTuple):
    """The analysis of a record, with what is solved by now; its values are those of JSON."""

    text: str
    objective: str

    def run(self) -> dict[str, object]:
        """Analyse the record."""
        return report_json(analyse(read_record(self.text), self.objective, progress=None))


class CareersJob(NamedTuple):
    """The careers in finished games; its values are those of JSON."""

    games: tuple[Entered, ...]

    def run(self) -> list[dict[str, object]]:
        """Fold the games."""
        return [career_json(career) for career in careers_of(self.games)]


class Position(NamedTuple):
    """A position: its view, and the coach's advice if there is something to choose."""

    view: View
    text: str
    options: str
    advice: Advice | None


class PositionJob(NamedTuple):
    """A position from its text, with the coach's ranking by an objective."""

    slug: str
    options: str
    text: str
    objective: str

    def run(self) -> Position:
        """Read the position and ask the coach."""
        game = _game(self.slug, self.options)
        state = game.read_state(self.text)
        chooses = isinstance(game.due(state), ToChoose)
        advice = _advice(game, state, self.objective) if chooses else None
        return Position(game.view(state), game.state_text(state), game.options.text(), advice)


def _advice(game: AnyGame, state: object, objective: str) -> Advice:
    """The advice by an objective, or by the coach's own where that one is not solved."""
    try:
        return advise(game, state, objective)
    except NothingToAdvise:
        return advise(game, state)


class Done(NamedTuple, Generic[T]):
    """The result of a job, and the megabytes that the worker process uses."""

    value: T
    megabytes: int = 0


class Failed(NamedTuple):
    """A job without a result: ``error`` is ``slow``, ``large``, or a sentence."""

    error: str
    megabytes: int = 0
