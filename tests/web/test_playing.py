"""Every game from its start to its result in a real browser."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from hotdice import game_names, game_type
from tests.web.conftest import BLANK, Opener
from tests.web.playing import click_through, enabled, key_through, over, press, settled
from tests.web.tables import created
from tests.web.test_access import violations

pytestmark = pytest.mark.asyncio(loop_scope="session")

SHORT = {
    "farkle": {"target": "50", "entry": "0"},
    "rogue": {"target": "100", "war_at": "60"},
    "cockroach": {"target": "4"},
    "peruke": {"games": "1"},
    "go500": {"course": "streets"},
}


COACH = "The coach may be asked"
"""Unchecked in these tests, as a coach would start a solver."""


async def set_up(page: Page, slug: str) -> None:
    """Set up a short game against a greedy bot by clicking."""
    await page.get_by_label(COACH).uncheck()
    if await page.get_by_label("Level").count():
        await page.get_by_label("Level").select_option("greedy")
    await press(page.get_by_text("House rules"))
    for name, value in SHORT[slug].items():
        field = page.locator(f"#option-{name}")
        if await field.evaluate("field => field.tagName") == "SELECT":
            await field.select_option(value)
        else:
            await field.fill(value)
    await press(page.get_by_role("button", name="Start"))


async def test_nothing_moves_while_a_game_is_clicked_through(sit: Opener) -> None:
    """On a desk; every game is played by keys there, and by touch on phones."""
    async with sit("/new/farkle") as page:
        await set_up(page, "farkle")
        been = await click_through(page)
        for place in zip(*been, strict=True):
            assert max(place) - min(place) <= 1, been  # nothing moves
        await expect(page.get_by_role("button", name="Play again")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("slug", game_names())
async def test_every_game_can_be_played_on_a_small_phone_with_large_text(
    sit: Opener, slug: str
) -> None:
    small = {"width": 360, "height": 640}
    async with sit(f"/new/{slug}", size=small, has_touch=True) as page:
        await page.evaluate(_COUNT_MICE)
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        await set_up(page, slug)
        await settled(page)
        assert await page.evaluate(_SIDEWAYS) <= 0
        await click_through(page, measures=False)
        assert await page.evaluate(_SIDEWAYS) <= 0
        assert await page.evaluate("window.mice") == 0


_COUNT_MICE = """() => {
  window.mice = 0;
  const at = (event) => event.pointerType === 'mouse' && event.target.closest('.table-page');
  addEventListener('pointerdown', (event) => { if (at(event)) window.mice += 1; }, true);
}"""
"""Counts what is pressed at a table other than by touch."""
_SIDEWAYS = """() => Math.max(...[...document.querySelectorAll('html, .play, .beside')]
  .map((part) => part.scrollWidth - part.clientWidth))"""


@pytest.mark.parametrize("slug", game_names())
async def test_every_game_can_be_played_with_keys_alone(sit: Opener, slug: str) -> None:
    async with sit("/") as page:
        button = page.get_by_role("link", name=f"Set up {game_type(slug).title}")
        await button.focus()
        await page.keyboard.press("Enter")
        await page.get_by_label(COACH).focus()
        await page.keyboard.press("Space")
        await page.get_by_text("House rules").focus()
        await page.keyboard.press("Enter")
        for name, value in SHORT[slug].items():
            await page.locator(f"#option-{name}").focus()
            if name == "course":
                await page.keyboard.type("streets")
            else:
                await page.keyboard.press("Control+A")
                await page.keyboard.type(value)
        await page.get_by_role("button", name="Start").focus()
        await page.keyboard.press("Enter")
        await key_through(page)
        # The focus is at the result, not at the top of the page.
        assert await page.evaluate("document.activeElement.closest('.actions') !== null")
        await page.keyboard.press("r")
        await expect(page.locator("header")).to_contain_text("game 2")
        await settled(page)


async def test_a_new_game_is_introduced_once(sit: Opener) -> None:
    async with sit("/", met=False) as page:
        await page.get_by_role("button", name="Play now Farkle").click()
        card = page.get_by_role("region", name="Farkle in three lines")
        await expect(card).to_contain_text("If nothing in a roll scores")
        for theme in ("light", "dark"):
            await page.emulate_media(color_scheme=theme)
            assert await violations(page, within="section.card") == []
        await card.get_by_role("button", name="Got it").click()
        await expect(card).to_have_count(0)
        await page.goto("/")
        await page.get_by_role("button", name="Play now Farkle").click()
        await expect(page.locator(".tray")).to_be_visible()
        await expect(card).to_have_count(0)
        await page.get_by_role("tab", name="How").click()
        panel = page.get_by_role("tabpanel")
        await expect(panel).to_contain_text("three 1s")
        await expect(panel).to_contain_text("100 in one turn")


@pytest.mark.parametrize(("slug", "keys"), [("cockroach", "s"), ("farkle", "ar")])
async def test_the_introduction_stays_until_the_person_plays(
    sit: Opener, slug: str, keys: str
) -> None:
    """Neither the rolls for the start, which are read in place of the dice, nor a bot end it."""
    async with sit(BLANK, met=False, speed="normal") as page:
        await page.clock.install()
        await page.goto(f"/new/{slug}")
        await page.get_by_role("button", name="Start").wait_for()
        await page.clock.pause_at(await page.evaluate("Date.now() + 600_000"))
        await page.get_by_role("button", name="Start").click()
        await page.locator(".tray").wait_for()
        prompt = page.locator(".tray .prompt:has-text(' starts.')")
        while not await prompt.count():
            await page.clock.run_for(100)
        await page.clock.run_for(900)
        await expect(prompt).to_be_visible()
        await page.clock.resume()
        await settled(page)
        card = page.get_by_role("region", name="in three lines")
        await expect(card).to_be_visible()
        assert await page.evaluate("localStorage['hotdice.met']") is None
        rolls = await page.get_by_role("button", name="Roll", exact=True).count()
        for key in "r" if rolls else keys:
            await page.keyboard.press(key)
        await expect(card).to_have_count(0)
        assert await page.evaluate("localStorage['hotdice.met']") == f'["{slug}"]'


async def test_the_coach_speaks_in_a_first_game_until_sent_away(sit: Opener) -> None:
    async with sit("/", met=False) as page:
        await page.get_by_role("button", name="Play now Farkle").click()
        card = page.get_by_role("region", name="Farkle in three lines")
        await card.get_by_role("button", name="Play with the coach").click()
        coach = page.get_by_role("complementary", name="The coach")
        await expect(coach).to_contain_text("worth")
        await expect(coach).to_contain_text(await page.locator(".below .told").inner_text())
        rail, said = [await one.bounding_box() for one in (page.locator(".rail"), coach)]
        assert rail
        assert said
        assert rail["y"] + rail["height"] <= said["y"]
        await expect(page.locator(".slot.hinted").first).to_be_visible()
        await page.reload()
        await expect(coach).to_contain_text("worth")
        await coach.get_by_role("button", name="Send the coach away").click()
        await expect(coach).to_have_count(0)
        await page.get_by_role("tab", name="Coach").click()
        await page.get_by_label("The coach speaks at the table").check()
        await expect(coach).to_be_visible()


async def test_the_last_dice_lie_there_when_the_game_is_over(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page, options={"target": "60", "entry": "0", "starts": "seat"})
        await page.goto(f"/t/{table['id']}")
        await click_through(page)
        result = over(page)
        await expect(result).to_contain_text("wins by")
        headline = await result.get_by_role("heading").inner_text()
        await expect(page.locator("[aria-live=polite]").first).to_contain_text(f" {headline}.")
        await page.get_by_role("tab", name="Choices").click()
        await expect(page.get_by_role("tabpanel")).to_have_text("The game is over.")
        await expect(result.get_by_role("figure")).to_contain_text("Best turn")
        assert await page.locator(".board .die").count() > 0
        await page.get_by_role("button", name="More").click()
        menu = page.get_by_role("dialog", name="After the game")
        await expect(menu.get_by_role("link", name="Save the record")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(menu).to_have_count(0)
        await expect(page.get_by_role("button", name="Play again")).to_be_visible()


async def test_dice_to_take_are_selected_from_the_start(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page, game="go500", options={}, seats=[{"name": "Ann"}])
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        assert await page.locator(".slot").count() == 6
        await expect(page.locator(".slot[aria-pressed=true]")).to_have_count(6)
        await expect(enabled(page).first).to_contain_text("Take five black dice and the green die")
