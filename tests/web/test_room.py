"""There is room: for large text, for many seats, and for the last dice beside the result."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from hotdice import game_names, game_type
from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.playing import click_through, settled
from tests.web.tables import created
from tests.web.test_playing import SHORT
from tests.web.test_shifts import SHORT_COURSE, SMALL

pytestmark = pytest.mark.asyncio(loop_scope="session")

_DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
ZOOMED = {"width": 640, "height": 400}
"""A small desk at 200 %."""
_STILL = {"reduced_motion": "reduce"}
_LARGE = "document.documentElement.style.fontSize = '200%'"
_NAMES = ("Maximiliane", "Bartholomew", "Wilhelmina", "Konstantinos", "Anastasia", "Ferdinand")
_LEAST = {"farkle": (90, 80), "cockroach": (80, 60), "rogue": (85, 60), "peruke": (90, 48)}
"""How large dice are at least on a phone and on a small one; in Go 500 up to eight are rolled."""

_MEASURE = """() => {
  const box = (part) => part.getBoundingClientRect();
  const all = (what) => [...document.querySelectorAll(what)];
  const [bar] = all('.actions').map(box);
  const dice = all('.tray .slot .resting').map(box);
  const beside = (one) => one.right <= bar.left || one.left >= bar.right;
  const texts = all('.slots button, .slots span, button.big, .stage, .stage strong, .gauge .value');
  const cut = texts.filter((one) =>
    one.scrollWidth > one.clientWidth + 1 && one.clientWidth ||
    one.scrollHeight > one.clientHeight + 1 && one.clientHeight);
  const parts = all('main section, .felt > .above, .upper, .rail, .below').map(box)
    .filter((one) => one.height);
  const [table] = all('.play');
  return {
    dice: dice.length,
    width: Math.min(...all('.tray .slot').map((slot) => slot.offsetWidth)),
    hidden: dice.filter((one) => one.bottom > (beside(one) ? innerHeight : bar.top) + 1
      || one.top < box(table).top || one.left < 0 || one.right > innerWidth).length,
    buttons: all('.slots button, button.big').filter((one) => box(one).bottom > innerHeight).length,
    cut: cut.map((one) => one.innerText),
    overlaps: parts.filter((one, at) => at && one.top < parts[at - 1].bottom - 1).length,
    beyond: table.scrollHeight - table.clientHeight,
  };
}"""
_APART = """() => {
  const box = (what) => document.querySelector(what).getBoundingClientRect();
  const result = document.querySelector('section[aria-label=Result]');
  const {top, bottom} = result.getBoundingClientRect();
  const under = [...document.querySelectorAll('.tray .resting, ul .disc')]
    .map((one) => one.getBoundingClientRect())
    .filter((one) => one.top < bottom - 1 && one.bottom > top + 1);
  return {
    under: under.length,
    told: box('.told').top < bottom,
    cut: result.scrollHeight > result.clientHeight + 1,
  };
}"""


async def _opened(page: Page, slug: str, seats: int, **wanted: Any) -> None:
    most = min(seats, game_type(slug).max_players)
    names = [{"name": name} for name in (*_NAMES, "Xiaoming", "Ottokar")[:most]]
    table = await created(page, game=slug, seats=names, **{"options": {}, **wanted})
    await page.goto(f"/t/{table['id']}")
    await settled(page)
    await expect(page.locator(".tray .slot").first).to_be_visible()


@pytest.mark.parametrize("slug", game_names())
async def test_large_text_leaves_room_for_dice_and_buttons(sit: Opener, slug: str) -> None:
    """Nothing is cut off and no part covers another, without scrolling."""
    for size in (PHONE, DESK, ZOOMED):
        async with sit(BLANK, size=size, has_touch=size is PHONE, **_STILL) as page:
            await _opened(page, slug, 2)
            if size is not ZOOMED:
                await page.evaluate(_LARGE)
                await page.evaluate(_DRAWN)
            seen = await page.evaluate(_MEASURE)
            assert seen["dice"], (slug, size)
            assert not seen["hidden"], (slug, size, seen)
            assert not seen["buttons"], (slug, size, seen)
            assert seen["cut"] == [], (slug, size)
            assert not seen["overlaps"], (slug, size, seen)


@pytest.mark.parametrize("slug", game_names())
async def test_many_seats_fit_with_dice_and_messages(sit: Opener, slug: str) -> None:
    for size in (PHONE, SMALL, DESK):
        async with sit(BLANK, size=size, has_touch=size is not DESK, **_STILL) as page:
            await _opened(page, slug, 8)
            seen = await page.evaluate(_MEASURE)
            assert seen["beyond"] <= 1, (size, seen)
            assert not seen["hidden"], (size, seen)
            scores = page.get_by_role("region", name="Scores")
            assert await scores.evaluate("one => one.scrollHeight <= one.clientHeight"), size
            await expect(page.locator(".told")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("slug", game_names())
async def test_the_result_covers_neither_dice_nor_discs_nor_the_last_message(
    sit: Opener, slug: str
) -> None:
    options = {"course": SHORT_COURSE} if slug == "go500" else {**SHORT[slug]}
    async with sit(BLANK, size=PHONE, has_touch=True, **_STILL) as page:
        await _opened(page, slug, 2, options=options)
        await click_through(page, measures=False)
        for size in (PHONE, SMALL, DESK):
            await page.set_viewport_size({"width": size["width"], "height": size["height"]})
            await page.evaluate(_DRAWN)
            seen = await page.evaluate(_APART)
            assert seen == {"under": 0, "told": False, "cut": False}, size


@pytest.mark.parametrize("slug", _LEAST)
async def test_dice_on_phones_are_large(sit: Opener, slug: str) -> None:
    for size, least in zip((PHONE, SMALL), _LEAST[slug], strict=True):
        async with sit(BLANK, size=size, has_touch=True, **_STILL) as page:
            await _opened(page, slug, 2)
            seen = await page.evaluate(_MEASURE)
            assert seen["width"] >= least, (size, seen)
