"""Drawings are reduced to shapes; whatever could do something is refused with a sentence."""

from __future__ import annotations

import pytest

from hotdice.core.drawings import BadDrawing, Drawing, Shape, read_svg


def svg(inside: str, head: str = 'viewBox="0 0 10 10"') -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{inside}</svg>'


def test_shapes_and_groups_are_read() -> None:
    read = read_svg(svg('<g fill="#fff"><path d="M0 0 L1 1"/></g><circle r="2"/>'))
    path = Shape("path", {"d": "M0 0 L1 1"})
    assert read == Drawing(
        box="0 0 10 10", shapes=(Shape("g", {"fill": "#fff"}, (path,)), Shape("circle", {"r": "2"}))
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (svg("<script>alert(1)</script>"), "cannot have <script>"),
        (svg('<path d="M0 0" onload="alert(1)"/>'), "cannot have onload"),
        (svg('<path d="M0 0" style="fill:url(http://x)"/>'), "cannot have style"),
        (svg('<path fill="url(#a)"/>'), "cannot have fill"),
        (svg('<use href="http://elsewhere/x.svg#a"/>'), "cannot have <use>"),
        (svg('<image href="http://elsewhere/x.png"/>'), "cannot have <image>"),
        (svg("<foreignObject/>"), "cannot have <foreignObject>"),
        (svg('<a href="javascript:alert(1)"><path d="M0 0"/></a>'), "cannot have <a>"),
        (svg('<path d="M0 0"><animate/></path>'), "cannot have <path>"),
        (svg('<path xmlns:x="http://x" x:href="y"/>'), "cannot have {http://x}href"),
        (svg("<g>" * 9 + "</g>" * 9), "at most 8 deep"),
        (svg("<path", ""), "not XML"),
        (svg("", ""), "needs a viewBox"),
        (svg("", 'viewBox="0 0 10"'), "needs a viewBox"),
        ("<html/>", "is an <svg> element"),
        ('<!DOCTYPE svg [<!ENTITY a "b">]>' + svg("<g>&a;</g>"), "no document type"),
        ("<?php ?>" + svg(""), "no document type, entities or instructions"),
        (svg("<g/>" * 6000), "at most 20,000 characters"),
    ],
)
def test_anything_else_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadDrawing, match=reason.replace("{", r"\{")):
        read_svg(text)
