"""Whether the dice are fair, in the browser."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.web.conftest import BLANK, Opener
from tests.web.playing import over
from tests.web.tables import created, play_out
from tests.web.test_access import fits, violations

pytestmark = pytest.mark.asyncio(loop_scope="session")

NARROW = {"width": 360, "height": 740}


async def test_the_dice_of_a_table_and_of_a_player(sit: Opener) -> None:
    async with sit("/dice", size=NARROW) as page:
        await expect(page.get_by_text("No dice have been rolled at your tables")).to_be_visible()
        await page.goto(BLANK)
        table = await created(page)
        await play_out(page, table)
        await page.goto(f"/t/{table['id']}")
        await expect(over(page)).to_be_visible()
        await page.get_by_role("button", name="More").click()
        await page.get_by_role("link", name="Are the dice fair?").click()
        game = page.get_by_role("region", name="Farkle, virtual dice")
        rolled = game.get_by_role("row", name=re.compile("^Rolled")).get_by_role("cell")
        await expect(rolled.locator("strong")).to_have_count(6)
        counts = [int(text) for text in await rolled.locator("strong").all_inner_texts()]
        assert sum(counts) > 0
        await expect(game.locator(".told").first).to_contain_text(f"{sum(counts)} dice")
        await game.get_by_text("By player").focus()
        await page.keyboard.press("Enter")
        await expect(game.get_by_text("Ann", exact=True)).to_be_visible()
        assert await fits(page)
        assert await violations(page) == []
        await page.emulate_media(color_scheme="dark")
        assert await violations(page, "color-contrast") == []
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        await expect(game.get_by_role("region", name="Farkle, virtual dice")).to_be_visible()
        assert await fits(page)  # the chart scrolls instead, also by keyboard
        assert await violations(page, "scrollable-region-focusable") == []
        await page.goto("/statistics")
        await page.get_by_role("link", name="Are the dice fair?").click()
        await expect(page.get_by_role("region", name="Virtual dice", exact=True)).to_be_visible()
        assert await fits(page)
