"""Plays a game on a page, by clicks, touch or keys alone, as a careful person would."""

from __future__ import annotations

import re

from playwright.async_api import Locator, Page, expect

_ENDS_TURN = re.compile(r"^(Bank|Stop|Accept|Take it|Pass|Use nothing|Fresh|Start)", re.IGNORECASE)


_ACTING = (
    '[aria-label="What you can do"] button, button.big, form .face, section[aria-label="Result"]'
)


async def settled(page: Page) -> None:
    """Wait until animations are done and a seat of this page has to act, or the game is over."""
    await _wait_for(page, _ACTING)


async def shown(page: Page) -> None:
    """Wait until animations are done, whoever has to act."""
    await _wait_for(page, f"{_ACTING}, .waiting")


async def _wait_for(page: Page, parts: str) -> None:
    await page.locator(f".table-page[data-busy=false]:has({parts})").wait_for()


async def seq(page: Page) -> int:
    """The number of the last entry that is shown."""
    return int(await page.locator(".table-page").get_attribute("data-seq") or 0)


async def moved_on(page: Page, seen: int) -> None:
    """Wait until a later entry is shown."""
    await page.wait_for_function(
        "seen => Number(document.querySelector('.table-page')?.dataset.seq) > seen", arg=seen
    )


def over(page: Page) -> Locator:
    """The result of the game."""
    return page.get_by_role("region", name="Result")


async def press(part: Locator) -> None:
    """Tap what a finger could tap on this device, else click it."""
    if await part.page.evaluate("navigator.maxTouchPoints > 0"):
        await part.tap()
    else:
        await part.click()


async def places(page: Page) -> tuple[int, ...]:
    """The top and height of tray and buttons; fails if a button cuts off its text."""
    found: list[float] = await page.evaluate(
        """() => [...document.querySelectorAll('.tray, .actions')].flatMap((part) => {
          const {top, height} = part.getBoundingClientRect();
          return [top, height];
        })"""
    )
    assert await page.locator(".slots .small").evaluate_all(
        "lines => lines.every((line) => line.scrollHeight <= line.clientHeight + 1)"
    )
    return tuple(round(place) for place in found)


async def click_through(
    page: Page, *, most: int = 400, measures: bool = True, odds: bool = False
) -> set[tuple[int, ...]]:
    """Play to the result by clicking or by touch, ending every turn as soon as possible.

    Chooses only once the coach's odds are beside the choices, if they are to be waited for.
    Returns the places that tray and buttons have had up to the result, if measured.
    """
    seen_at: set[tuple[int, ...]] = set()
    for _ in range(most):
        await settled(page)
        if measures:
            seen_at.add(await places(page))
        if await over(page).count():
            return seen_at
        seen = await seq(page)
        big = page.locator("button.big")
        if await big.count():
            handing = "it is your turn" in (await big.inner_text())
            await press(big)
            if handing:
                continue
        else:
            if odds:
                await expect(page.locator("#beside .worth").first).not_to_be_empty()
            await click_choice(page)
        await moved_on(page, seen)
    raise AssertionError("the game did not end")


async def click_choice(page: Page) -> None:
    """Choose something, preferably to end the turn, if need be after selecting a listed choice."""
    if not await end_turn(page):
        listed = page.locator("#beside li button").first
        sheet = page.get_by_role("button", name="Choices", exact=True)
        if await sheet.is_visible():
            await press(sheet)
        await press(listed)
        if not await end_turn(page):
            await press(enabled(page).first)


def enabled(page: Page) -> Locator:
    """The enabled buttons."""
    group = page.get_by_role("group", name="What you can do")
    return group.locator("button:not([aria-disabled=true])")


async def end_turn(page: Page) -> bool:
    """Press a button that ends the turn, if there is one."""
    for button in await enabled(page).all():
        if _ENDS_TURN.match((await button.inner_text()).strip()):
            await press(button)
            return True
    return False


async def key_through(page: Page, *, most: int = 400) -> None:
    """Play to the result with the keyboard alone."""
    for _ in range(most):
        await settled(page)
        if await over(page).count():
            return
        seen = await seq(page)
        big = page.locator("button.big")
        if await big.count():
            handing = "it is your turn" in await big.inner_text()
            await page.keyboard.press("Space")
            if handing:
                continue
        else:
            key = await _end_turn_key(page)
            if not key:
                await page.keyboard.press("a")
                key = await _end_turn_key(page)
            await page.keyboard.press(key or "Enter")
        await moved_on(page, seen)
    raise AssertionError("the game did not end")


async def _end_turn_key(page: Page) -> str:
    for button in await enabled(page).all():
        if _ENDS_TURN.match((await button.inner_text()).strip()):
            return await button.get_attribute("aria-keyshortcuts") or ""
    return ""
