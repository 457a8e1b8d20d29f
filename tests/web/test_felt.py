"""What a table says and shows in a turn: whose it is, which dice count, and the way back to it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from playwright.async_api import expect

from tests.web.conftest import BLANK, Opener
from tests.web.playing import enabled, settled
from tests.web.tables import created

pytestmark = pytest.mark.asyncio(loop_scope="session")

_KEYS = """keys => keys.filter((key) => getComputedStyle(key).visibility === 'visible')
  .map((key) => key.textContent)"""


async def test_hot_dice_lie_on_the_rail_after_a_reload_too(sit: Opener) -> None:
    """Between keeping all six and throwing them; the next roll takes them off the rail."""
    async with sit(BLANK) as page:
        table = await created(page, dice="typed")
        await page.goto(f"/t/{table['id']}")
        await page.get_by_label("Or type the roll").fill("111555")
        await page.keyboard.press("Enter")
        await settled(page)
        await page.keyboard.press("a")
        await enabled(page).filter(has_text="Roll all six dice").click()
        rail = page.locator(".rail")
        await expect(rail.locator(".small-die")).to_have_count(6)
        kept = await rail.inner_html()
        await page.reload()
        await expect(rail.locator(".small-die")).to_have_count(6)
        assert await rail.inner_html() == kept
        await page.get_by_label("Or type the roll").fill("112346")
        await page.keyboard.press("Enter")
        await settled(page)
        await expect(page.locator(".tray .slot")).to_have_count(6)
        await expect(rail.locator(".small-die")).to_have_count(0)


async def test_a_turn_is_announced_and_only_dice_that_count_can_be_selected(sit: Opener) -> None:
    async with sit(BLANK) as page:
        seats = [{"name": "Ann"}, {"name": "Bo", "bot": "greedy"}]
        table = await created(page, seats=seats, dice="typed")
        await page.goto(f"/t/{table['id']}")
        await expect(page.locator(".tray .prompt")).to_have_text("Your roll")
        await expect(page).to_have_title(re.compile("^● Your turn .* Hot Dice$"))
        await page.get_by_label("Or type the roll").fill("112346")
        await page.keyboard.press("Enter")
        await settled(page)
        keys = page.locator(".tray kbd")
        assert await keys.evaluate_all(_KEYS) == []  # nobody has used a key yet
        await page.keyboard.press("Escape")
        assert await keys.evaluate_all(_KEYS) == ["1", "2"]
        await page.get_by_role("button", name="Die 3: 2").click(force=True)
        await expect(page.get_by_role("alert")).to_have_text("The 2 doesn't score on this roll.")
        await expect(page.locator(".slot[aria-pressed=true]")).to_have_count(0)
        await page.keyboard.press("1")
        await enabled(page).filter(has_text="Bank").click()
        await expect(page.locator(".tray .prompt")).to_have_text("Bo to roll")
        await expect(page).to_have_title(re.compile("^Farkle .* Hot Dice$"))
        await page.goto("/")
        left = await page.get_by_role("heading", name="Pick up where you left off").bounding_box()
        games = await page.locator("ul.games").bounding_box()
        assert left
        assert games
        assert left["y"] < games["y"]


@pytest.mark.parametrize(("slug", "seats"), [("cockroach", 2), ("farkle", 2), ("rogue", 8)])
async def test_no_token_hides_another(sit: Opener, slug: str, seats: int) -> None:
    async with sit(BLANK, size={"width": 360, "height": 640}, reduced_motion="reduce") as page:
        names = [{"name": name} for name in "ABCDEFGH"[:seats]]
        table = await created(page, game=slug, options={}, seats=names)
        await page.goto(f"/t/{table['id']}")
        tokens = page.locator(".way .token")
        await expect(tokens).to_have_count(seats)
        lefts = await tokens.evaluate_all(
            "all => all.map((one) => { const {left, width} = one.getBoundingClientRect();"
            " return [left, width]; })"
        )
        for (left, width), (other, _) in pairwise(sorted(lefts)):
            assert other - left >= 0.7 * width
