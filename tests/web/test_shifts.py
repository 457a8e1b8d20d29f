"""Nothing is moved by the layout: the browser itself counts such shifts, on all of the page."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from hotdice import game_names, game_type
from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.playing import click_through, settled
from tests.web.tables import created
from tests.web.test_playing import SHORT

pytestmark = pytest.mark.asyncio(loop_scope="session")

_OBSERVE = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      for (const {node, previousRect, currentRect} of entry.sources)
        window.shifts.push([node?.parentElement?.className, previousRect, currentRect]);
  }).observe({type: 'layout-shift'});
}"""
"""Counts shifts even right after a tap: what one may tap next must not move either."""
SHORT_COURSE = "name: Short; segment: Straight = none; segment: Bend = 60; segment: Corner = 40"
"""Few segments, with and without a limit, as each takes as long to watch as a turn elsewhere."""
_SEEN = "() => new Promise((done) => requestAnimationFrame(() => done(window.shifts)))"
SMALL = {"width": 360, "height": 640}


def _table(slug: str, seats: int = 2) -> dict[str, Any]:
    """A short game against bots."""
    bots = [{"name": f"Casimir {at}", "bot": "greedy"} for at in range(1, seats)]
    options = {"course": SHORT_COURSE} if slug == "go500" else SHORT[slug]
    alone = game_type(slug).max_players == 1
    return {"game": slug, "options": options, "seats": [{"name": "Ann"}, *([] if alone else bots)]}


@pytest.mark.parametrize(
    ("slug", "size"),
    [*((slug, PHONE) for slug in game_names()), ("farkle", SMALL), ("rogue", SMALL)],
)
async def test_no_layout_shifts_in_a_game(sit: Opener, slug: str, size: dict[str, int]) -> None:
    async with sit(BLANK, size=size, has_touch=True, speed="fast") as page:
        table = await created(page, **_table(slug))
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.evaluate(_OBSERVE)
        been = await click_through(page)
        assert await page.evaluate(_SEEN) == []
        for place in zip(*been, strict=True):
            assert max(place) - min(place) <= 1, been
        await expect(page.get_by_role("button", name="Play again")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(("slug", "seats"), [*((slug, 2) for slug in game_names()), ("rogue", 8)])
async def test_odds_that_arrive_move_nothing_beside_the_table(
    sit: Opener, slug: str, seats: int
) -> None:
    async with sit(BLANK, size=DESK, speed="fast") as page:
        table = await created(page, **_table(slug, seats), coach=True)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.evaluate(_OBSERVE)
        await click_through(page, measures=False, odds=True)
        assert await page.evaluate(_SEEN) == []
