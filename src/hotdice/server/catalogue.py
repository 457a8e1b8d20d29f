"""The messages about games, options, bots and rules."""

from __future__ import annotations

from typing import Literal

from hotdice.core.view import DieView, View
from hotdice.server.messages import Message


class OptionShown(Message):
    """An option of a game.

    ``among`` lists the words it can be; ``written`` has those of them that can be written out, as
    examples for a value of one's own.
    """

    name: str
    kind: str
    default: str
    range: str
    doc: str
    clause: str
    among: list[str]
    low: int | None
    high: int | None
    written: dict[str, str]


class ShapeShown(Message):
    """An SVG element of a drawing; a group has parts."""

    name: str
    attributes: dict[str, str]
    parts: list[ShapeShown]


class DrawingShown(Message):
    """A picture: an icon of the client's sprite, or shapes in a box."""

    icon: str
    box: str
    shapes: list[ShapeShown]


class TrackLookShown(Message):
    """What scores are marked on, and how many points one step of it is."""

    kind: str
    step: int


class HelpShown(Message):
    """A game in three lines."""

    goal: str
    turn: str
    danger: str


class ChartRowShown(Message):
    """A line of the score chart; ``points`` are those of so many dice as ``times`` say."""

    dice: list[DieView]
    words: str
    points: list[str]
    times: list[int]


class TermShown(Message):
    """A word of a game."""

    word: str
    meaning: str


class LookShown(Message):
    """How a game looks; ``faces`` are drawings by token, ``meters`` by label."""

    surface: str
    light: dict[str, str]
    dark: dict[str, str]
    faces: dict[str, list[DrawingShown]]
    meters: dict[str, DrawingShown]
    track: TrackLookShown
    emblem: DrawingShown | None
    sample: list[DieView]
    help: HelpShown | None
    chart: list[ChartRowShown]
    glossary: list[TermShown]
    sounds: dict[str, str]


class GameShown(Message):
    """A game, its options, and its look under the default ones.

    ``quick`` are the options of *Play now*; ``risky`` is whether a roll can lose a turn.
    """

    slug: str
    title: str
    summary: str
    min_players: int
    max_players: int
    risky: bool
    options: list[OptionShown]
    quick: dict[str, str]
    look: LookShown


class BotShown(Message):
    """A level of bots and its description."""

    level: str
    about: str


class Catalogue(Message):
    """All games, and all levels of bots."""

    version: str
    trouble: str
    games: list[GameShown]
    bots: list[BotShown]


class ExampleStep(Message):
    """A line of an example: the input, the output, and the view after it."""

    sign: Literal[">", "!", "?"]
    text: str
    told: list[str]
    view: View | None


class RulesBlock(Message):
    """A block of a game's rules: text as HTML, or an example that has been run."""

    html: str
    heading: str
    example: list[ExampleStep]
    names: list[str]


class RulesShown(Message):
    """A game's rules."""

    slug: str
    title: str
    blocks: list[RulesBlock]
