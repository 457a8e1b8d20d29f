"""Every part of a table looks as approved: in every look, on light and dark pages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

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
    "Farkle: gauge, red": "* { background: none !important }",
    "Peruke One: discs": ".turned-2 .disc { background: #fff !important }",
    "Go 500: course": ".road { stroke: #fff !important }",
    "Rogue: surface war": ".ground { background: #777 !important }",
    "Cockroach: sets on the rail, and dead dice": ".rail { visibility: hidden !important }",
    "actions: dice selected": ".slots button.primary { background: none !important }",
    "coach: bars": ".listed-button { visibility: hidden }",
    "share: others are in": "svg[role=img] { opacity: 0 !important }",
}
"""Parts, and how they are changed by mistake; of all others, everything is missing."""
ELSEWHERE = {
    "Analysed": "a page: the report",
    "Board": "Scores and Middle, by themselves on the page",
    "ChallengeCard": "a page: challenges",
    "Example": "a page: rules",
    "FaceChart": "a page: how even the dice are",
    "GameDice": "a page: how even the dice are",
    "GuessBust": "a page: learning",
    "Header": "pages other than a table",
    "HouseRules": "a page: setting up a table",
    "Loading": "pages other than a table",
    "Missing": "a page: statistics",
    "NewVersion": "the start page",
    "OwnMistakes": "a page: learning",
    "PlayerFile": "a page: settings",
    "Practice": "a page: learning",
    "Ranking": "a page: statistics",
    "RatingPlot": "a page: statistics",
    "Ratings": "a page: statistics",
    "ReportCurve": "a page: the report",
    "ReportView": "a page: the report",
    "RulesText": "a page: rules",
    "SeatCard": "a page: the report",
    "Solve": "a page: learning",
    "Standings": "a page: challenges",
    "TableList": "the start page",
    "Unreachable": "one sentence, in Offline",
}
"""Components that draw no part of a table, and where they are."""
WEB = Path(__file__).parents[2] / "web" / "src"


async def test_parts_look_as_approved_and_changes_are_noticed(browser: Browser) -> None:
    approved = json.loads(APPROVED.read_text("utf-8"))
    async with serving_design() as address:
        for size in reversed(SIZES):
            async with showing(browser, address, size) as page:
                assert not await page.evaluate(_IS_WIDE), f"{size} scrolls sideways"
                for theme in reversed(THEMES):
                    seen = await reduced(page, theme)
                    assert differences(approved[f"{size} {theme}"], seen) == [], f"{size} {theme}"
                if size == "desk":
                    assert await page.evaluate(_RAIN) == {"rain": True, "": False}
                    assert await page.evaluate(_COVERED) == []
                    drawn = set(await page.evaluate(_DRAWN))
                    await page.add_style_tag(content=_changed(seen.keys()))
                    found = differences(seen, await reduced(page, theme))
    noticed = {one.rsplit(" is off by ", 1)[0] for one in found}
    assert seen.keys() - noticed == set()
    assert "Farkle: help is missing" in differences(approved["desk light"], {})
    parts = {path.stem for path in (WEB / "parts").glob("*.svelte")}
    assert ELSEWHERE.keys() <= parts
    assert parts - drawn - _placed() == ELSEWHERE.keys()


def _changed(parts: Iterable[str]) -> str:
    """Styles with which every part looks different: as in CHANGES, or all of it is missing."""
    missing = dict.fromkeys(parts, "> * { visibility: hidden }")
    changes = {**missing, **CHANGES}
    return "".join(f'[data-specimen="{part}"] {change}' for part, change in changes.items())


def _placed() -> set[str]:
    """Parts without styles, which cannot be seen on the page, that it imports."""
    pages = "".join(path.read_text("utf-8") for path in (WEB / "design").glob("*.svelte"))
    return set(re.findall(r'from "../parts/(\w+)\.svelte"', pages))


_DRAWN = """() => [...document.querySelectorAll('[class*="part-"]')]
  .flatMap((one) => [...one.classList])
  .filter((one) => one.startsWith('part-'))
  .map((one) => one.slice('part-'.length))
"""
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
