"""Who is away, and how players are called back to the table."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.async_api import Page, WebSocketRoute, expect

from tests.web.conftest import BLANK, DESK, PHONE, Opener
from tests.web.playing import enabled, places, settled, shown
from tests.web.tables import created

pytestmark = pytest.mark.asyncio(loop_scope="session")

_STUB = """
  window.hides = false;
  window.did = [];
  Object.defineProperty(Document.prototype, 'hidden', {get: () => window.hides});
  window.Notification = class {
    static permission = localStorage['answered'] ?? 'default';
    static requestPermission = async () => {
      did.push('asked');
      return (Notification.permission = localStorage['answered'] = ANSWER);
    };
    constructor(title, {body}) { did.push(`${title}. ${body}`); window.notice = this; }
    close() { did.push('closed'); }
  };
  window.focus = () => did.push('focused');
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { did.push('tone'); start.call(this, at); };
"""


async def wired(page: Page) -> list[WebSocketRoute]:
    """The sockets that a page opens; only the test says who is away."""
    lines: list[WebSocketRoute] = []

    def wire(line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        server.on_message(lambda said: None if '"presence"' in str(said) else line.send(said))
        lines.append(line)

    await page.route_web_socket(re.compile("/socket$"), wire)
    return lines


async def seat_link(host: Page) -> str:
    """A table that the host has open, and the link to its second seat."""
    table = await created(host)
    await host.goto(f"/t/{table['id']}")
    return f"/t/{table['id']}#{table['seats'][1]['secret']}"


async def stub(page: Page, *, answer: str) -> None:
    """Record notifications and tones, and let the test say whether the page is hidden.

    Headless Chromium shows no notifications, and a page in it is never hidden.
    """
    await page.add_init_script(_STUB.replace("ANSWER", repr(answer)))


async def hide(page: Page, *, hidden: bool) -> None:
    await page.evaluate(
        "hidden => { hides = hidden; document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


async def did(page: Page) -> list[str]:
    """What has happened since the last call; a sound counts once."""
    found: list[str] = await page.evaluate("did.splice(0)")
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
async def test_a_seat_that_is_away_is_marked_and_nothing_moves(
    sit: Opener, size: dict[str, int]
) -> None:
    async with sit(BLANK, size=size) as page:
        table = await created(page)
        lines = await wired(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        before = await _boxes(page), await places(page)
        lines[0].send(json.dumps({"type": "presence", "away": [1]}))
        ben = page.get_by_label("Scores").locator("li", has_text="Ben")
        await expect(ben.get_by_text("away", exact=True)).to_be_visible()
        await expect(ben).to_have_attribute("title", "Ben is away")
        assert (await _boxes(page), await places(page)) == before
        heard = page.locator("[role=status], [aria-live]")
        assert "away" not in "".join(await heard.all_inner_texts())
        lines[0].send(json.dumps({"type": "presence", "away": []}))
        await expect(ben.get_by_text("away", exact=True)).to_have_count(0)


async def test_of_many_seats_only_the_title_says_who_is_away(sit: Opener) -> None:
    async with sit(BLANK) as page:
        names = ("Ann", "Ben", "Cem", "Dot", "Eve")
        table = await created(page, seats=[{"name": name} for name in names])
        lines = await wired(page)
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        before = await _boxes(page)
        lines[0].send(json.dumps({"type": "presence", "away": [1]}))
        ben = page.get_by_label("Scores").get_by_role("listitem").filter(has_text="Ben")
        await expect(ben).to_have_attribute("title", "Ben is away")
        await expect(ben).to_contain_text("away")
        assert await _boxes(page) == before


async def _boxes(page: Page) -> list[Any]:
    """Where everything about the scores is, except what says that somebody is away."""
    found: list[Any] = await page.evaluate(
        """() => {
          const parts = document.querySelectorAll('[aria-label=Scores] *:not(.away, .unseen)');
          return [...parts].map((part) => {
            const {x, y, width, height} = part.getBoundingClientRect();
            return [x, y, width, height];
          });
        }"""
    )
    return found


async def test_a_table_says_that_it_waits_for_somebody_who_is_away(sit: Opener) -> None:
    async with sit("/") as host, sit("/") as guest:
        lines = await wired(guest)
        await guest.goto(await seat_link(host))
        await shown(guest)
        await expect(guest.get_by_text("Waiting for Ann.")).to_be_visible()
        lines[0].send(json.dumps({"type": "presence", "away": [0]}))
        await expect(guest.get_by_text("Waiting for Ann, who is away.")).to_be_visible()
        await guest.get_by_role("tab", name="Seats").click()
        seats = guest.get_by_role("tabpanel").locator("li", has_text="Ann")
        await expect(seats).to_contain_text("Ann, away")


async def test_a_player_is_called_while_the_page_is_hidden(sit: Opener) -> None:
    async with sit("/") as host, sit("/") as guest:
        await stub(guest, answer="granted")
        await guest.goto("/settings")
        await guest.get_by_label("Play a sound").check()
        await guest.get_by_label("Show a notification").check()
        await guest.wait_for_function("did.includes('asked')")
        await expect(guest.get_by_label("Show a notification")).to_be_checked()
        await guest.goto(await seat_link(host))
        await shown(guest)
        await guest.get_by_role("tab", name="Log").click()
        await settled(host)
        await bank(host)
        await settled(guest)
        assert await did(guest) == []
        await host.get_by_role("button", name="Undo").click()
        await guest.locator(".waiting").wait_for()
        await hide(guest, hidden=True)
        await bank(host)
        await settled(guest)
        called, *rest = await did(guest)
        assert re.fullmatch(r"Ben, it is your turn\. Ann .+ banks? .+", called)
        assert rest == ["tone"]
        await guest.evaluate("notice.onclick()")
        assert await did(guest) == ["focused", "closed"]
        await hide(guest, hidden=False)
        assert await did(guest) == ["closed"]


async def bank(page: Page) -> None:
    """Bank the first of the listed choices."""
    await page.locator("#beside li button").first.click()
    await enabled(page).filter(has_text="Bank").click()


async def test_notifications_that_are_not_allowed_are_explained(sit: Opener) -> None:
    async with sit("/") as page:
        await stub(page, answer="denied")
        await page.goto("/settings")
        box, why = page.get_by_label("Show a notification"), page.get_by_role("status")
        await box.click()
        await expect(why).to_contain_text("blocks notifications")
        await expect(box).not_to_be_checked()
        await page.evaluate("delete window.Notification")
        await box.click()
        await expect(why).to_contain_text("offers no notifications")
        await expect(box).not_to_be_checked()
        assert 'callNotice":false' in await page.evaluate("localStorage['hotdice.settings']")
