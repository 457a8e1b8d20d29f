"""What every solver offers, whatever the game.

A solver makes sheets (the values of one turn) for any state of its game, answers questions, and
computes the solutions that sheets are read from. A game's solver is a plugin: a subclass of
``Solver`` named in the entry-point group ``hotdice.solvers`` under the game's slug.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from hotdice.core.caching import WeightedCache
from hotdice.core.errors import HotDiceError
from hotdice.core.game import Game, O, S
from hotdice.solve.arrays import Weighed, weigh
from hotdice.solve.sheet import Sheet
from hotdice.solve.solutions import Progress, no_progress

_HIGHEST = 1_000_000_000
_SHEET = 2000
"""Bytes of a sheet apart from its arrays."""
T = TypeVar("T")


class Unsolvable(HotDiceError):
    """This question has no exact answer here, or none at all."""


class Question(NamedTuple):
    """What to solve.

    Attributes:
        objective: what is wanted: ``points``, ``win`` or one of the game's own.
        scores: recorded scores, one's own first; nothing for the start of a game.
        second: whether one moves second in the round, where there are rounds.
        goal: the points to reach or to beat, for objectives that name some.
    """

    objective: str
    scores: tuple[int, ...] = ()
    second: bool = False
    goal: int | None = None


@dataclass(frozen=True)
class Answer:
    """An answer.

    Attributes:
        value: the best expected points, or the chance of success under best play.
        residual: the error solving has left: how far a value is from one look ahead, by how much
            the last sweep moved any value, or what the greatest leads leave to chance; 0 where
            values follow from each other without a cycle.
        states: how many were solved.
        seconds: how long that took, without compiling kernels.
        about: what the value is, in words.
        more: further values by name.
    """

    value: float
    residual: float
    states: int
    seconds: float
    about: str
    more: Mapping[str, float] = field(default_factory=dict)


class Need(NamedTuple):
    """What something takes, estimated from the rules before any of it is done.

    Attributes:
        memory: bytes at the peak.
        seconds: how long, on a machine of today.
    """

    memory: float
    seconds: float

    def within(self, most: Need) -> bool:
        """Whether it is no more than that."""
        return self.memory <= most.memory and self.seconds <= most.seconds


NOTHING = Need(0.0, 0.0)
AT_ONCE = Need(170e6, 1.6)
"""The most that is done while somebody waits for advice or for a bot."""
PREPARED = Need(600e6, 110.0)
"""The most that is done to solve a game beforehand; the compiler takes another 200 MB."""

_sheets: WeightedCache[object] = WeightedCache(96_000_000)
"""The sheets of all solvers, limited by the bytes they take."""


class Solver(ABC, Weighed, Generic[S, O]):
    """Solves one game under its options."""

    shared = True
    objectives: Mapping[str, str]
    """What can be asked for, and what the value then is; the first one is the default."""

    aim: str = "win"
    """What players of the game want first of all."""

    estimates: ClassVar[bool] = False
    """Whether what cannot be solved is estimated by playing on at random."""

    has_rounds: ClassVar[bool] = False
    """Whether it matters who moves first in a round."""

    goals: ClassVar[tuple[str, ...]] = ()
    """The objectives that name a number of points."""

    game: Game[S, O]

    def __init__(self, game: Game[S, O]) -> None:
        self.game = game
        self._own = object()

    def remembered(self, make: Callable[..., T], *given: object) -> T:
        """What ``make`` returns for these arguments, memoised; the least used is forgotten."""
        key = self._own, make.__name__, given
        return _sheets.obtain(  # type: ignore[return-value] # the key tells who made it
            key, lambda: make(*given), lambda sheet: _SHEET + weigh(sheet)
        )

    def need(self, objective: str) -> Need:
        """What it takes to have the values of a turn for this objective; cheap to say.

        For ``win`` it is what the solution takes, for everything else what the first sheet takes.
        """
        return NOTHING

    def refusal(self, objective: str) -> str:
        """Why this is not solved exactly, one sentence; nothing if it is."""
        return ""

    @abstractmethod
    def sheet(self, state: S, objective: str) -> Sheet[S] | None:
        """The values of the turn under way; ``None`` if they need a solution that is missing."""

    def solve(self, question: Question, progress: Progress = no_progress) -> Answer:
        """The answer to a question; raises ``Unsolvable``."""
        if refusal := self.refusal(question.objective):
            raise Unsolvable(refusal)
        return self.answer(question, self.objectives[question.objective], progress)

    @abstractmethod
    def answer(self, question: Question, about: str, progress: Progress) -> Answer:
        """The answer to a question that is not refused; raises ``Unsolvable``.

        Args:
            question: what to solve.
            about: what the value is, in words.
            progress: told how far it is.
        """

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Compute what playing to win needs; says whether there was anything to compute."""
        return False

    def ready(self, players: int) -> bool:
        """Whether everything that playing to win needs has been computed."""
        return True

    def checked(self, scores: tuple[int, ...], turn: Callable[[tuple[int, int]], S]) -> Scores:
        """Two scores that a turn can start with, for a question; raises ``Unsolvable``.

        Args:
            scores: one's own and the other's; none for the start of a game.
            turn: the state in which a turn starts at such scores.
        """
        own, other = scores or (0, 0)
        if max(own, other) > _HIGHEST:
            raise Unsolvable(f"Scores go up to {_HIGHEST:,}.")
        if problem := self.game.problem(turn((own, other))):
            title = self.game.title
            raise Unsolvable(f"No turn of {title} starts at {own:,} against {other:,}: {problem}.")
        return own, other


Scores = tuple[int, int]
AnySolver = Solver[Any, Any]
"""A solver whose game is not known to the type checker."""
