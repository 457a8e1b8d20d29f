"""Frames a second while dice roll, in the browser on a CPU slowed down four times.

The share of frames that came in time is compared with an empty page in the same browser, as these
machines draw without a graphics card.
"""

from __future__ import annotations

import asyncio
from statistics import median

from playwright.async_api import Page, async_playwright
from tools.browser import get
from tools.pictures import created, serving

SLOWER = 4
GAMES = ("farkle", "rogue", "cockroach", "peruke", "go500")
ROLLS = 2
_COUNT = """() => {
  window.frames = [];
  const count = (at) => { window.frames.push(at); requestAnimationFrame(count); };
  requestAnimationFrame(count);
}"""
_GAPS = "() => window.frames.splice(0).map((at, n, all) => at - (all[n - 1] ?? at)).slice(1)"
_LATE = 1000 / 60 * 1.5
"""Milliseconds after which a frame is late: one was left out."""


def report(what: str, gaps: list[float]) -> None:
    """Print the rate of frames and the share that was late."""
    rate = 1000 * len(gaps) / sum(gaps)
    late = sum(gap > _LATE for gap in gaps) / len(gaps)
    print(f"{what:10} {rate:5.1f} a second, {median(gaps):4.1f} ms each, {100 * late:4.1f} % late")


async def rolling(page: Page) -> list[float]:
    """The gaps between frames while dice roll."""
    gaps: list[float] = []
    for _ in range(ROLLS * 4):
        await page.locator(".table-page[data-busy=false]").wait_for()
        if await page.get_by_role("region", name="Result").count():
            break
        await page.evaluate(_GAPS)
        seq = await page.locator(".table-page").get_attribute("data-seq")
        for key in ("r", "t", "a", "Enter"):
            await page.keyboard.press(key)
            if await page.locator(".table-page[data-busy=true]").count():
                break
        await page.wait_for_timeout(600)
        if await page.locator(".table-page").get_attribute("data-seq") != seq:
            gaps += await page.evaluate(_GAPS)
    return gaps


async def main() -> None:
    """Measure an empty page and every game."""
    async with serving() as home, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=get())
        context = await browser.new_context(
            base_url=home, viewport={"width": 390, "height": 844}, service_workers="block"
        )
        known = str(list(GAMES)).replace("'", '"')
        await context.add_init_script(
            f"try {{ localStorage['hotdice.met'] = '{known}' }} catch {{}}"
        )
        page = await context.new_page()
        session = await context.new_cdp_session(page)
        await session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        await page.goto("/about")
        await page.evaluate(_COUNT)
        await page.wait_for_timeout(3000)
        report("still page", await page.evaluate(_GAPS))
        for game in GAMES:
            bot = [] if game == "peruke" else [{"name": "Casimir", "bot": "casual"}]
            options = {"starts": "seat", "entry": "0"} if game == "farkle" else {}
            path = await created(page, game=game, seats=[{"name": "Ann"}, *bot], options=options)
            await page.goto(path)
            await page.evaluate(_COUNT)
            report(game, await rolling(page))
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
