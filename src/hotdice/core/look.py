"""How a game looks, as data: ``look/look.toml`` beside its code, and SVG drawings next to it.

The client draws every game the same way; a look only says in which colours, on which surface and
with which pictures. A game without a look, or with one that cannot be used, gets ``PLAIN``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from hotdice.core.drawings import Drawing, read_svg
from hotdice.core.errors import HotDiceError

SURFACES = ("felt", "baize", "map", "tiles", "lacquer", "asphalt")
"""What a table can be made of; the client draws them."""
TRACKS = ("bar", "groove", "pegs", "ladder")
"""How scores are marked on the way to a goal; the client draws them."""
SOUNDS = (
    "wood",
    "stone",
    "cup",
    "chime",
    "coin",
    "thud",
    "spark",
    "scuttle",
    "drum",
    "engine",
    "flag",
)
"""The sounds that events can have; the client synthesises them."""
EVENTS = ("roll", "keep", "bank", "bust", "hot", "win")
"""What has a sound."""
PALETTE = {
    "ground": ("#f2eee2", "#0e1b17"),
    "surface": ("#2a6b54", "#17493b"),
    "edge": ("#1b4d3d", "#0c2a22"),
    "ink": ("#f7f4ea", "#f4f1e6"),
    "panel": ("#fffdf6", "#182722"),
    "raised": ("#efe9da", "#21352e"),
    "line": ("#b9b19b", "#3b5a50"),
    "text": ("#17211d", "#f4f1e6"),
    "muted": ("#47544d", "#b9c8bf"),
    "accent": ("#0d5f46", "#f4c752"),
    "on_accent": ("#ffffff", "#221a04"),
    "danger": ("#98200f", "#ffac9b"),
    "good": ("#0d5f3a", "#8fe0b0"),
    "chosen": ("#f4c752", "#f4c752"),
    "on_chosen": ("#221a04", "#221a04"),
    "body": ("#fbf7ec", "#f4eedd"),
    "shade": ("#d9ceb0", "#c9bd9c"),
    "pip": ("#1a1f1c", "#1a1f1c"),
}
"""The colours of a plain look by role: for light and for dark pages."""
READ_ON = {
    "ink": ("surface", "edge"),
    "text": ("ground", "panel", "raised"),
    "muted": ("ground", "panel"),
    "on_accent": ("accent",),
    "on_chosen": ("chosen",),
    "danger": ("panel",),
    "good": ("panel",),
    "pip": ("body", "shade"),
}
"""Which colours are read on which: their contrast has to be at least 4.5 to 1 (WCAG AA)."""
CONTRAST = 4.5
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_ICON = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME = re.compile(r"[a-z0-9-]{1,40}")
_LARGEST = 100_000
"""Bytes of a file of a look."""
_LONGEST_TEXT = 300
_LONGEST_LIST = 60
_MOST_TIMES = 100
_DESCRIBED = "look.toml"
_KEYS = {
    *("surface", "light", "dark", "faces", "meters", "emblem", "sample", "help"),
    *("chart", "glossary", "sounds", "track"),
}


class BadLook(HotDiceError):
    """A look that cannot be used."""


@dataclass(frozen=True, slots=True)
class Help:
    """A game in three lines: the goal, what to do in a turn, and what can go wrong."""

    goal: str
    turn: str
    danger: str


@dataclass(frozen=True, slots=True)
class ChartRow:
    """A line of the score chart: dice by their tokens, what they are called, what they count.

    Without words and points the rules say them. With ``times`` the line is about one die, and says
    what so many of it count.
    """

    dice: tuple[str, ...]
    words: str = ""
    points: str = ""
    times: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the game and its meaning."""

    word: str
    meaning: str


@dataclass(frozen=True, slots=True)
class TrackLook:
    """The track on which scores are marked: its kind, and how many points one step of it is."""

    kind: str = "bar"
    step: int = 1


@dataclass(frozen=True, slots=True)
class Look:
    """How a game looks.

    Attributes:
        surface: what its table is made of.
        light: its colours on light pages, by role.
        dark: its colours on dark pages.
        faces: drawings of faces, by token; equal dice show one after the other.
        meters: drawings of what is counted, by the label of a meter.
        track: what scores are marked on.
        emblem: the drawing for the start page; ``None`` for a strip of dice.
        sample: the tokens of a roll for the start page.
        help: the game in three lines; ``None`` if there are none.
        chart: its score chart.
        glossary: its words.
        sounds: the sound of each event.
    """

    surface: str = "felt"
    light: Mapping[str, str] = field(default_factory=lambda: _plain(0))
    dark: Mapping[str, str] = field(default_factory=lambda: _plain(1))
    faces: Mapping[str, tuple[Drawing, ...]] = field(default_factory=dict)
    meters: Mapping[str, Drawing] = field(default_factory=dict)
    track: TrackLook = TrackLook()
    emblem: Drawing | None = None
    sample: tuple[str, ...] = ()
    help: Help | None = None
    chart: tuple[ChartRow, ...] = ()
    glossary: tuple[Term, ...] = ()
    sounds: Mapping[str, str] = field(default_factory=dict)


def _plain(at: int) -> dict[str, str]:
    return {role: colours[at] for role, colours in PALETTE.items()}


PLAIN = Look()
"""The look of a game that has none."""


def find_look(package: str) -> Look:
    """The look of the game in a package; ``PLAIN`` if it has none; raises ``BadLook``."""
    folder = files(package).joinpath("look")
    try:
        if not folder.is_dir() or all(one.name != _DESCRIBED for one in folder.iterdir()):
            return PLAIN
        text = _text_of(folder.joinpath(_DESCRIBED))
    except OSError as error:
        raise BadLook(f"The folder look cannot be read: {error.strerror or error}.") from error
    return read_look(text, lambda name: _text_of(folder.joinpath(f"{name}.svg")))


def _text_of(file: Traversable) -> str:
    """The text of a file of a look; raises ``BadLook``."""
    if not file.is_file():  # above all, not a pipe, whose end would never come
        raise BadLook(f"There is no file {file.name}.")
    try:
        with file.open("rb") as opened:
            read = opened.read(_LARGEST + 1)
        if len(read) > _LARGEST:
            raise BadLook(f"The file {file.name} is larger than {_LARGEST:,} bytes.")
        return read.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLook(f"The file {file.name} is not text in UTF-8.") from error
    except OSError as error:
        why = error.strerror or error
        raise BadLook(f"The file {file.name} cannot be read: {why}.") from error


def read_look(text: str, drawing: Callable[[str], str]) -> Look:
    """The look that a text describes.

    Args:
        text: the TOML.
        drawing: reads the SVG with a name; raises ``BadLook``.

    Raises:
        BadLook: the text is not a look.
    """
    try:
        found = tomllib.loads(text)
    except RecursionError as error:
        raise BadLook("The look is nested too deep.") from error
    except ValueError as error:  # besides broken TOML, numbers that are too long
        raise BadLook(f"The look is not TOML: {error}.") from error
    if unknown := sorted(found.keys() - _KEYS):
        raise BadLook(f"A look has no '{unknown[0]}'; it has {', '.join(sorted(_KEYS))}.")
    return _Reader(drawing).look(found)


class _Reader:
    """Checks the parts of a look."""

    def __init__(self, drawing: Callable[[str], str]) -> None:
        self._drawing = drawing

    def look(self, found: dict[str, Any]) -> Look:
        """The look."""
        return Look(
            surface=_one_of(found.get("surface", "felt"), SURFACES, "surface"),
            light=_palette(found.get("light", {}), 0),
            dark=_palette(found.get("dark", {}), 1),
            faces=self._faces(found.get("faces", {})),
            meters=self._pictures(found.get("meters", {}), "meters"),
            track=_track(found["track"]) if "track" in found else TrackLook(),
            emblem=self._picture(found["emblem"], "emblem") if "emblem" in found else None,
            sample=_words(found.get("sample", []), "sample"),
            help=_help(found["help"]) if "help" in found else None,
            chart=tuple(_row(one) for one in _tables(found.get("chart", []), "chart")),
            glossary=tuple(_term(one) for one in _tables(found.get("glossary", []), "glossary")),
            sounds={
                _one_of(event, EVENTS, "event"): _one_of(sound, SOUNDS, "sound")
                for event, sound in _table(found.get("sounds", {}), "sounds").items()
            },
        )

    def _faces(self, found: object) -> dict[str, tuple[Drawing, ...]]:
        return {
            token: tuple(self._picture(one, "faces") for one in _some(drawn))
            for token, drawn in _table(found, "faces").items()
        }

    def _pictures(self, found: object, what: str) -> dict[str, Drawing]:
        return {key: self._picture(one, what) for key, one in _table(found, what).items()}

    def _picture(self, found: object, what: str) -> Drawing:
        match found:
            case {"icon": str(icon), **rest} if not rest and _ICON.fullmatch(icon):
                return Drawing(icon=icon)
            case {"drawing": str(name), **rest} if not rest and _NAME.fullmatch(name):
                try:
                    return read_svg(self._drawing(name))
                except HotDiceError as error:
                    where = f"The drawing {name}.svg of {what}"
                    raise BadLook(f"{where} cannot be used. {error}") from error
        raise BadLook(f'In {what} write {{ icon = "name" }} or {{ drawing = "name" }}.')


def _palette(found: object, at: int) -> dict[str, str]:
    colours = _plain(at)
    for role, colour in _table(found, "colours").items():
        if role not in PALETTE:
            raise BadLook(f"There is no colour '{role}'; there are {', '.join(PALETTE)}.")
        if not isinstance(colour, str) or not _COLOUR.fullmatch(colour):
            raise BadLook(f"The colour {role} has to be written like #1b4d3d.")
        colours[role] = colour
    return colours


def _track(found: object) -> TrackLook:
    match found:
        case {"kind": kind, "step": int(step), **rest} if step > 0 and not rest:
            return TrackLook(_one_of(kind, TRACKS, "track"), step)
    raise BadLook("The track of a look has a kind and a step of 1 or more points.")


def _help(found: object) -> Help:
    lines = _table(found, "help")
    if lines.keys() != {"goal", "turn", "danger"}:
        raise BadLook("The help of a look has a goal, a turn and a danger.")
    return Help(*(_text(lines[key], "help") for key in ("goal", "turn", "danger")))


def _row(found: dict[str, Any]) -> ChartRow:
    if found.keys() not in ({"dice"}, {"dice", "words", "points"}, {"dice", "times"}):
        raise BadLook("A row of the chart has dice, and perhaps words and points, or times.")
    dice = _words(found["dice"], "chart")
    if "times" in found:
        return ChartRow(dice, times=_times(found["times"], dice))
    if "words" in found:
        return ChartRow(dice, _text(found["words"], "chart"), _text(found["points"], "chart"))
    return ChartRow(dice)


def _times(found: object, dice: tuple[str, ...]) -> tuple[int, ...]:
    if isinstance(found, list) and found and len(dice) == 1:
        times = tuple(one for one in found if isinstance(one, int) and 0 < one < _MOST_TIMES)
        if len(times) == len(found):
            return times
    raise BadLook("The times of a row of the chart are numbers from 1 to 99, for a single die.")


def _term(found: dict[str, Any]) -> Term:
    if found.keys() != {"word", "meaning"}:
        raise BadLook("A term of the glossary has a word and a meaning.")
    return Term(_text(found["word"], "glossary"), _text(found["meaning"], "glossary"))


def _table(found: object, what: str) -> dict[str, Any]:
    if not isinstance(found, dict) or len(found) > _LONGEST_LIST:
        raise BadLook(f"The {what} of a look are a table of at most {_LONGEST_LIST} values.")
    return found


def _tables(found: object, what: str) -> list[dict[str, Any]]:
    if not isinstance(found, list) or len(found) > _LONGEST_LIST:
        raise BadLook(f"The {what} of a look is a list of at most {_LONGEST_LIST} tables.")
    return [_table(one, what) for one in found]


def _some(found: object) -> list[object]:
    """One drawing, or several for one face."""
    if not isinstance(found, list):
        return [found]
    if not 0 < len(found) <= _LONGEST_LIST:
        raise BadLook(f"A face of a look has 1 to {_LONGEST_LIST} drawings.")
    return found


def _words(found: object, what: str) -> tuple[str, ...]:
    if not isinstance(found, list) or len(found) > _LONGEST_LIST:
        raise BadLook(f"The {what} of a look is a list of at most {_LONGEST_LIST} words.")
    return tuple(_text(one, what) for one in found)


def _text(found: object, what: str) -> str:
    if not isinstance(found, str) or not 0 < len(found) <= _LONGEST_TEXT:
        raise BadLook(f"A text in {what} has 1 to {_LONGEST_TEXT} characters.")
    return found


def _one_of(found: object, among: tuple[str, ...], what: str) -> str:
    if found not in among:
        raise BadLook(f"There is no {what} '{found}'; there are {', '.join(among)}.")
    return str(found)


def icons_of(look: Look) -> set[str]:
    """The names of all icons in a look."""
    drawn = [one for drawings in look.faces.values() for one in drawings]
    drawn += [*look.meters.values(), *([look.emblem] if look.emblem else [])]
    return {drawing.icon for drawing in drawn if drawing.icon}


def poor_contrasts(look: Look) -> list[str]:
    """The colours of a look that cannot be read on each other, one sentence each."""
    found = []
    for page, palette in (("light", look.light), ("dark", look.dark)):
        for ink, grounds in READ_ON.items():
            for ground in grounds:
                ratio = _contrast(palette[ink], palette[ground])
                if ratio < CONTRAST:
                    found.append(
                        f"On {page} pages {ink} on {ground} has a contrast of {ratio:.1f}."
                    )
    return found


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, as WCAG defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
