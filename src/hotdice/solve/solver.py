"""What a solver of one shape of game offers, whatever the game.

A sheet holds the values of one turn for the seat that plays it: what it is worth to have these
dice to roll, and what it is worth to have ended the turn. A solver makes sheets for any state, from
solved tables or from the turn alone, and computes the tables.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.core.remembering import Remembered
from hotdice.solve.store import Progress, no_progress

_HIGHEST = 1_000_000_000
S = TypeVar("S")


class Unsolvable(HotDiceError):
    """This question has no exact answer here, or none at all."""


class Odds(NamedTuple):
    """The chance of something a player fears or hopes for."""

    name: str
    chance: float


_BASES = (
    "Exact expected points of this turn, whatever they lead to in the game.",
    "Exact chance to win, played as well as possible.",
    "Exact chances to win between two players who both play their best.",
    "Estimated chances to win, from the exact chances against each of the others alone.",
)


class Sheet(ABC):
    """The values of one turn.

    Attributes:
        objective: what they are: ``win`` for chances to win, ``points`` for expected points.
        exact: whether they are the best play's values, or an estimate of them.
        basis: where they come from, in one sentence.
    """

    def __init__(self, players: int) -> None:
        """Chances to win among so many players; for none, points."""
        self.objective = "win" if players else "points"
        self.exact = players <= 2
        self.basis = _BASES[min(players, 3)]

    @abstractmethod
    def going(self, state: Any) -> float:
        """The value of a state of this turn whose dice have to be rolled."""

    @abstractmethod
    def ending(self, before: Any, after: Any) -> float:
        """The value of the state after the choice, at ``before``, that ended this turn."""

    def odds(self, state: Any) -> tuple[Odds, ...]:
        """What the next roll may bring, at a state of this turn whose dice have to be rolled."""
        return ()

    def odds_after(self, before: Any, after: Any) -> tuple[Odds, ...]:
        """What is still to be hoped for after the choice, at ``before``, that ended this turn."""
        return ()


def trust_in(players: int) -> float:
    """The power to raise chances against each of the others alone to before multiplying them.

    Whoever beats one is likelier to beat the next; with this power equals get equal shares.
    """
    return 1.0 if players < 3 else log2(players) / (players - 1)


def settled(after: Any, others: Sequence[int]) -> Any:
    """One's share of the win by one's final score, against others whose scores are final."""
    if not others:
        return np.ones(np.shape(after))
    best = max(others)
    tied = 1.0 / (1 + others.count(best))
    return np.where(after > best, 1.0, np.where(after == best, tied, 0.0))


def done_and_waiting(players: int, seat: int, closer: int) -> tuple[list[int], list[int]]:
    """The others in the order of their turns: whose score is final, and who is still to move.

    The last lap goes round from the closer; where nobody has closed (-1) all are still to move.
    """
    others = [(seat + step) % players for step in range(1, players)]
    left = (closer - seat - 1) % players if closer >= 0 else len(others)
    return others[left:], others[:left]


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
class Solution:
    """An answer.

    Attributes:
        value: the best expected points, or the chance of success under best play.
        residual: what solving has left open: how far a value is from one look ahead (races), by how
            much the last sweep moved any (laps, rounds), or what the greatest leads leave to
            chance (courses); nothing where values follow from each other without a loop.
        states: how many were solved.
        seconds: how long that took, compiling kernels apart.
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
        memory: bytes at its greatest.
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

_sheets: Remembered[Any] = Remembered(96_000_000)
"""The sheets of all solvers, by the bytes they take."""


def weigh(thing: Any) -> int:
    """The bytes that the arrays and lists of something take; what lies in a file takes none."""
    roots: dict[int, int] = {}
    _collect(thing, roots, 4)
    return sum(roots.values())


def _collect(thing: Any, roots: dict[int, int], depth: int) -> None:
    if isinstance(thing, np.ndarray):
        root = thing
        while isinstance(root.base, np.ndarray):
            root = root.base
        roots[id(root)] = root.nbytes if root.base is None else 0
    elif isinstance(thing, dict):
        roots[id(thing)] = 100 * len(thing)
        for part in thing.values() if depth else ():
            _collect(part, roots, depth - 1)
    elif isinstance(thing, list | tuple):
        roots[id(thing)] = 8 * len(thing)
        if thing and isinstance(thing[0], int | float):
            roots[id(thing)] = 32 * len(thing)
        elif depth:
            for part in thing:
                _collect(part, roots, depth - 1)
    elif depth and isinstance(thing, Solver | Sheet):
        for part in vars(thing).values():
            if not isinstance(part, Solver):
                _collect(part, roots, depth - 1)


class Solver(ABC):
    """Solves games of one shape."""

    objectives: ClassVar[Mapping[str, str]]
    """What can be asked for, and what the value then is."""

    aim: ClassVar[str] = "win"
    """What players of such games want first of all."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self._own = object()

    def remembered(self, make: Callable[..., S], *given: Any) -> S:
        """What was made of this before, or is made now; the least used is forgotten."""
        key = self._own, make.__name__, given
        found: S = _sheets.obtain(key, lambda: make(*given), lambda sheet: 2000 + weigh(sheet))
        return found

    def need(self, objective: str) -> Need:
        """What it takes to have the values of a turn for this objective; cheap to say.

        For ``win`` it is what the table takes, for everything else what the first sheet takes.
        """
        return NOTHING

    def refusal(self, objective: str) -> str:
        """Why this is not solved exactly, one sentence; nothing if it is."""
        return ""

    @abstractmethod
    def sheet(self, state: Any, objective: str) -> Sheet | None:
        """The values of the turn under way; ``None`` if they hang on a table that is not there."""

    @abstractmethod
    def solve(self, question: Question, progress: Progress = no_progress) -> Solution:
        """The answer to a question; raises ``Unsolvable``."""

    def prepare(self, players: int, progress: Progress = no_progress) -> bool:
        """Have the tables for playing to win; says whether there are any to have."""
        return False

    def ready(self, players: int) -> bool:
        """Whether playing to win needs no table that is not there."""
        return True


def checked_scores(game: AnyGame, scores: tuple[int, ...]) -> tuple[int, int]:
    """Two scores a turn can start with; raises ``Unsolvable``."""
    own, other = scores or (0, 0)
    if max(own, other) > _HIGHEST:
        raise Unsolvable(f"Scores go up to {_HIGHEST:,}.")
    problem = game.problem(game.start(2)._replace(**_no_roll_off(game), scores=(own, other)))
    if problem:
        raise Unsolvable(f"No turn of {game.title} starts at {own:,} against {other:,}: {problem}.")
    return own, other


def _no_roll_off(game: AnyGame) -> dict[str, Any]:
    started: dict[str, Any] = {"phase": "roll"}
    if "contenders" in game.state_type._fields:  # type: ignore[attr-defined]
        started |= {"contenders": ()}
    return started
