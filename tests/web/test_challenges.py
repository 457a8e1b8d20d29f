"""Challenges in the browser: make one, play it once, and see how everybody did."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from time import time

import httpx
import pytest
from playwright.async_api import Page, expect

from hotdice.table.challenge import daily_id, today
from tests.server.test_challenges import play, started
from tests.web.conftest import Opener
from tests.web.playing import over
from tests.web.tables import play_out
from tests.web.test_access import fits, violations
from tests.web.test_report import warm_up

pytestmark = pytest.mark.asyncio(loop_scope="session")

NARROW = {"width": 360, "height": 740}
BEN = {"X-Player": "the key of ben's device"}


async def check(page: Page) -> None:
    """The page fits, also with large text, and is accessible in both themes."""
    assert await fits(page)
    assert await violations(page) == []
    await page.emulate_media(color_scheme="dark")
    assert await violations(page, "color-contrast") == []
    await page.emulate_media(color_scheme="light")
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert await fits(page)
    await page.evaluate("document.documentElement.style.fontSize = ''")


async def test_a_challenge_is_made_played_once_and_ranked(sit: Opener) -> None:
    async with sit("/", size=NARROW, color_scheme="light") as page:
        await warm_up(page)
        await page.get_by_role("link", name="Today's dice").click()
        await expect(page.get_by_role("link", name="Play Rogue")).to_be_visible()
        await check(page)
        await page.get_by_role("combobox", name="Game", exact=True).select_option("peruke")
        await page.get_by_text("House rules").click()
        await page.get_by_label("Games").fill("1")
        await page.get_by_role("button", name="Make the challenge").press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Peruke One challenge")
        await expect(page.get_by_text("Nobody has played it yet.")).to_be_visible()
        challenge = page.url.rpartition("/")[2]
        name = page.get_by_label("Your name in the ranking")
        await name.fill("Ann")
        connected = asyncio.Event()
        page.on("websocket", lambda it: it.on("framereceived", lambda _: connected.set()))
        await name.press("Enter")
        header = page.get_by_role("link", name="Challenge", exact=True)
        await expect(header).to_be_visible()
        table = page.url.rpartition("/")[2]
        await connected.wait()  # browsers log an error if a page leaves before
        await header.click()
        await expect(page.get_by_role("link", name="Go on playing")).to_be_visible()
        await expect(page.get_by_role("region", name="Ranking")).to_have_count(0)

        held = json.loads(await page.evaluate("localStorage['hotdice.secrets']"))
        await play_out(page, {"id": table, "seats": held[table]})
        await _ben_plays(page, challenge)
        await page.get_by_role("link", name="Go on playing").click()
        await expect(over(page)).to_be_visible()
        await page.get_by_role("link", name="See how others did").click()
        ranking = page.get_by_role("region", name="Ranking")
        rows = ranking.get_by_role("listitem")
        await expect(rows).to_have_count(2)
        await expect(rows.filter(has_text="you")).to_contain_text("Ann")
        await expect(ranking.get_by_text("not analysed yet").first).to_be_visible()
        await ranking.get_by_role("button", name="Work out luck and skill").click()
        await expect(ranking.get_by_text("not analysed yet")).to_have_count(0)
        await expect(rows.filter(has_text="luckier than")).to_have_count(2)
        by_skill = ranking.get_by_role("radio", name="by skill")
        await by_skill.focus()
        await page.keyboard.press("Space")
        await expect(by_skill).to_be_checked()
        await expect(rows.first).to_contain_text("Rank 1")
        await check(page)


async def _ben_plays(page: Page, challenge: str) -> None:
    """Somebody else plays the same dice."""
    home = page.url.partition("/challenge")[0]
    async with httpx.AsyncClient(base_url=home, timeout=60) as http:
        await play(home.removeprefix("http://"), await started(http, challenge, BEN, "Ben"))


async def test_a_link_to_a_closed_daily_challenge_leads_to_todays(sit: Opener) -> None:
    past = daily_id("peruke", today(time()) - timedelta(days=10))
    async with sit(f"/challenge/{past}", size=NARROW, timezone_id="Asia/Kolkata") as page:
        closed = page.get_by_role("region", name="Closed")
        await expect(closed).to_contain_text("This challenge is closed.")
        await expect(page.get_by_text("It closed on")).to_contain_text("5:30 AM GMT+5:30")
        await expect(page.get_by_role("region", name="Ranking")).to_contain_text(
            "There are no results"
        )
        await expect(page.get_by_role("region", name="Share")).to_contain_text("Share the ranking")
        await expect(page.get_by_label("Your name in the ranking")).to_have_count(0)
        await check(page)
        await closed.get_by_role("link", name="Play today's Peruke One").click()
        await expect(page.get_by_label("Your name in the ranking")).to_be_visible()
        await expect(page.get_by_text("It can be started until")).to_contain_text("GMT+5:30")
