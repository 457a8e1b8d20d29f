"""Verified dice in two real browsers, from setting up to checking the record."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.playing import click_choice, moved_on, over, seq, settled, shown
from tests.web.tables import created

pytestmark = pytest.mark.asyncio(loop_scope="session")

NASTY = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize("size", [DESK, PHONE])
async def test_the_field_to_say_something_is_in_view(sit: Opener, size: dict[str, int]) -> None:
    """The log above it has a line about verified dice."""
    async with sit(BLANK, size=size) as page:
        table = await created(page, dice="verified")
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await page.keyboard.press("l")
        await expect(page.get_by_text("Verified dice: ")).to_be_in_viewport(ratio=1)
        await expect(page.get_by_label("Say something")).to_be_in_viewport(ratio=1)
        await expect(page.get_by_role("button", name="Say")).to_be_in_viewport(ratio=1)


async def test_two_browsers_play_at_one_table(sit: Opener) -> None:
    """The host invites, a guest takes the open seat by link, and they play to the end.

    With an open seat dice are verified by default; both devices give links, and check the dice.
    """
    async with (
        sit("/new/farkle") as host,
        sit(BLANK, expected=("422",)) as guest,
        sit(BLANK) as spectator,
    ):
        await host.get_by_label("Name").first.fill("Ann")
        await expect(host.get_by_label("Virtual dice", exact=True)).to_be_checked()
        await host.get_by_label("Seat 2").select_option("link")
        await expect(host.get_by_label("Verified dice")).to_be_checked()
        await host.get_by_label("The coach may be asked").uncheck()
        await host.get_by_text("House rules").click()
        await host.locator("#option-entry").fill("0")
        await host.locator("#option-target").fill("80")
        await host.get_by_role("button", name="Open the table").click()
        link = await host.get_by_label("Send this link").input_value()
        await expect(host.get_by_text("Only this machine can open this link.")).to_be_visible()
        await expect(host.get_by_role("img", name="QR code")).to_have_count(0)
        await guest.goto(link)
        await spectator.goto(link)
        await guest.get_by_label("Your name").fill("ann")
        await guest.get_by_role("button", name="Take a seat").click()
        await expect(guest.get_by_role("alert")).to_contain_text("another name")
        await guest.get_by_label("Your name").fill(NASTY)
        await guest.get_by_role("button", name="Take a seat").click()
        people = [host, guest]
        for page in (*people, spectator):
            await page.locator(".felt").wait_for()
        for _ in range(200):
            await shown(host)
            if await over(host).count():
                break
            acting = guest if await host.locator(".waiting").count() else host
            await settled(acting)
            seen = await seq(acting)
            if await acting.locator("button.big").count():
                await acting.locator("button.big").click()
            else:
                await click_choice(acting)
            for page in people:
                await moved_on(page, seen)
        for page in (*people, spectator):
            await expect(over(page)).to_be_visible()
            await expect(page.get_by_label("Scores")).to_contain_text(NASTY)
        await expect(spectator.get_by_role("button", name="Play again")).to_have_count(0)
        for page in people:
            await page.get_by_role("tab", name="Log").click()
            line = page.get_by_text("Verified dice:")
            await expect(line).to_contain_text("rolls")
            await expect(line).not_to_contain_text("without")
        await host.get_by_role("button", name="More").click()
        await host.get_by_role("link", name="Check the dice").click()
        await expect(host.get_by_text("True: all dice of")).to_be_visible()
        await host.go_back()
        await expect(over(host)).to_be_visible()
        await guest.get_by_role("button", name="Play again").click()
        await expect(host.locator("header")).to_contain_text("game 2")
        assert await guest.locator("img[src=x]").count() == 0


async def test_a_file_that_is_no_record_gets_a_sentence(sit: Opener) -> None:
    async with sit("/verified") as page:
        for content in (b"", b"hotdice record 1\n", bytes(range(256)), b"x" * 10_000_001):
            file = {"name": "record.txt", "mimeType": "text/plain", "buffer": content}
            await page.get_by_label("A saved record").set_input_files([file])
            await expect(page.get_by_role("alert")).to_contain_text("Not true:")
