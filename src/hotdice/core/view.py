"""Game-independent views of states, which every surface renders.

A surface does not know which game it shows: it draws dice by place, discs, score tracks,
meters, a gauge, a pattern, a course and notices, and lists the choices it is given.

Views are built and serialised for every event of every table, so they are plain dataclasses:
frozen ones with slots take four times as long for both. Treat them as immutable.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hotdice.core.dice import Drawn, Faces


class Place(StrEnum):
    """Where a die lies."""

    TRAY = "tray"
    KEPT = "kept"
    DEAD = "dead"
    LOCKED = "locked"


@dataclass
class DieView:
    """One die on the table; choices refer to it by ``code``, and ``label`` is what it shows.

    ``drawn`` says how to draw the face, with its ``pips`` or ``flag``; ``called`` is the word that
    tells it apart from other dice, empty for a plain one. ``name`` is what players call this face,
    where that is not ``called`` and ``label``.
    """

    code: int
    token: str
    label: str
    kind: str
    colour: str
    place: Place
    ring: bool = False
    drawn: Drawn = Drawn.TEXT
    pips: int = 0
    flag: str = ""
    called: str = ""
    name: str = ""


class Mood(StrEnum):
    """The mood of the table; when it is hot, all dice were set aside and are thrown anew."""

    CALM = ""
    HOT = "hot"
    WAR = "war"
    LAST = "last lap"
    RAIN = "rain"


@dataclass
class Badge:
    """A few letters on the dice in the tray with this code: what they do to dice taken along."""

    code: int
    text: str


@dataclass
class Group:
    """Dice that were set aside together, and the points that they made."""

    dice: tuple[DieView, ...]
    points: int
    words: str


@dataclass
class DiscView:
    """A two-sided disc with its value and status, for instance ``vulnerable``.

    ``turned`` says how often it has been turned; ``points`` are what it counts now, ``then`` what
    it would count turned once more. ``dice`` lists the selections of dice that turn it.
    """

    value: int
    status: str
    turned: int = 0
    points: int = 0
    then: int = 0
    dice: tuple[Faces, ...] = ()


@dataclass
class Gauge:
    """The number that the turn is about, in the middle of the table.

    ``words`` explain it. It may have a ``limit``, and a ``danger`` from which on it costs points.
    ``heat`` is the chance that the next roll loses it, where that can happen. A penalty is shown on
    a ``card`` of this colour.
    """

    value: int
    label: str
    words: str = ""
    limit: int | None = None
    danger: int | None = None
    heat: float | None = None
    card: str = ""


@dataclass
class Wanted:
    """A face that a pattern wants, whether a die fills it, and whether that scores as it lies."""

    die: DieView
    filled: bool
    scores: bool


@dataclass
class Milestone:
    """A marked score on a track."""

    at: int
    label: str


@dataclass
class Track:
    """A seat's score and the goal, if there is one.

    ``standing`` is any other status of the seat, for instance ``out of the race``.
    """

    seat: int
    value: int
    goal: int | None = None
    milestones: tuple[Milestone, ...] = ()
    pending: int = 0
    standing: str = ""


@dataclass
class Meter:
    """A small named count, for instance rerolls left; ``seat`` is ``None`` if it is shared.

    ``marks`` are texts for those that are past, for instance the scores of a series.
    """

    label: str
    value: int
    top: int | None = None
    seat: int | None = None
    marks: tuple[str, ...] | None = None


@dataclass
class Stage:
    """One segment of a course; ``points`` are those that each seat scored there so far."""

    name: str
    limit: int | None
    status: str
    points: tuple[int | None, ...] = ()


@dataclass
class ChoiceView:
    """A legal choice as a surface shows it."""

    text: str
    verb: str
    dice: Faces
    then: str
    points: int
    left: int
    words: str
    effect: str
    ends_turn: bool


@dataclass
class Blocked:
    """An action that a player may expect but that is not allowed now, and why.

    ``ends_turn`` says whether it would end the turn.
    """

    action: str
    reason: str
    clause: str
    ends_turn: bool = True


@dataclass
class Unused:
    """A die in the tray that no choice takes now, and why."""

    code: int
    reason: str


@dataclass
class View:
    """Everything a surface shows of a state; ``rail``: the game sets dice aside.

    A state does not know in which ``groups`` its dice were set aside; the table adds them.
    ``taking`` says how dice may be taken together, to players whose dice fit no choice.
    ``apart``: groups score apart, so each has a row of its own.
    """

    seat: int | None
    prompt: str
    tracks: tuple[Track, ...]
    dice: tuple[DieView, ...] = ()
    gauge: Gauge | None = None
    pattern: tuple[Wanted, ...] = ()
    discs: tuple[DiscView, ...] = ()
    meters: tuple[Meter, ...] = ()
    course: tuple[Stage, ...] = ()
    notices: tuple[str, ...] = ()
    choices: tuple[ChoiceView, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    unused: tuple[Unused, ...] = ()
    taking: str = ""
    mood: Mood = Mood.CALM
    rail: bool = True
    apart: bool = False
    groups: tuple[Group, ...] = ()
    badges: tuple[Badge, ...] = ()
