"""The host lets phones in the same network in, after a question, and keeps them out again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.house import NEIGHBOUR
from tests.web.conftest import BLANK, Opener
from tests.web.serving import Server
from tests.web.tables import created
from tests.web.test_access import violations

pytestmark = pytest.mark.asyncio(loop_scope="session")

SMALL = {"width": 360, "height": 640}


@pytest.fixture
def address(server: Server) -> Iterator[str]:
    """Where others find the server while they are let in; afterwards they are kept out."""
    yield f"http://{NEIGHBOUR}:{urlsplit(server.url).port}"
    httpx.post(f"{server.url}/api/lan", json={"open": False}).raise_for_status()


async def answers(address: str) -> bool:
    """Whether anything listens there."""
    parts = urlsplit(address)
    try:
        _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except OSError:
        return False
    writer.close()
    return True


class Host:
    """A page in the lobby of a table with two open seats, and what it has to let others in."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.question = page.get_by_role("alertdialog", name="Let devices on this network")
        self.link = page.get_by_label("Send this link")
        self.code = page.get_by_role("img", name="QR code")
        self.opener = self.button("Let others in…")
        self.yes = self.button("Yes, let others in")

    @classmethod
    async def at(cls, page: Page) -> Host:
        """In the lobby of a new table."""
        seats = [{"name": "Ann"}, *({"name": f"Seat {n}", "open": True} for n in (2, 3))]
        table = await created(page, seats=seats, options={}, dice="seeded")
        url = f"{page.url.removesuffix(BLANK)}/t/{table['id']}"
        await page.goto(url)
        return cls(page, url)

    def button(self, name: str) -> Locator:
        """The button of this name."""
        return self.page.get_by_role("button", name=name, exact=True)

    async def asks(self) -> None:
        """Press the button that asks."""
        await self.opener.focus()
        await self.page.keyboard.press("Enter")
        await expect(self.question).to_be_focused()

    async def leaves(self) -> None:
        """Everything is as it was before the question."""
        await expect(self.opener).to_be_focused()
        await expect(self.question).to_have_count(0)
        await expect(self.link).to_have_value(self.url)
        await expect(self.code).to_have_count(0)


async def test_nobody_is_let_in_before_a_question_is_answered(sit: Opener, address: str) -> None:
    async with sit(BLANK, size=SMALL, expected=("409",)) as page:
        host = await Host.at(page)
        await host.asks()
        await expect(host.question).to_have_accessible_description(
            "Everybody in your network can then open Hot Dice on this machine: tables whose link "
            "they have, and tables of their own. A firewall may ask first, or block them until you "
            "allow Python to accept connections. You can keep them out again whenever you like; it "
            "also ends when Hot Dice stops."
        )
        assert await violations(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth") == SMALL["width"]
        await page.keyboard.press("Enter")  # a second press does not answer
        await page.keyboard.press("Escape")
        await host.leaves()
        await host.asks()
        await host.button("Cancel").click()
        await host.leaves()
        assert not await answers(address)
        why = "Nobody can be let in: this machine is in no network."

        async def refuse(route: Route) -> None:
            await route.fulfill(status=409, json={"error": why})

        await page.route("**/api/lan", refuse)
        await host.asks()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_have_text(why)
        await expect(host.yes).to_be_focused()
        await page.keyboard.press("Escape")
        await host.leaves()
        await expect(page.get_by_role("alert")).to_have_count(0)


async def test_others_are_let_in_and_kept_out_and_find_their_seats_again(
    sit: Opener, address: str
) -> None:
    async with sit(BLANK, size=SMALL) as page:
        host = await Host.at(page)
        path = urlsplit(host.url).path
        await host.asks()
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(host.link).to_have_value(address + path)
        await expect(host.link).to_be_focused()
        await expect(host.question).to_have_count(0)
        await expect(page.get_by_text("a firewall on this machine may block it")).to_be_visible()
        assert page.url == host.url
        assert await violations(page) == []
        async with sit(path, home=address, size=SMALL) as guest:
            await guest.get_by_label("Your name").fill("Ben")
            await guest.get_by_role("button", name="Take a seat").click()
            there = guest.get_by_role("img", name="QR code")  # of the address of that page
            assert await there.inner_html() == await host.code.inner_html()
            await host.button("Keep others out").click()
            await host.leaves()
            assert not await answers(address)
            await host.opener.click()
            await host.yes.click()
            await expect(host.code).to_be_visible()
            for one in (page, guest):  # everybody has kept their seat
                await one.reload()
                await expect(one.locator("li").nth(1)).to_have_text("Ben")
                await expect(one.get_by_label("Send this link")).to_be_visible()
                await expect(one.get_by_role("button", name="Take a seat")).to_have_count(0)
