"""Plays a game on a page, by clicking or by keys alone, as a careful person would."""

from __future__ import annotations

import re

from playwright.async_api import Locator, Page

_HOME = re.compile(r"^(Bank|Stop|Accept|Take it|Pass|Use nothing|Fresh|Start)", re.IGNORECASE)


_ACTING = (
    '[aria-label="What you can do"] button, button.big, form .face, section[aria-label="Result"]'
)


async def settled(page: Page) -> None:
    """Wait until nothing is being shown and it is somebody's turn here, or all is over."""
    await _standing(page, _ACTING)


async def shown(page: Page) -> None:
    """Wait until nothing is being shown, whoever has to act."""
    await _standing(page, f"{_ACTING}, .waiting")


async def _standing(page: Page, parts: str) -> None:
    await page.locator(f".table-page[data-busy=false]:has({parts})").wait_for()


async def seq(page: Page) -> int:
    """The number of the last thing that has happened."""
    return int(await page.locator(".table-page").get_attribute("data-seq") or 0)


async def moved_on(page: Page, seen: int) -> None:
    """Wait until something has happened, and all of it has been shown."""
    await page.wait_for_function(
        "seen => Number(document.querySelector('.table-page')?.dataset.seq) > seen", arg=seen
    )


def over(page: Page) -> Locator:
    """The result of the game."""
    return page.get_by_role("region", name="Result")


async def places(page: Page) -> tuple[int, ...]:
    """Where the tray and the buttons begin and how high they are; no button hides its words."""
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


async def click_through(page: Page, *, most: int = 400) -> set[tuple[int, ...]]:
    """Play to the result by clicking: home as soon as possible, else on with what there is.

    Returns where tray and buttons have been.
    """
    seen_at: set[tuple[int, ...]] = set()
    for _ in range(most):
        await settled(page)
        if await over(page).count():
            return seen_at
        seen_at.add(await places(page))
        seen = await seq(page)
        big = page.locator("button.big")
        if await big.count():
            handing = "it is your turn" in (await big.inner_text())
            await big.click()
            if handing:
                continue
        else:
            await click_choice(page)
        await moved_on(page, seen)
    raise AssertionError("the game did not end")


async def click_choice(page: Page) -> None:
    """Choose something: what goes home, if need be after tapping the dice of a listed choice."""
    if not await press_home(page):
        listed = page.locator("#beside li button").first
        sheet = page.get_by_role("button", name="Choices", exact=True)
        if await sheet.is_visible():
            await sheet.click()
        await listed.click()
        if not await press_home(page):
            await enabled(page).first.click()


def enabled(page: Page) -> Locator:
    """The buttons that do something now."""
    group = page.get_by_role("group", name="What you can do")
    return group.locator("button:not([aria-disabled=true])")


async def press_home(page: Page) -> bool:
    """Press a button that ends the turn, if there is one."""
    for button in await enabled(page).all():
        if _HOME.match((await button.inner_text()).strip()):
            await button.click()
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
            home = await _home_key(page)
            if not home:
                await page.keyboard.press("a")
                home = await _home_key(page)
            await page.keyboard.press(home or "Enter")
        await moved_on(page, seen)
    raise AssertionError("the game did not end")


async def _home_key(page: Page) -> str:
    for button in await enabled(page).all():
        if _HOME.match((await button.inner_text()).strip()):
            return await button.get_attribute("aria-keyshortcuts") or ""
    return ""
