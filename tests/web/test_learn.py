"""Learning in the browser: by keys, on a small phone, and one's own mistakes after a game."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.tables import created, play_out
from tests.web.test_access import fits, violations
from tests.web.test_report import SOLO
from tests.web.test_report import warm_up as analyse_first

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL = {"width": 360, "height": 740}


async def warm_up(page: Page) -> None:
    """Find a position, however long the first one takes, so that others are quick."""
    await page.request.get("/api/learn/peruke/next", timeout=0)


async def checked(page: Page) -> None:
    """Check that the page fits and can be read, in the light and in the dark."""
    assert await fits(page)
    assert await violations(page) == []
    await page.emulate_media(color_scheme="dark")
    assert await violations(page, "color-contrast") == []
    await page.emulate_media(color_scheme="light")


async def test_positions_are_solved_by_keys_and_come_one_after_another(sit: Opener) -> None:
    async with sit(BLANK, size=SMALL) as page:
        await warm_up(page)
        await page.goto("/")
        await page.get_by_role("link", name="Today's position").click()
        await page.get_by_role("link", name="Practise Peruke One").click()
        task = page.get_by_role("heading", name="Find the choice that makes the most points")
        await expect(task).to_be_visible()
        buttons = page.get_by_role("group", name="What you can do").get_by_role("button")
        await expect(buttons.first).to_be_in_viewport()
        await page.get_by_text(re.compile(r"All \d+ choices")).click()
        await page.locator("details .listed-button").last.click()
        await page.keyboard.press("Enter")
        verdict = page.locator(".verdict")
        await expect(verdict).to_contain_text(re.compile("Right|something better"))
        await expect(page.get_by_text("chosen", exact=True)).to_be_visible()
        await checked(page)
        await page.keyboard.press("n")
        await expect(verdict).to_have_count(0)
        await expect(buttons.first).to_be_visible()
        await page.get_by_role("button", name="Bust chance").click()
        slider = page.get_by_role("slider")
        await slider.focus()
        await page.keyboard.press("ArrowRight")
        await expect(page.get_by_text("51 %")).to_be_visible()
        await page.keyboard.press("Enter")
        await expect(page.get_by_text("of 100 points")).to_be_visible()
        await expect(page.get_by_role("region", name="Your guesses so far")).to_contain_text(
            "1 guess"
        )
        await checked(page)


@pytest.mark.parametrize("size", [DESK, PHONE])
async def test_discs_fit_on_their_board(sit: Opener, size: dict[str, int]) -> None:
    async with sit(BLANK, size=size) as page:
        await warm_up(page)
        await page.goto("/learn/peruke?position=points-17")
        discs = page.get_by_role("list", name="Discs").get_by_role("listitem")
        await expect(discs.filter(has_text="vulnerable")).not_to_have_count(0)
        assert (
            await discs.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth)")
            == []
        )


@pytest.mark.parametrize(("game", "ways"), [("rogue", 2), ("peruke", 3)])
async def test_bust_chances_are_asked_only_where_there_are_busts(
    sit: Opener, game: str, ways: int
) -> None:
    refusal = {"error": "Not now.", "kind": "Refused"}
    async with sit(BLANK, expected=("422",)) as page:
        for path in ("today", "roll"):  # without waiting until a position is found
            await page.route(
                f"**/api/learn/{game}/{path}",
                lambda route: route.fulfill(status=422, json=refusal),
            )
        await page.goto(f"/learn/{game}?do=chances")
        await expect(page.get_by_role("alert")).to_have_text("Not now.")
        buttons = page.get_by_role("navigation", name="Ways to learn").get_by_role("button")
        await expect(buttons).to_have_count(ways)
        pressed = "Today" if ways == 2 else "Bust chance"
        await expect(buttons.filter(has_text=pressed)).to_have_attribute("aria-pressed", "true")


async def test_own_mistakes_are_listed_after_a_game(sit: Opener) -> None:
    async with sit("/learn/mistakes") as page:
        await expect(page.get_by_text("There are no finished games of yours yet.")).to_be_visible()
        await analyse_first(page)
        table = await created(page, **SOLO)
        await play_out(page, table)
        await page.goto(f"/learn/mistakes?table={table['id']}")
        listed = page.get_by_role("region", name="Your mistakes")
        await expect(listed).to_contain_text("in 1 analysed game")
        await listed.get_by_label("Show").select_option("slip")
        await expect(listed).to_contain_text("All of them are listed.")
        await page.get_by_role("button", name="Start with the first").click()
        await expect(page.get_by_role("group", name="What you can do")).to_be_visible()
        await page.get_by_text(re.compile(r"All \d+ choices")).click()
        await page.locator("details .listed-button").first.click()
        await page.locator(".slots button.primary").click()
        await expect(page.locator(".verdict")).to_contain_text("In the game you chose:")
        await checked(page)


async def test_people_at_one_device_find_their_own_mistakes(sit: Opener) -> None:
    async with sit(BLANK, size=SMALL) as page:
        await analyse_first(page)
        for name in ("Ann", "Ben"):
            await play_out(page, await created(page, **SOLO | {"seats": [{"name": name}]}))
        await page.evaluate("localStorage['hotdice.name'] = 'Ben'")
        await page.goto("/learn/mistakes")
        listed = page.get_by_role("region", name="Your mistakes")
        await expect(listed).to_contain_text("by Ben in 1 analysed game")
        await listed.get_by_label("Show").select_option("slip")
        anns = listed.get_by_role("listitem").filter(has_text="Ann: Peruke One")
        await expect(anns).to_have_count(0)
        whose = listed.get_by_label("Whose")
        await whose.select_option("")
        await expect(listed).to_contain_text("in 2 analysed games")
        await expect(anns).not_to_have_count(0)
        await checked(page)
        await play_out(page, await created(page, **SOLO | {"seats": [{"name": "Ann"}]}))
        await whose.select_option("Ann")
        await expect(listed).to_contain_text("by Ann in 2 analysed games")
