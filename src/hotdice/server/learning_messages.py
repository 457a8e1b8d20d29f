"""Messages about learning; see ``docs/learn.md``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from hotdice.core.view import View
from hotdice.server.messages import AdviceShown, Message

_LONGEST_CHOICE = 400

Exercise = Literal["daily", "trainer", "mistake"]
Least = Literal["slip", "mistake", "blunder"]


class ChoiceMade(Message):
    """The choice that the player thinks best, as its line of text."""

    choice: Annotated[str, Field(min_length=1, max_length=_LONGEST_CHOICE)]


class MissShown(Message):
    """How likely a bot of a level misses a position."""

    level: str
    chance: float


class StreakShown(Message):
    """Days in a row with an answer to a daily position, and on how many of them it was right."""

    days: int
    right: int


class AnswerShown(Message):
    """What an answer was worth.

    ``counts`` is whether it was kept: only first answers and those to positions that are due are.
    ``again`` is the number of days until the position comes back, ``run`` how many of the player's
    last answers were right in a row, and ``streak`` that of daily positions. ``difficulty`` and
    ``level``, the same in words, are ``null`` and empty for positions of the player's own games;
    for these, ``played`` is what the player chose then.
    """

    right: bool
    counts: bool
    chosen: str
    state: str
    options: str
    advice: AdviceShown
    difficulty: int | None
    level: str
    misses: list[MissShown]
    again: int | None
    run: int
    streak: StreakShown | None
    played: str


class LessonShown(Message):
    """A position whose best choice is to be found, without the answer.

    ``task`` says what is asked for. ``due`` is whether it was missed before and has come back.
    ``answer`` is only there if it was answered before and is not due: a position of today that the
    player has already solved.
    """

    type: Literal["lesson"] = "lesson"
    game: str
    title: str
    name: str
    exercise: Exercise
    options: str
    task: str
    view: View
    due: bool
    answer: AnswerShown | None


class GameLearnt(Message):
    """How far a player is with a game.

    ``today`` is whether today's position was right, ``null`` if it was not answered yet.
    ``tried`` and ``right`` count positions, by their last answer; ``due`` are those that have come
    back by today, ``later`` those that will.
    """

    game: str
    title: str
    today: bool | None
    streak: StreakShown
    due: int
    later: int
    tried: int
    right: int


class LearnShown(Message):
    """How far a player is with all games; ``streak`` counts days with a position of any game."""

    today: str
    streak: StreakShown
    longest: int
    games: list[GameLearnt]


class MistakeShown(Message):
    """A decision of the player that cost something, to be found better.

    ``name`` is that of the position, ``at`` when the game ended, ``who`` the name of the player at
    the table, ``lost`` what the decision gave away. ``right`` is how the last answer to it was,
    ``null`` if there is none.
    """

    game: str
    title: str
    name: str
    at: float
    who: str
    word: str
    lost: str
    right: bool | None
    due: bool


class Hidden(Message):
    """How many are not listed, and why, in a few words that follow the number."""

    count: int
    why: str


class MistakesShown(Message):
    """A player's own mistakes: what is due first, then what was never answered.

    Of ``games`` finished games so many are ``analysed``. ``decisions`` of them cost something; all
    of these are listed in ``mistakes`` but those that ``hidden`` counts. ``who`` lists the
    names under which these games were played, those with the most games first.
    """

    games: int
    analysed: int
    decisions: int
    who: list[str]
    mistakes: list[MistakeShown]
    hidden: list[Hidden]


class RollShown(Message):
    """A roll whose chance of a bust is to be guessed."""

    game: str
    title: str
    name: str
    dice: str
    view: View


class ChanceSaid(Message):
    """The chance that the player thinks right, from 0 to 1."""

    said: Annotated[float, Field(ge=0, le=1, strict=True)]


class BandShown(Message):
    """The guesses at chances from ``low`` to ``high``: how many, and by how much too high."""

    low: float
    high: float
    guesses: int
    lean: float


class CalibrationShown(Message):
    """How well a player's guesses fit; see ``analysis.guessing.Calibration``."""

    guesses: int
    error: float
    lean: float
    words: str
    bands: list[BandShown]


class GuessShown(Message):
    """What a guess was worth: the exact chance, also as a fraction, and points from 0 to 100."""

    said: float
    chance: float
    fraction: str
    points: int
    counts: bool
    calibration: CalibrationShown
