"""Real dice are entered by tapping or typing, with the table in view."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.conftest import BLANK, PHONE, Opener
from tests.web.tables import created

pytestmark = pytest.mark.asyncio(loop_scope="session")

_HIDDEN = """(parts) => {
  const top = document.querySelector('.actions').getBoundingClientRect().top;
  return [...document.querySelectorAll(parts)]
    .filter((one) => one.getBoundingClientRect().bottom > top + 1)
    .map((one) => one.className);
}"""


async def test_the_entry_covers_no_dice_on_a_phone(sit: Opener) -> None:
    async with sit(BLANK, size=PHONE, has_touch=True) as page:
        seats = [{"name": "Ann"}]
        table = await created(page, game="go500", options={}, seats=seats, dice="typed")
        await page.goto(f"/t/{table['id']}")
        await page.get_by_role("button", name="Take five black dice").tap()
        field = page.get_by_label("Or type the roll")
        await expect(field).to_have_attribute("placeholder", "or type black:0,…")
        assert await page.evaluate(_HIDDEN, ".tray .slot") == []
        table = await created(page, game="rogue", options={}, dice="typed")
        await page.goto(f"/t/{table['id']}")
        await expect(field).to_have_attribute("placeholder", "or type c35c35")
        assert await page.evaluate(_HIDDEN, ".rail") == []


async def test_a_refusal_moves_no_face_on_a_phone(sit: Opener) -> None:
    async with sit(BLANK, size=PHONE) as page:
        table = await created(page, dice="typed")
        await page.goto(f"/t/{table['id']}")
        face = page.locator("form .face").first
        before = await face.bounding_box()
        await page.get_by_label("Or type the roll").fill("117352")
        await page.get_by_role("button", name="Enter roll").click()
        await expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)
        assert await face.bounding_box() == before


async def test_digits_typed_anywhere_are_the_roll(sit: Opener) -> None:
    async with sit(BLANK) as page:
        table = await created(page, dice="typed")
        await page.goto(f"/t/{table['id']}")
        field = page.get_by_label("Or type the roll")
        for focus in (
            "document.activeElement.blur()",
            "document.querySelector('.actions').focus()",
        ):
            await expect(field).to_be_visible()
            await page.evaluate(focus)
            await page.keyboard.type("113556")
            await expect(field).to_have_value("113556")
            await expect(field).to_be_focused()
            await field.fill("")
        await page.evaluate("document.activeElement.blur()")
        await page.keyboard.press("?")
        await expect(page.get_by_role("dialog")).to_contain_text("type what real dice show")
        await page.keyboard.press("1")  # not under a dialog
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(field).to_have_value("")
        await page.evaluate("document.activeElement.blur()")  # a closed dialog gives the focus back
        await page.keyboard.press("l")
        await expect(page.get_by_role("tab", name="Log")).to_have_attribute("aria-selected", "true")
        await page.evaluate("document.activeElement.blur()")
        await page.keyboard.type("113556")
        await page.keyboard.press("Enter")
        await expect(page.locator(".told")).to_contain_text("1-1-3-5-5-6")
