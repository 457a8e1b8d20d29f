"""The interface of all solvers.

A solver makes sheets (the values of one turn) for any state of its game, answers questions, and
computes the solutions that sheets need. A game's solver is a plugin: a subclass of ``Solver``,
registered in the entry-point group ``hotdice.solvers`` under the game's slug.
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
"""Bytes of a sheet besides its arrays."""
T = TypeVar("T")


class Unsolvable(HotDiceError):
    """This cannot be solved, or not exactly."""


class Question(NamedTuple):
    """What to solve.

    Attributes:
        objective: ``points``, ``win`` or one of the game's own objectives.
        scores: recorded scores, one's own first; empty for the start of a game.
        second: whether one moves second in the round, in games with rounds.
        goal: the points to reach or beat, for objectives that have a goal.
    """

    objective: str
    scores: tuple[int, ...] = ()
    second: bool = False
    goal: int | None = None


@dataclass(frozen=True)
class Answer:
    """An answer.

    Attributes:
        value: the expected points, or the chance of success, under best play.
        residual: the remaining error: the largest Bellman residual, the largest change in the last
            sweep, or the uncertainty at the largest leads; 0 where values have no cyclic
            dependencies.
        states: how many states were solved.
        seconds: how long that took, without JIT compilation.
        about: a description of the value.
        more: further values by name.
    """

    value: float
    residual: float
    states: int
    seconds: float
    about: str
    more: Mapping[str, float] = field(default_factory=dict)


class Need(NamedTuple):
    """The resources a computation needs, estimated from the rules in advance.

    Attributes:
        memory: peak memory in bytes.
        seconds: running time on a current machine.
    """

    memory: float
    seconds: float

    def within(self, most: Need) -> bool:
        """Whether neither limit is exceeded."""
        return self.memory <= most.memory and self.seconds <= most.seconds


NOTHING = Need(0.0, 0.0)
AT_ONCE = Need(170e6, 1.6)
"""The limits for work done while somebody waits for advice or for a bot."""
PREPARED = Need(600e6, 110.0)
"""The limits for solving a game in advance; the JIT compiler takes another 200 MB."""

_sheets: WeightedCache[object] = WeightedCache(96_000_000)
"""The sheets of all solvers, limited by their total size in bytes."""


class Solver(ABC, Weighed, Generic[S, O]):
    """Solves one game under its options."""

    shared = True
    objectives: Mapping[str, str]
    """The supported objectives with a description of their values; the first is the default."""

    aim: str = "win"
    """The objective that players of the game normally have."""

    estimates: ClassVar[bool] = False
    """Whether what cannot be solved is estimated by random playouts."""

    has_rounds: ClassVar[bool] = False
    """Whether it matters who moves first in a round."""

    goals: ClassVar[tuple[str, ...]] = ()
    """The objectives that need a number of points as their goal."""

    game: Game[S, O]

    def __init__(self, game: Game[S, O]) -> None:
        self.game = game
        self._own = object()

    def memoised(self, make: Callable[..., T], *given: object) -> T:
        """Call ``make`` with these arguments, memoised in an LRU cache shared by all solvers."""
        key = self._own, make.__name__, given
        return _sheets.obtain(  # type: ignore[return-value] # the key contains the function's name
            key, lambda: make(*given), lambda sheet: _SHEET + weigh(sheet)
        )

    def need(self, objective: str) -> Need:
        """A cheap estimate of what an objective needs.

        For ``win`` this is for computing the solution, otherwise for the first sheet.
        """
        return NOTHING

    def refusal(self, objective: str) -> str:
        """Why this objective cannot be solved exactly, in one sentence; empty if it can."""
        return ""

    @abstractmethod
    def sheet(self, state: S, objective: str) -> Sheet[S] | None:
        """The values of the current turn; ``None`` if they need a solution that is missing."""

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
            about: a description of the value.
            progress: called with the fraction done.
        """

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Compute what playing to win needs; returns whether it needs any solution."""
        return False

    def ready(self, players: int) -> bool:
        """Whether everything that playing to win needs has been computed."""
        return True

    def checked(self, scores: tuple[int, ...], turn: Callable[[tuple[int, int]], S]) -> Scores:
        """Validate the scores of a question; raises ``Unsolvable``.

        Args:
            scores: one's own and the opponent's; empty for the start of a game.
            turn: returns the state in which a turn starts with given scores.
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
