"""Jobs for worker processes, and how they are sent: pickles, each preceded by its length."""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import Generic, NamedTuple, Protocol, TypeVar

from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.core.registry import load_game
from hotdice.solve.coach import Advice, advise, ready
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


class Done(NamedTuple, Generic[T]):
    """The result of a job, and the megabytes that the worker process uses."""

    value: T
    megabytes: int = 0


class Failed(NamedTuple):
    """A job without a result: ``error`` is ``slow``, ``large``, or a sentence."""

    error: str
    megabytes: int = 0
