"""A game's look for the browser: drawings as plain values, texts with the options in force."""

from __future__ import annotations

import json
import logging
import re
from functools import cache, lru_cache
from pathlib import Path

from hotdice.core.dice import Faces
from hotdice.core.drawings import Drawing, Shape
from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.core.look import PLAIN, BadLook, ChartRow, Look, icons_of
from hotdice.core.registry import game_type
from hotdice.core.view import DieView, Place
from hotdice.core.words import quoted
from hotdice.server import pages
from hotdice.server.catalogue import (
    ChartRowShown,
    DrawingShown,
    HelpShown,
    LookShown,
    ShapeShown,
    TermShown,
    TrackLookShown,
)

_OPTION = re.compile(r"\{(\w+)\}")

_log = logging.getLogger(__name__)


@lru_cache(maxsize=128)
def show_look(slug: str, options: str = "") -> LookShown:
    """The look of a game under options; raises ``HotDiceError`` for bad options."""
    game = game_type(slug).with_options(options)
    try:
        return draw_look(game, _look(type(game)))
    except BadLook as error:
        _report(game.slug, str(error))
        return draw_look(game, PLAIN)


@lru_cache(maxsize=64)
def _look(kind: type[AnyGame]) -> Look:
    try:
        return checked_look(kind)
    except BadLook as error:
        _report(kind.slug, str(error))
        return PLAIN


@lru_cache(maxsize=64)
def _report(slug: str, why: str) -> None:
    """Log once why a game is played without its look."""
    _log.warning("the look of %s cannot be used: %s", slug, why)


def checked_look(kind: type[AnyGame]) -> Look:
    """The look of a game if the client can draw it; raises ``BadLook``, whatever is wrong."""
    try:
        look = kind.look()
    except BadLook:
        raise
    except Exception as error:  # a package from outside may raise anything
        raise BadLook(f"It cannot be read: {type(error).__name__}: {error}.") from error
    if not isinstance(look, Look):
        raise BadLook("It cannot be read: it is no Look.")
    known = _icons(pages.STATIC)
    if known is not None and (unknown := sorted(icons_of(look) - known)):
        missing = ", ".join(map(quoted, unknown))
        raise BadLook(f"There is no icon {missing}; there are {', '.join(sorted(known))}.")
    return look


@cache
def _icons(static: Path) -> frozenset[str] | None:
    """The icons that are built into the pages; ``None`` where no pages are built."""
    try:
        return frozenset(json.loads((static / "icons.json").read_text("utf-8")))
    except OSError:
        return None


def draw_look(game: AnyGame, look: Look) -> LookShown:
    """A look with a game's texts and score chart; raises ``BadLook``, whatever is wrong."""
    try:
        return _shown(game, look)
    except BadLook:
        raise
    except Exception as error:  # it runs the rules of games from outside
        raise BadLook(f"It cannot be shown: {type(error).__name__}: {error}.") from error


def _shown(game: AnyGame, look: Look) -> LookShown:
    return LookShown(
        surface=look.surface,
        light=dict(look.light),
        dark=dict(look.dark),
        faces={token: [_drawing(one) for one in drawn] for token, drawn in look.faces.items()},
        meters={label: _drawing(one) for label, one in look.meters.items()},
        track=TrackLookShown(kind=look.track.kind, step=look.track.step),
        emblem=_drawing(look.emblem) if look.emblem else None,
        sample=list(_dice(game, look.sample)),
        help=HelpShown(
            goal=_filled(game, look.help.goal),
            turn=_filled(game, look.help.turn),
            danger=_filled(game, look.help.danger),
        )
        if look.help
        else None,
        chart=[_row(game, row) for row in look.chart],
        glossary=[
            TermShown(word=term.word, meaning=_filled(game, term.meaning)) for term in look.glossary
        ],
        sounds=dict(look.sounds),
    )


def _drawing(drawing: Drawing) -> DrawingShown:
    return DrawingShown(
        icon=drawing.icon, box=drawing.box, shapes=[_shape(one) for one in drawing.shapes]
    )


def _shape(shape: Shape) -> ShapeShown:
    return ShapeShown(
        name=shape.name, attributes=shape.attributes, parts=[_shape(one) for one in shape.parts]
    )


def _dice(game: AnyGame, tokens: tuple[str, ...]) -> tuple[DieView, ...]:
    """The dice with these tokens; none if the rules in force have no such dice."""
    codes = [game.codes[token] for token in tokens if token in game.codes]
    return game.dice_view(tuple(codes), Place.TRAY) if len(codes) == len(tokens) else ()


def _row(game: AnyGame, row: ChartRow) -> ChartRowShown:
    """A row of the chart; what the look does not say, the rules do."""
    dice = _dice(game, row.dice)
    codes = tuple(sorted(die.code for die in dice))
    words, points = row.words, [_filled(game, row.points)]
    if row.times:
        points = [_counts(game, codes * times)[1] for times in row.times]
    elif not words:
        words, of_rules = _counts(game, codes)
        points = [of_rules]
    return ChartRowShown(dice=list(dice), words=words, points=points, times=list(row.times))


def _counts(game: AnyGame, codes: Faces) -> tuple[str, str]:
    """What dice that are set aside are called, and what they count."""
    try:
        keep = next((one for one in game.keeps(codes) if one.dice == codes), None)
    except HotDiceError:
        keep = None
    return (keep.words, f"{keep.points:,}") if keep else ("does not count", "0")


def _filled(game: AnyGame, text: str) -> str:
    """A text with the values of options in place of ``{name}``; raises ``BadLook``."""
    values = game.options.values()

    def value(found: re.Match[str]) -> str:
        if found[1] not in values:
            raise BadLook(f"There is no option '{found[1]}' to put into '{text}'.")
        shown = values[found[1]]
        return f"{int(shown):,}" if shown.isdigit() else shown

    return _OPTION.sub(value, text)
