"""Every part of a table looks as approved: in every look, on light and dark pages."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser

from tests.web.designing import (
    APPROVED,
    SIZES,
    THEMES,
    differences,
    reduced,
    serving_design,
    showing,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHANGES = {
    "Farkle: faces": ".pip { fill: none !important }",
    "Farkle: gauge, hot": ".heat { stroke: none !important }",
    "Peruke One: discs": ".turned-2 .disc { background: #fff !important }",
    "Go 500: course": ".road { stroke: #fff !important }",
    "Rogue: surface war": "[data-mood] .ground { background: #777 !important }",
}
"""Parts, and how they are changed by mistake."""


async def test_parts_look_as_approved_and_changes_are_noticed(browser: Browser) -> None:
    approved = json.loads(APPROVED.read_text("utf-8"))
    async with serving_design() as address:
        for size in reversed(SIZES):
            for theme in reversed(THEMES):
                async with showing(browser, address, size, theme) as page:
                    seen = await reduced(page)
                    assert not await page.evaluate(_IS_WIDE), f"{size} {theme} scrolls sideways"
                    assert differences(approved[f"{size} {theme}"], seen) == [], f"{size} {theme}"
                    if (size, theme) == ("desk", "light"):
                        assert await page.evaluate(_RAIN) == {"rain": True, "": False}
                        assert await page.evaluate(_COVERED) == []
                        await page.add_style_tag(content="".join(CHANGES.values()))
                        found = differences(approved["desk light"], await reduced(page))
    for part in CHANGES:
        assert any(one.startswith(f"{part} is off") for one in found), found
    assert "Farkle: help is missing" in differences(approved["desk light"], {})


_IS_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
_RAIN = """() => {
  const falls = {};
  for (const surface of document.querySelectorAll('[data-mood=rain], [data-mood=""]')) {
    const {content, backgroundImage} = getComputedStyle(surface, '::before');
    const seen = content !== 'none' && backgroundImage.includes('gradient');
    falls[surface.dataset.mood] ??= seen;
    if (falls[surface.dataset.mood] !== seen) falls.mixed = surface.className;
  }
  return falls;
}"""
"""Whether rain is drawn over tables by their mood; pictures with few colours do not show it."""
_COVERED = """() => {
  document.documentElement.dataset.clearDice = 'true';
  const covered = [];
  let letters = 0;
  for (const die of document.querySelectorAll('.die:has(.letter)')) {
    const letter = die.querySelector('.letter').getBBox();
    if (letter.width) letters += 1;
    for (const mark of die.querySelectorAll('.pip, .flag, .figure, .word')) {
      const {x, y, width, height} = mark.getBBox();
      const apart = x >= letter.x + letter.width || y >= letter.y + letter.height ||
        x + width <= letter.x || y + height <= letter.y;
      if (!apart) covered.push(`${die.className} ${mark.getAttribute('class')}`);
    }
  }
  document.documentElement.dataset.clearDice = 'false';
  return letters ? covered : ['no letters'];
}"""
"""What letters of clear dice lie on."""
