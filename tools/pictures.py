"""Takes the screenshots of all pages, for ``make pictures``."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import uvicorn
from playwright.async_api import Browser, Page, async_playwright

from hotdice.server import hub
from hotdice.server.app import create_app
from hotdice.server.protocols import UVICORN
from tools.browser import get

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
DESK = (1180, 740)
PHONE = (390, 780)


class SameDice:
    """Replaces ``secrets``, so that the screenshots are reproducible."""

    def __init__(self) -> None:
        self._rng = Random("pictures")

    def token_hex(self, count: int) -> str:
        """A reproducible token."""
        return self._rng.randbytes(count).hex()

    token_urlsafe = token_hex


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Run a server with an empty database."""
    setattr(hub, "secrets", SameDice())  # noqa: B010 - hub does not export it
    with tempfile.TemporaryDirectory() as home:
        app = create_app(f"sqlite:///{home}/pictures.db")
        server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", **UVICORN))
        task = asyncio.create_task(server.serve())
        while not server.started:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        server.should_exit = True
        await task


class Camera:
    """Opens pages for screenshots."""

    def __init__(self, browser: Browser, home: str) -> None:
        self._browser = browser
        self._home = home

    @asynccontextmanager
    async def page(self, size: tuple[int, int], theme: str) -> AsyncIterator[Page]:
        """A page in a new browser context."""
        context = await self._browser.new_context(
            base_url=self._home,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=theme,  # type: ignore[arg-type]
            reduced_motion="reduce",
        )
        await context.add_init_script(
            "localStorage['hotdice.settings'] ??= JSON.stringify({speed: 'off'});"
            "localStorage['hotdice.name'] ??= 'Ann'"
        )
        opened = await context.new_page()
        yield opened
        await context.close()


async def take(page: Page, name: str) -> None:
    """Take a screenshot once the page is idle."""
    await page.wait_for_load_state("networkidle")
    await page.wait_for_timeout(500)
    await page.screenshot(path=FOLDER / f"{name}.jpg", type="jpeg", quality=88)


async def created(page: Page, **wanted: Any) -> str:
    """Create a table as this page's player; returns its path."""
    asked = {"seats": [{"name": "Ann"}, {"name": "Ben"}], "options": {}, **wanted}
    found: dict[str, Any] = await page.evaluate(
        """async asked => {
          const headers = {'Content-Type': 'application/json',
                           'X-Player': localStorage['hotdice.player']};
          const body = JSON.stringify(asked);
          return (await fetch('/api/tables', {method: 'POST', headers, body})).json();
        }""",
        asked,
    )
    return f"/t/{found['id']}"


async def put_help_away(page: Page) -> None:
    """Close the help that a game shows on the first visit."""
    await page.locator(".table-page").wait_for()
    if await page.get_by_role("button", name="Got it").is_visible():
        await page.get_by_role("button", name="Got it").click()


async def choose(page: Page, most: int) -> None:
    """Play for a while, ending turns where possible, and stop at a decision."""
    listed = page.locator("#beside li button").first
    await put_help_away(page)
    for step in range(most + 40):
        await page.wait_for_timeout(200)
        big = page.locator("button.big")
        if await page.get_by_role("region", name="Result").is_visible():
            return
        if await page.locator(".table-page[data-busy=true]").count():
            continue
        if await big.is_visible():
            await big.click()
        elif await listed.is_visible():
            if step >= most:
                return
            await listed.click()
            buttons = page.locator("[aria-label='What you can do'] button[aria-disabled=false]")
            if await buttons.count():
                await buttons.last.click()


async def tables(page: Page) -> None:
    """The start page, the tables of all games, and the coach."""
    bot = [{"name": "Ann"}, {"name": "Casimir", "bot": "sharp"}]
    await page.goto("/")
    await take(page, "start")
    await page.goto(await created(page, game="farkle", options={"starts": "seat"}))
    await choose(page, 12)
    await page.locator("#beside li button").first.click()
    await take(page, "farkle")
    await page.get_by_role("tab", name="Coach").click()
    await page.wait_for_timeout(4000)
    await take(page, "coach")
    for game, seats in (("rogue", bot), ("cockroach", bot), ("peruke", bot[:1]), ("go500", bot)):
        options = {"course": "streets"} if game == "go500" else {}
        await page.goto(await created(page, game=game, seats=seats, options=options))
        await page.wait_for_timeout(3000)
        await choose(page, 6)
        await page.wait_for_timeout(1500)
        await take(page, game)


async def around(page: Page) -> None:
    """The other pages."""
    await page.goto("/new/go500")
    await page.get_by_text("House rules").click()
    await take(page, "set-up")
    seats = [{"name": "Ann"}, {"name": "Seat 2", "open": True}]
    await page.goto(await created(page, game="rogue", seats=seats))
    await take(page, "lobby")
    await page.goto(await created(page, game="peruke", seats=seats[:1], dice="typed"))
    await put_help_away(page)
    await page.get_by_role("button", name="white 5", exact=True).click()
    await take(page, "real-dice")
    over = await created(page, game="farkle", options={"target": "150", "entry": "0"})
    await page.goto(over)
    await choose(page, 60)
    await take(page, "result")
    await page.get_by_role("link", name="Luck and skill").click()
    await page.locator(".moment .board").first.wait_for(timeout=0)
    game = page.get_by_role("region", name="The game")
    await game.evaluate("part => part.scrollIntoView({block: 'start'})")
    await take(page, "report")
    for name in ("rules/cockroach", "tables", "statistics", "settings", "dice", "challenges"):
        await page.goto(f"/{name}")
        await take(page, name.partition("/")[0])
    await page.goto("/learn/peruke?position=points-3")
    await page.locator(".board").first.wait_for(timeout=0)
    await take(page, "learn")


async def phone(page: Page) -> None:
    """The table on a phone."""
    await page.goto("/")
    await page.goto(await created(page, game="farkle", options={"starts": "seat"}))
    await page.locator(".tray .slot").first.wait_for()
    await put_help_away(page)
    await page.get_by_role("button", name="Choices", exact=True).click()
    await page.locator("#beside li button").first.click()
    await take(page, "phone")


async def main() -> None:
    """Take all screenshots."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    async with serving() as home, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=get())
        camera = Camera(browser, home)
        async with camera.page(DESK, "dark") as page:
            await tables(page)
        async with camera.page(DESK, "light") as page:
            await page.goto("/")
            await page.wait_for_load_state("networkidle")
            await around(page)
        async with camera.page(PHONE, "dark") as page:
            await phone(page)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
