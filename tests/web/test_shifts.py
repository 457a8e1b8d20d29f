"""Nothing that lies on a table is moved by the layout: the browser itself counts such shifts."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import expect

from hotdice import game_names, game_type
from tests.web.conftest import BLANK, PHONE, Opener
from tests.web.playing import click_through, settled
from tests.web.tables import created
from tests.web.test_playing import SHORT

pytestmark = pytest.mark.asyncio(loop_scope="session")

_OBSERVE = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      for (const {node, previousRect, currentRect} of entry.sources)
        if (node?.parentElement?.closest('.play'))
          window.shifts.push([node.parentElement.className, previousRect, currentRect]);
  }).observe({type: 'layout-shift'});
}"""
_COURSE = "name: Short; segment: Straight = none; segment: Bend = 60; segment: Corner = 40"
"""Few segments, with and without a limit, as each takes as long to watch as a turn elsewhere."""
_SEEN = "() => new Promise((done) => requestAnimationFrame(() => done(window.shifts)))"


@pytest.mark.parametrize("slug", game_names())
async def test_no_layout_shifts_in_a_game(sit: Opener, slug: str) -> None:
    bot = [] if game_type(slug).max_players == 1 else [{"name": "Casimir", "bot": "greedy"}]
    options = {"course": _COURSE} if slug == "go500" else SHORT[slug]
    wanted: dict[str, Any] = {"game": slug, "options": options}
    async with sit(BLANK, size=PHONE, has_touch=True, speed="fast") as page:
        table = await created(page, seats=[{"name": "Ann"}, *bot], **wanted)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.evaluate(_OBSERVE)
        been = await click_through(page)
        assert await page.evaluate(_SEEN) == []
        for place in zip(*been, strict=True):
            assert max(place) - min(place) <= 1, been
        await expect(page.get_by_role("button", name="Play again")).to_be_in_viewport(ratio=1)
