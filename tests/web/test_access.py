"""Accessibility: axe finds no violations on any page, in either theme; nothing scrolls sideways."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Page, expect

from hotdice import game_names
from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.playing import settled
from tests.web.tables import created, play_out

pytestmark = pytest.mark.asyncio(loop_scope="session")

NARROW = {"width": 360, "height": 740}
PAGES = {
    "/": "button:has-text('Play now')",
    "/new/farkle": "button:has-text('Start')",
    "/new/go500": "button:has-text('Start')",
    **{f"/rules/{slug}": "main .prose" for slug in game_names()},
    "/about": "h2:has-text('Icons')",
    "/verified": "h2",
    "/tables": "a[href^='/t/']",
    "/statistics": "tbody tr",
    "/settings": "button:has-text('another device')",
    "/nowhere": "h1",
    "/t/nowhere": "h1:has-text('No such table')",
}
"""Pages, each with an element that shows that it has loaded."""


_RUN = """async ([within, options]) => {
  const {violations} = await axe.run(within ?? document, options);
  return violations.map(({id, nodes}) => [id, nodes.slice(0, 3).map((node) => node.html)]);
}"""


async def violations(page: Page, *rules: str, within: str | None = None) -> list[Any]:
    """What axe finds, by all rules or by these, on the page or within a part of it."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(Axe().axe_script)
    only = {"runOnly": list(rules)} if rules else {}
    found: list[Any] = await page.evaluate(
        _RUN, [within, {"resultTypes": ["violations"], "elementRef": False, **only}]
    )
    return found


async def fits(page: Page) -> bool:
    """Whether the page needs no scrolling sideways."""
    wide: int = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return wide <= 0


async def test_pages_are_accessible(sit: Opener) -> None:
    async with sit(BLANK, color_scheme="light", size=NARROW, expected=("404", "4404")) as page:
        table = await created(page)
        await play_out(page, table)
        for path, part in {f"/t/{table['id']}": "[aria-label=Result]", **PAGES}.items():
            await page.goto(path)
            await page.locator(part).first.wait_for()
            for summary in await page.locator("summary").all():
                await summary.click()
            assert await fits(page), path
            assert await violations(page) == [], path
            await page.emulate_media(color_scheme="dark")
            assert await violations(page, "color-contrast") == [], path
            await page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("number, slug", list(enumerate(game_names())))
async def test_tables_are_accessible(sit: Opener, number: int, slug: str) -> None:
    """Some on a phone and light, others on a desk and dark; contrasts in both themes."""
    theme, size = (("dark", DESK), ("light", PHONE))[number % 2]
    seats = [{"name": "Ann"}, {"name": "Ben"}]
    async with sit(BLANK, color_scheme=theme, size=size) as page:
        options = {} if slug in ("peruke", "go500", "rogue") else {"starts": "seat"}
        people = seats[:1] if slug == "peruke" else seats
        coach = slug == "peruke"  # needs no solver for one player
        table = await created(page, game=slug, options=options, seats=people, coach=coach)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        assert await violations(page) == []
        for name in ("Choices", "Coach", "How", "Log", "Seats"):
            opens = size is PHONE and name == "Choices"  # the sheet, with tabs of its own
            await page.get_by_role("button" if opens else "tab", name=name, exact=True).click()
            await expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
            assert await violations(page, within="#beside") == [], name
        await page.emulate_media(color_scheme="light" if theme == "dark" else "dark")
        assert await violations(page, "color-contrast") == []


_PLAIN = """colour => {
  const ground = document.querySelector('.ground').style;
  ground.backgroundImage = 'none';
  ground.backgroundColor = colour;
  for (const number of document.querySelectorAll('.turned-2 .disc span'))
    number.textContent = 'number';
}"""
"""Without the gradient, on which axe judges nothing, nor single characters."""


async def test_taken_discs_can_be_read(sit: Opener) -> None:
    state = "discs=0,0,1,2,0,0 round=3 phase=use tray=1,1,3,r3"
    async with sit(f"/position/peruke?state={state}") as page:
        discs = page.get_by_role("list", name="Discs")
        await expect(discs.get_by_text("taken")).to_be_visible()
        for theme in ("light", "dark"):
            await page.emulate_media(color_scheme=theme)
            for colour in ("var(--felt)", "var(--felt-edge)"):
                await page.evaluate(_PLAIN, colour)
                found = await violations(page, "color-contrast", within="[aria-label=Discs]")
                assert found == [], (theme, colour)


async def test_the_lobby_and_real_dice_are_accessible(sit: Opener) -> None:
    async with sit(BLANK, size=NARROW) as page:
        seats = [{"name": "Ann"}, {"name": "Seat 2", "open": True}]
        for wanted in ({"seats": seats}, {"dice": "typed"}):
            table = await created(page, **wanted)
            await page.goto(f"/t/{table['id']}")
            await page.locator("form, .lobby").first.wait_for()
            assert await fits(page), wanted
            assert await violations(page) == [], wanted


async def test_text_at_twice_its_size_is_not_cut_off(sit: Opener) -> None:
    """The page grows or scrolls down, never sideways."""
    async with sit(BLANK, size=PHONE) as page:
        table = await created(page)
        for path in ("/", "/new/farkle", f"/t/{table['id']}", "/settings"):
            await page.goto(path)
            await page.locator("h1").first.wait_for()
            await page.evaluate("document.documentElement.style.fontSize = '200%'")
            wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, path
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        notices, dice = [
            await page.locator(part).bounding_box() for part in (".felt .above span", ".tray")
        ]
        assert notices
        assert dice
        assert notices["y"] + notices["height"] <= dice["y"]


@pytest.mark.parametrize("slug", game_names())
async def test_what_counts_fits_beside_the_table(sit: Opener, slug: str) -> None:
    async with sit(BLANK) as page:
        people = [{"name": "Ann"}, {"name": "Ben"}][: 1 if slug == "peruke" else 2]
        table = await created(page, game=slug, options={}, seats=people)
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("tab", name="How").click()
        panel = page.get_by_role("tabpanel", name="How")
        await expect(panel.get_by_role("table")).to_be_visible()
        assert await panel.evaluate("panel => panel.scrollWidth - panel.clientWidth") == 0
        cramped = "dice => dice.filter((one) => one.offsetHeight > 80).length"
        assert await panel.locator("th .dice").evaluate_all(cramped) == 0


_CARD = """card => {
  const {bottom, left, right} = card.getBoundingClientRect();
  const dice = document.querySelector('.tray').getBoundingClientRect().top;
  const bar = document.querySelector('.actions').getBoundingClientRect().top;
  const wide = [...card.querySelectorAll('dt, dd, button')].flatMap((one) =>
    [...one.getClientRects()].filter((box) => box.left < left || box.right > right));
  return {
    wide: wide.length + Math.max(0, card.scrollWidth - card.clientWidth),
    covers: bottom - Math.min(dice, bar),
    hidden: card.scrollHeight - card.clientHeight,
  };
}"""
"""What a help card cuts off at its sides, covers of dice or buttons, and has to scroll."""


_DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.mark.parametrize("slug", game_names())
async def test_a_help_card_is_read_without_covering_the_dice(sit: Opener, slug: str) -> None:
    """In large letters it scrolls, with its buttons in view."""
    async with sit(BLANK, size=PHONE, met=False) as page:
        people = [{"name": "Ann"}, {"name": "Ben"}][: 1 if slug == "peruke" else 2]
        table = await created(page, game=slug, options={}, seats=people, coach=True)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        card = page.get_by_role("region", name="in three lines")
        for size in ({"width": 360, "height": 640}, PHONE):
            await page.set_viewport_size({"width": size["width"], "height": size["height"]})
            await page.evaluate(_DRAWN)
            seen = await card.evaluate(_CARD)
            assert (seen["wide"], seen["hidden"]) == (0, 0), (size, seen)
            assert seen["covers"] <= 0, (size, seen)
        await page.evaluate("document.documentElement.style.fontSize = '200%'")
        await page.evaluate(_DRAWN)
        assert (await card.evaluate(_CARD))["wide"] == 0
        for name in ("Got it", "What counts"):
            await expect(card.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)


_RINGED = """() => {
  const {top, bottom} = document.activeElement.getBoundingClientRect();
  const style = getComputedStyle(document.activeElement);
  const beyond = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth);
  const [label, hint] = ['label', 'p'].map((part) =>
    document.activeElement.parentElement.querySelector(part).getBoundingClientRect());
  return [top - beyond - label.bottom, hint.top - bottom - beyond];
}"""
"""The room between the ring of the focused field and the texts above and below it."""


async def test_the_ring_of_a_field_strikes_through_no_text(sit: Opener) -> None:
    async with sit("/new/cockroach") as page:
        await page.get_by_text("House rules").click()
        await page.locator("#option-target").focus()
        assert min(await page.evaluate(_RINGED)) >= -1
