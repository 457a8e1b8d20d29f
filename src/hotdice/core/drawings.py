"""Drawings of a look: small SVG files, reduced to shapes that cannot do anything.

A drawing may come from an outside package, so it is not passed on as text. Elements and attributes
that are not listed here, and values that could refer to something else, are refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from hotdice.core.errors import HotDiceError

_LONGEST = 20_000
_DEEPEST = 8
_NAMESPACE = "{http://www.w3.org/2000/svg}"
_SHAPES = ("circle", "ellipse", "g", "line", "path", "polygon", "polyline", "rect")
_NUMBERS = re.compile(r"[-+.,\d\sEe%]{1,2000}")
_PATH = re.compile(r"[-+.,\d\sA-Za-z]{1,8000}")
_COLOUR = re.compile(r"none|currentColor|#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}")
_WORD = re.compile(r"[a-z-]{1,20}")
_TRANSFORM = re.compile(r"((translate|rotate|scale|skewX|skewY)\([-+.,\d\s]{1,80}\)\s*){1,8}")
_VALUES = {
    **dict.fromkeys(("cx", "cy", "r", "rx", "ry", "x", "y", "width", "height"), _NUMBERS),
    **dict.fromkeys(("x1", "x2", "y1", "y2", "points"), _NUMBERS),
    **dict.fromkeys(("opacity", "fill-opacity", "stroke-opacity"), _NUMBERS),
    **dict.fromkeys(("stroke-width", "stroke-dasharray", "stroke-dashoffset"), _NUMBERS),
    **dict.fromkeys(("stroke-linecap", "stroke-linejoin", "fill-rule"), _WORD),
    **dict.fromkeys(("fill", "stroke"), _COLOUR),
    "d": _PATH,
    "transform": _TRANSFORM,
}
"""The attributes that a shape may have, and what their values look like."""
_OF_THE_WHOLE = ("viewBox", "width", "height", "version")
"""The attributes that <svg> may have; all but the first are left out."""


class BadDrawing(HotDiceError):
    """An SVG that is broken or has something in it that a drawing must not have."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An SVG element: its name, its attributes, and the shapes inside a group."""

    name: str
    attributes: dict[str, str]
    parts: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture: shapes of our own, or an icon by its name in the sprite of the client.

    Attributes:
        icon: the name of the icon; empty if the picture has shapes.
        box: the view box of the shapes.
        shapes: the shapes.
    """

    icon: str = ""
    box: str = ""
    shapes: tuple[Shape, ...] = ()


def read_svg(text: str) -> Drawing:
    """The drawing in an SVG file; raises ``BadDrawing``."""
    if len(text) > _LONGEST:
        raise BadDrawing(f"A drawing has at most {_LONGEST:,} characters.")
    if "<!" in text.replace("<!--", "") or "<?" in text.removeprefix("<?xml "):
        raise BadDrawing("A drawing has no document type, entities or instructions.")
    try:
        root = ET.fromstring(text)  # noqa: S314 - entities are refused above
    except ET.ParseError as error:
        raise BadDrawing(f"This is not XML: {error}.") from error
    if _name(root) != "svg":
        raise BadDrawing("A drawing is an <svg> element.")
    box = root.get("viewBox", "")
    if len(box.split()) != 4 or not _NUMBERS.fullmatch(box):
        raise BadDrawing('A drawing needs a viewBox, for instance "0 0 100 100".')
    if more := next((key for key in root.attrib if key not in _OF_THE_WHOLE), None):
        raise BadDrawing(f"A drawing cannot have {more} on <svg>; write it on a group inside.")
    return Drawing(box=box, shapes=tuple(_shape(one, 1) for one in root))


def _shape(element: ET.Element, depth: int) -> Shape:
    name = _name(element)
    if name not in _SHAPES or (len(element) and name != "g"):
        raise BadDrawing(f"A drawing cannot have <{name}>; use {', '.join(_SHAPES)}.")
    if depth > _DEEPEST:
        raise BadDrawing(f"Groups in a drawing are nested at most {_DEEPEST} deep.")
    for key, value in element.attrib.items():
        allowed = _VALUES.get(key)
        if allowed is None or not allowed.fullmatch(value.strip()):
            raise BadDrawing(f"A drawing cannot have {key}={value[:40]!r} on <{name}>.")
    parts = tuple(_shape(one, depth + 1) for one in element)
    return Shape(name, {key: value.strip() for key, value in element.attrib.items()}, parts)


def _name(element: ET.Element) -> str:
    return str(element.tag).removeprefix(_NAMESPACE)
