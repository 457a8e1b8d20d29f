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
        (svg("<style>path { fill: url(http://x) }</style>"), "cannot have <style>"),
        (svg('<path d="M0 0" style="fill:red"/>'), "cannot have style"),
        (svg('<path d="M0 0" onclick="alert(1)"/>'), "cannot have onclick"),
        (svg('<g onmouseover="alert(1)"><path d="M0 0"/></g>'), "cannot have onmouseover"),
        (svg('<circle r="1" stroke="url(http://x#a)"/>'), "cannot have stroke"),
        (svg('<circle r="1" fill="URL(#a)"/>'), "cannot have fill"),
        (svg('<circle r="1" filter="url(#a)"/>'), "cannot have filter"),
        (svg('<circle r="1" clip-path="url(#a)"/>'), "cannot have clip-path"),
        (svg('<circle r="1" mask="url(#a)"/>'), "cannot have mask"),
        (svg('<circle r="1" class="dialog"/>'), "cannot have class"),
        (svg('<circle r="1" id="root"/>'), "cannot have id"),
        (svg('<circle r="expression(alert(1))"/>'), "cannot have r="),
        (svg('<path d="M0 0" transform="url(#a)"/>'), "cannot have transform"),
        (svg('<path d="M0 0" xml:base="http://x"/>'), "cannot have {http://www.w3.org/XML"),
        (svg('<set attributeName="href" to="javascript:alert(1)"/>'), "cannot have <set>"),
        (svg('<animate attributeName="d" values="a"/>'), "cannot have <animate>"),
        (svg("<svg><script/></svg>"), "cannot have <svg>"),
        (svg("<text>words</text>"), "cannot have <text>"),
        (svg("<defs><g/></defs>"), "cannot have <defs>"),
        (svg('<x:path xmlns:x="http://www.w3.org/1999/xhtml" d="M0 0"/>'), "cannot have <{http"),
        (svg("", 'viewBox="0 0 1 1" onload="alert(1)"'), "cannot have onload on <svg>"),
        (svg("", 'viewBox="0 0 1 1" style="background:url(x)"'), "cannot have style on <svg>"),
        (svg("", 'viewBox="0 0 url(x) 1"'), "needs a viewBox"),
        ('<?xml-stylesheet href="http://x/a.css"?>' + svg(""), "document type, entities or instr"),
        (svg("<![CDATA[<script>]]>"), "no document type"),
        (svg("&other;"), "not XML"),
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
