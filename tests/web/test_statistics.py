"""Luck, skill and ratings in the browser, and a player that moves to another device by file."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.web.conftest import BLANK, Opener
from tests.web.tables import created, play_out
from tests.web.test_access import fits, violations
from tests.web.test_report import SOLO, warm_up

pytestmark = pytest.mark.asyncio(loop_scope="session")

NARROW = {"width": 360, "height": 740}


async def test_missing_analyses_are_made_up_for(sit: Opener) -> None:
    async with sit(BLANK, size=NARROW) as page:
        await warm_up(page)
        for _ in range(2):
            await play_out(page, await created(page, **SOLO))
        await page.goto("/statistics")
        missing = page.get_by_role("region", name="Analysis")
        await expect(missing).to_contain_text("2 of your 2 finished games have not been analysed")
        await missing.get_by_role("button", name="Analyse them").focus()
        await page.keyboard.press("Enter")
        game = page.get_by_role("region", name="Peruke One", exact=True)
        await expect(game.get_by_text("Accuracy").first).to_be_visible()
        await expect(game.locator("dl")).to_contain_text(re.compile(r"From [\d,]+ decisions in 2"))
        await expect(game.get_by_role("link", name="Best game")).to_have_attribute(
            "href", re.compile(r"/t/.+/report\?game=1")
        )
        await expect(game.locator("figure")).to_have_count(4)
        await expect(missing).to_have_count(0)
        await game.get_by_text("The last 2 games").click()
        await expect(game.get_by_role("table").last.get_by_role("link")).to_have_count(2)
        assert await fits(page)
        assert await violations(page) == []
        await page.emulate_media(color_scheme="dark")
        assert await violations(page, "color-contrast") == []


async def test_a_player_moves_by_file(sit: Opener, tmp_path: Path) -> None:
    file = tmp_path / "player.json"
    async with sit("/settings") as page:
        await page.get_by_label("Your name").fill("Ann")
        await page.get_by_text("Save yourself to a file, or load one").click()
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Save to a file").click()
        await (await download.value).save_as(file)
        await expect(page.get_by_role("status")).to_contain_text("whoever has it is you")
        key = await page.evaluate("localStorage.getItem('hotdice.player')")
    assert json.loads(file.read_text())["key"] == key
    async with sit("/settings", size=NARROW) as page:
        await page.get_by_text("Save yourself to a file, or load one").click()
        load = page.get_by_label("Load from a file")
        await load.set_input_files({"name": "x", "mimeType": "", "buffer": b'{"hotdice": 1}'})
        await expect(page.get_by_role("alert")).to_contain_text("nothing was changed")
        await load.set_input_files(file)
        asked = page.get_by_role("group", name="Become another player")
        await expect(asked).to_contain_text("Become Ann?")
        assert await fits(page)
        assert await violations(page) == []
        await asked.get_by_role("button", name="Become Ann").click()
        await expect(page.get_by_label("Your name")).to_have_value("Ann")
        assert await page.evaluate("localStorage.getItem('hotdice.player')") == key
