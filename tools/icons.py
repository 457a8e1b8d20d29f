"""Draws the icons of the installed page from ``web/public/icon.svg``, for ``make pictures``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

from playwright.async_api import Browser, async_playwright

from tools.browser import get

PUBLIC = Path(__file__).parent.parent / "web" / "public"
GROUND = "#12352c"
"""The colour around the dice, as in the drawing and the manifest."""


class Icon(NamedTuple):
    """A picture to draw.

    Attributes:
        size: width and height in pixels.
        part: the part of the width that the drawing takes.
        is_filled: whether its corners are filled, because the system cuts out a shape of its own.
    """

    size: int
    part: float = 1.0
    is_filled: bool = False


ICONS = {
    "icon-192.png": Icon(192),
    "icon-512.png": Icon(512),
    # Only a circle of four fifths of the width is certain to be seen.
    "icon-maskable-512.png": Icon(512, 0.85, is_filled=True),
    "apple-touch-icon.png": Icon(180, is_filled=True),
}


async def draw(browser: Browser, name: str, icon: Icon) -> None:
    """Draw one icon into the folder of public files."""
    page = await browser.new_page(viewport={"width": icon.size, "height": icon.size})
    svg = (PUBLIC / "icon.svg").read_text("utf-8")
    ground = GROUND if icon.is_filled else "transparent"
    await page.set_content(
        f"<style>body {{ margin: 0; display: grid; place-items: center; height: 100vh; "
        f"background: {ground} }} svg {{ width: {icon.part:.0%} }}</style>{svg}"
    )
    await page.screenshot(path=PUBLIC / name, omit_background=not icon.is_filled)
    await page.close()


async def main() -> None:
    """Draw all icons."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=get())
        for name, icon in ICONS.items():
            await draw(browser, name, icon)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
