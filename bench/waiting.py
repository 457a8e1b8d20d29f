"""How much of a game against a bot one waits, in the browser at normal speed.

A person takes a second and a half for a choice and half a second to press a button that only rolls
or skips. All other time, in which nothing can be pressed, is waiting.
"""

from __future__ import annotations

import asyncio
import time
from typing import Literal

from playwright.async_api import Browser, Page, async_playwright
from tools.browser import get
from tools.pictures import created, serving

GAMES = ("cockroach", "farkle", "go500", "rogue")
ALLOWED = 0.3
"""The largest share of a game that may be waiting."""
ACTS = 40
"""How often the person acts in each game, if it does not end before."""
PAUSES = {"choose": 1.5, "press": 0.5}

_POSSIBLE = """() => {
  const has = (what) => document.querySelector(what) !== null;
  if (has('section[aria-label=Result]')) return 'over';
  if (has('button.big:not([aria-disabled=true])')) return 'press';
  const group = '[aria-label="What you can do"]';
  if (has(`.table-page[data-busy=false] ${group}`)) return 'choose';
  return has(`${group} button[aria-disabled=false]`) ? 'press' : '';
}"""
_STATE = """() => {
  const {seq, busy} = document.querySelector('.table-page').dataset;
  return `${seq} ${busy}`;
}"""

_ACT = """async (what) => {
  const press = (button) => document.querySelector(button).click();
  if (document.querySelector('button.big')) return press('button.big');
  if (what === 'choose') {
    press('#beside li button');
    await new Promise((done) => requestAnimationFrame(done));
  }
  press('[aria-label="What you can do"] button[aria-disabled=false]');
}"""

Possible = Literal["over", "press", "choose"]


async def possible(page: Page) -> Possible:
    """Wait until something can be done; returns what."""
    found: Possible = await (await page.wait_for_function(_POSSIBLE)).json_value()
    return found


async def act(page: Page, what: Possible) -> None:
    """Press the button that is there, or take the choice that is listed first.

    The page presses it itself: a test driver waits for a button to stand still, which would count.
    """
    before = await page.evaluate(_STATE)
    await page.evaluate(_ACT, what)
    await page.wait_for_function(f"before => ({_STATE})() !== before", arg=before)


async def share(browser: Browser, home: str, game: str) -> tuple[float, float]:
    """The seconds waited and thought in a game."""
    context = await browser.new_context(
        base_url=home, viewport={"width": 1280, "height": 800}, service_workers="block"
    )
    page = await context.new_page()
    await page.goto("/about")
    await page.evaluate(f"localStorage['hotdice.met'] = JSON.stringify(['{game}'])")
    seats = [{"name": "Ann"}, {"name": "Casimir", "bot": "casual"}]
    options = {"course": "streets"} if game == "go500" else {}
    await page.goto(await created(page, game=game, seats=seats, options=options))
    waited = thought = 0.0
    for _ in range(ACTS):
        began = time.monotonic()
        what = await possible(page)
        waited += time.monotonic() - began
        if what == "over":
            break
        await page.wait_for_timeout(1000 * PAUSES[what])
        thought += PAUSES[what]
        what, began = await possible(page), time.monotonic()
        if what == "over":
            break
        await act(page, what)
        waited += time.monotonic() - began
    await context.close()
    return waited, thought


async def main() -> None:
    """Play one game after another, as two pages at once would slow each other down.

    Exits with 1 if one waits too much.
    """
    most = 0.0
    async with serving() as home, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=get())
        for game in GAMES:
            waited, thought = await share(browser, home, game)
            most = max(most, waited / (waited + thought))
            whole = waited + thought
            print(
                f"{game:10} {100 * waited / whole:3.0f} % of {whole:4.0f} s are waiting", flush=True
            )
        await browser.close()
    if most > ALLOWED:
        raise SystemExit(f"More than {100 * ALLOWED:.0f} % of a game are waiting.")


if __name__ == "__main__":
    asyncio.run(main())
