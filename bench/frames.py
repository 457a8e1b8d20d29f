"""Frames a second while dice roll, in the browser on a CPU slowed down four times.

These machines draw without a graphics card, so the rate is compared with a still page and with six
plain squares that tumble, in the same browser. It exits with 1 if a game reaches less than nine
tenths of their rate.
"""

from __future__ import annotations

import asyncio
import sys
from statistics import median

from playwright.async_api import Page, async_playwright
from tools.browser import get
from tools.pictures import created, serving

SLOWER = 4
GAMES = ("farkle", "rogue", "cockroach", "peruke", "go500")
ROLLS = 8
_COUNT = """() => {
  window.gaps = [];
  let last = 0;
  let rolled = false;
  const count = (at) => {
    const rolls = document.querySelector('.rolling') !== null;
    if (rolls && rolled) window.gaps.push(at - last);
    rolled = rolls;
    last = at;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
}"""
"""Notes the time between two frames if dice roll in both."""
_GAPS = "() => window.gaps.splice(0)"
_SQUARES = """count => {
  for (let at = 0; at < count; at++) {
    const square = document.createElement('div');
    square.className = 'rolling';
    square.style = `position: fixed; top: 300px; left: ${60 * at}px; width: 90px; height: 90px;
      background: ivory`;
    document.body.append(square);
    const from = {transform: 'translate(-60%, -140%) rotate(-260deg) scale(0.8)', opacity: 0};
    const to = {transform: 'none', opacity: 1};
    square.animate([from, to], {duration: 400, iterations: Infinity});
  }
}"""
_LATE = 1000 / 60 * 1.5
"""Milliseconds after which a frame is late: one was left out."""


_SHARE = 0.9
"""The least part of the rate of plain squares that a game must reach."""


def report(what: str, gaps: list[float]) -> float:
    """Print the rate of frames and the share that was late; returns the rate."""
    rate = 1000 * len(gaps) / sum(gaps)
    late = sum(gap > _LATE for gap in gaps) / len(gaps)
    print(f"{what:13} {rate:5.1f} a second, {median(gaps):4.1f} ms each,", end=" ")
    print(f"{100 * late:4.1f} % of {len(gaps)} late")
    return rate


async def plain(page: Page, squares: int) -> list[float]:
    """The gaps between frames of a page with plain squares that tumble, or with a hidden one."""
    await page.goto("/about")
    await page.evaluate(_SQUARES, squares)
    if not squares:
        await page.evaluate("document.body.classList.add('rolling')")
    await page.evaluate(_COUNT)
    await page.wait_for_timeout(3000)
    gaps: list[float] = await page.evaluate(_GAPS)
    return gaps


async def rolling(page: Page) -> list[float]:
    """The gaps between frames while dice roll."""
    for _ in range(ROLLS):
        await page.locator(".table-page[data-busy=false]").wait_for()
        if await page.get_by_role("region", name="Result").count():
            break
        for key in ("r", "t", "a", "Enter"):
            await page.keyboard.press(key)
            if await page.locator(".table-page[data-busy=true]").count():
                break
        await page.wait_for_timeout(600)
    gaps: list[float] = await page.evaluate(_GAPS)
    return gaps


async def main() -> int:
    """Measure plain pages and every game; returns 1 if a game is much slower than plain squares."""
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
        report("still page", await plain(page, 0))
        squares = report("plain squares", await plain(page, 6))
        slow = []
        for game in GAMES:
            bot = [] if game == "peruke" else [{"name": "Casimir", "bot": "casual"}]
            options = {"starts": "seat", "entry": "0"} if game == "farkle" else {}
            path = await created(page, game=game, seats=[{"name": "Ann"}, *bot], options=options)
            await page.goto(path)
            await page.evaluate(_COUNT)
            rate = report(game, await rolling(page))
            if rate < _SHARE * squares:
                slow.append(game)
        await browser.close()
    if slow:
        least = f"{100 * _SHARE:.0f} %"
        print(f"Less than {least} of the rate of plain squares: {', '.join(slow)}.")
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
