"""The line of rules in force under the title of a table."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import BLANK, DESK, Opener
from tests.web.playing import settled
from tests.web.tables import created

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL = {"width": 360, "height": 740}
LONG = {"starts": "seat", "entry": "50", "target": "300", "carry_over": "off", "three_ones": "110"}
MEASURE = """() => [...document.querySelectorAll('header, h1, .tray, .actions')].map((part) => {
  const {left, top, width, height} = part.getBoundingClientRect();
  return [left, top, width, height];
})"""


async def under_the_title(page: Page) -> None:
    """The rules are in one line right under the title, and nothing reaches out of the page."""
    title = await box(page, "h1")
    line = await box(page, "header .rules .line")
    button = await box(page, "header .rules")
    assert line["y"] >= title["y"] + title["height"] - 1
    assert abs(line["x"] - title["x"]) <= 1
    assert line["height"] < 24 <= button["height"]
    header = await box(page, "header")
    assert line["y"] + line["height"] <= header["y"] + header["height"]
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def shortened(page: Page) -> bool:
    found: bool = await page.locator("header .rules .line").evaluate(
        "line => line.scrollWidth > line.clientWidth"
    )
    return found


async def box(page: Page, part: str) -> Any:
    return await page.locator(part).bounding_box()


async def test_rules_in_force_are_one_line_that_opens_without_moving_the_table(
    sit: Opener,
) -> None:
    async with sit(BLANK, size=SMALL, has_touch=True) as page:
        table = await created(page, options=LONG)
        await page.goto(f"/t/{table['id']}#{table['seats'][0]['secret']}")
        await settled(page)
        said = "target: 300 · entry: 50 · carry over: off · three ones: 110"
        line = page.get_by_role("button", name="Rules in force")
        whole = page.locator("#rules-in-force")
        await under_the_title(page)
        assert await shortened(page)  # too long
        before = await page.evaluate(MEASURE)
        await expect(whole).to_be_hidden()
        await line.tap()
        await expect(whole).to_be_visible()
        await expect(whole.get_by_text(said)).to_be_in_viewport(ratio=1)
        assert await page.evaluate(MEASURE) == before
        await line.tap()
        await expect(whole).to_be_hidden()

        await page.set_viewport_size({"width": DESK["width"], "height": DESK["height"]})
        await under_the_title(page)
        assert not await shortened(page)  # all is seen
        await line.focus()
        await page.keyboard.press("Enter")
        await expect(whole).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(whole).to_be_hidden()
        await line.click()
        await page.mouse.click(640, 500)
        await expect(whole).to_be_hidden()


async def test_a_table_tells_what_it_is_played_on(sit: Opener) -> None:
    async with sit(BLANK, size=SMALL) as page:
        options = {"course": "pass"}
        table = await created(page, game="go500", options=options, dice="typed")
        await page.goto(f"/t/{table['id']}#{table['seats'][0]['secret']}")
        await settled(page)
        rules = page.get_by_role("button", name="Rules in force: course: pass · weather: good")
        await expect(rules).to_be_visible()
        await under_the_title(page)
