"""Screenshots of every part of a table, reduced to a few colours each.

Fonts and their smoothing differ between machines and hardly change the mean colour of a block; a
missing, moved or differently coloured part does. ``python -m tests.web.designing`` approves how
the parts look now.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import uvicorn
from playwright.async_api import Browser, Page, async_playwright
from tools.browser import find
from tools.design import PAGE, design_app
from tools.web import main as run_web

from hotdice.server.protocols import UVICORN

APPROVED = Path(__file__).with_name("design.json")
SIZES = {"desk": (1280, 800), "phone": (390, 844)}
THEMES = ("light", "dark")
_BLOCKS = 6
"""Each part is reduced to so many blocks across and down."""
_MEAN, _MOST = 4.0, 30
"""By how much the colours of a part may differ, of 255: on average, and in one block."""
_LEAST = 5
"""A block may differ by so much, even in a part that hardly stands out from its ground."""

_HIGHEST = 30_000
"""Pixels of the page in one screenshot; Chromium draws no more than 16,384 of the screen's."""

Colours: TypeAlias = dict[str, str]
"""The colours of each part in base 64, row by row."""

_SECTIONS = "[...document.querySelectorAll('[data-section]')]"
_HEIGHTS = f"{_SECTIONS}.map((one) => one.offsetHeight)"
_SHOW = f"""(some) => {_SECTIONS}.forEach((one, at) => {{
  one.style.display = some === null || some.includes(at) ? '' : 'none';
}})"""

_REDUCE = """async ([shot, blocks]) => {
  const image = await createImageBitmap(await (await fetch(shot)).blob());
  const scale = image.width / document.documentElement.clientWidth;
  const found = {};
  for (const part of document.querySelectorAll('[data-specimen]')) {
    if (!part.checkVisibility()) continue;
    const {left, top, width, height} = part.getBoundingClientRect();
    const box = [left + scrollX, top + scrollY, width, height].map((one) => one * scale);
    const whole = new OffscreenCanvas(Math.round(box[2]), Math.round(box[3]));
    const inks = whole.getContext('2d', {willReadFrequently: true});
    inks.drawImage(image, ...box, 0, 0, whole.width, whole.height);
    const {data} = inks.getImageData(0, 0, whole.width, whole.height);
    const sums = new Float64Array(4 * blocks * blocks);
    for (let y = 0; y < whole.height; y += 1) {
      const row = Math.floor((y * blocks) / whole.height);
      for (let x = 0; x < whole.width; x += 1) {
        const to = 4 * (row * blocks + Math.floor((x * blocks) / whole.width));
        const from = 4 * (y * whole.width + x);
        for (let part = 0; part < 3; part += 1) sums[to + part] += data[from + part];
        sums[to + 3] += 1;
      }
    }
    const means = [];
    for (let at = 0; at < sums.length; at += 4)
      for (let part = 0; part < 3; part += 1)
        means.push(Math.round(sums[at + part] / sums[at + 3]));
    found[part.dataset.specimen] = btoa(String.fromCharCode(...means));
  }
  return found;
}"""


@asynccontextmanager
async def serving_design() -> AsyncIterator[str]:
    """Build the page of all parts and serve it; yields its address."""
    await asyncio.to_thread(run_web, ["design"])
    with tempfile.TemporaryDirectory() as home, socket.create_server(("127.0.0.1", 0)) as bound:
        app = design_app(f"sqlite:///{home}/design.db")
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", **UVICORN))
        task = asyncio.create_task(server.serve([bound]))
        try:
            yield f"http://127.0.0.1:{bound.getsockname()[1]}{PAGE}"
        finally:
            server.should_exit = True
            await task


@asynccontextmanager
async def showing(browser: Browser, address: str, size: str) -> AsyncIterator[Page]:
    """The page of all parts."""
    width, height = SIZES[size]
    page = await browser.new_page(
        viewport={"width": width, "height": height}, device_scale_factor=0.5
    )
    await page.goto(address)
    try:
        await page.locator("[data-ready]").wait_for()
        await page.get_by_role("img", name="QR code").wait_for()  # it is loaded when needed
        yield page
    finally:
        await page.close()


async def reduced(page: Page, theme: str) -> Colours:
    """The colours of every part on the page, which is too high for one screenshot."""
    await page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
    found: Colours = {}
    for sections in _batches(await page.evaluate(_HEIGHTS)):
        await page.evaluate(_SHOW, sections)
        shot = await page.screenshot(full_page=True, animations="disabled")
        data = f"data:image/png;base64,{base64.b64encode(shot).decode()}"
        found |= await page.evaluate(_REDUCE, [data, _BLOCKS])
    await page.evaluate(_SHOW, None)
    return found


def _batches(heights: Sequence[int]) -> list[list[int]]:
    """The sections of the page, as many at once as fit into a screenshot."""
    found: list[list[int]] = [[]]
    total = 0
    for section, height in enumerate(heights):
        total += height
        if found[-1] and total > _HIGHEST:
            found.append([])
            total = height
        found[-1].append(section)
    return found


def _contrast(colours: bytes) -> int:
    """By how much the blocks of a part differ from each other."""
    return max(max(colours[part::3]) - min(colours[part::3]) for part in range(3))


def differences(approved: Mapping[str, str], seen: Mapping[str, str]) -> list[str]:
    """The parts that look different, one sentence each."""
    found = [f"{name} is missing" for name in approved.keys() - seen.keys()]
    found += [f"{name} is new" for name in seen.keys() - approved.keys()]
    for name in approved.keys() & seen.keys():
        before = base64.b64decode(approved[name])
        off = [
            abs(one - other)
            for one, other in zip(before, base64.b64decode(seen[name]), strict=True)
        ]
        mean, most = sum(off) / len(off), max(off)
        if mean > _MEAN or most > min(_MOST, max(_LEAST, _contrast(before) / 2)):
            found.append(f"{name} is off by {mean:.1f} on average, {most} at most")
    return sorted(found)


async def _approve() -> None:
    async with serving_design() as address, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find())
        looks = {}
        for size in SIZES:
            async with showing(browser, address, size) as page:
                for theme in THEMES:
                    looks[f"{size} {theme}"] = await reduced(page, theme)
        await browser.close()
    APPROVED.write_text(json.dumps(looks, indent=0, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(_approve())
