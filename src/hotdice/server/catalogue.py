"""The messages about games, options, bots and rules."""

from __future__ import annotations

from typing import Literal

from hotdice.core.view import View
from hotdice.server.messages import Message


class OptionShown(Message):
    """An option of a game; ``among`` lists the possible words of an option that is a word."""

    name: str
    kind: str
    default: str
    range: str
    doc: str
    clause: str
    among: list[str]
    low: int | None
    high: int | None


class GameShown(Message):
    """A game and its options."""

    slug: str
    title: str
    summary: str
    min_players: int
    max_players: int
    options: list[OptionShown]


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
