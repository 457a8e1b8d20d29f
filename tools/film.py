"""Films a few turns in the browser as an animated WebP, for ``make film``.

Chromium records the page and encodes each frame; the file format that holds the frames together is
simple enough to write here.
"""

from __future__ import annotations

import asyncio
import base64
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from playwright.async_api import Browser, Page, async_playwright

from tools.browser import get
from tools.pictures import FOLDER, created, serving

FILM = FOLDER / "film.webp"
SIZE = (1180, 740)
_SHOWN = (720, 452)
_SHORTEST, _LONGEST = 20, 1500
"""For how many milliseconds a frame is shown at least and at most."""
_PER_SECOND = 12
_END = 1500
"""Milliseconds for which the last frame is shown."""

_ENCODE = """async ([shot, width, height, quality]) => {
  const image = await createImageBitmap(await (await fetch(shot)).blob());
  const canvas = new OffscreenCanvas(width, height);
  const brush = canvas.getContext('2d', {alpha: false});
  brush.imageSmoothingQuality = 'high';
  brush.drawImage(image, 0, 0, width, height);
  const blob = await canvas.convertToBlob({type: 'image/webp', quality});
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}"""


class Frame(NamedTuple):
    """A still WebP image, and for how many milliseconds it is shown."""

    image: bytes
    shown: int


def animated(frames: Sequence[Frame], size: tuple[int, int]) -> bytes:
    """An animated WebP that repeats for ever.

    See https://developers.google.com/speed/webp/docs/riff_container for the format.
    """
    extent = _short(size[0] - 1) + _short(size[1] - 1)
    head = _chunk(b"VP8X", bytes([0b10, 0, 0, 0]) + extent)
    head += _chunk(b"ANIM", bytes(4) + struct.pack("<H", 0))
    body = b"".join(
        _chunk(b"ANMF", bytes(6) + extent + _short(shown) + b"\2" + _picture(image))
        for image, shown in frames
    )
    content = b"WEBP" + head + body
    return b"RIFF" + struct.pack("<I", len(content)) + content


def _picture(image: bytes) -> bytes:
    """The chunks of a still image that hold its pixels."""
    found, at = b"", 12
    while at < len(image):
        (size,) = struct.unpack_from("<I", image, at + 4)
        end = at + 8 + size + size % 2
        if image[at : at + 4] in (b"VP8 ", b"VP8L", b"ALPH"):
            found += image[at:end]
        at = end
    return found


def _short(number: int) -> bytes:
    """A number in 24 bits."""
    return struct.pack("<I", number)[:3]


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)


class Recorder:
    """Records what a page shows."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._shots: list[tuple[float, str]] = []
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> None:
        """Begin to record."""
        self._session = await self._page.context.new_cdp_session(self._page)
        self._session.on("Page.screencastFrame", self._take)
        await self._session.send("Page.startScreencast", {"format": "jpeg", "quality": 90})

    def _take(self, found: dict[str, Any]) -> None:
        self._shots.append((found["metadata"]["timestamp"], found["data"]))
        sent = self._session.send("Page.screencastFrameAck", {"sessionId": found["sessionId"]})
        task = asyncio.ensure_future(sent)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> list[tuple[float, str]]:
        """Stop; returns times in seconds and JPEG images, a few for each second."""
        await self._session.send("Page.stopScreencast")
        kept: list[tuple[float, str]] = []
        for at, image in self._shots:
            if not kept or at - kept[-1][0] >= 1 / _PER_SECOND:
                kept.append((at, image))
        return [*kept, self._shots[-1]]


async def encoded(browser: Browser, shots: list[tuple[float, str]], quality: float) -> list[Frame]:
    """The shots as frames."""
    page = await browser.new_page()
    frames = []
    ends = [at for at, _ in shots[1:]]
    for number, (at, image) in enumerate(shots):
        data = f"data:image/jpeg;base64,{image}"
        found = await page.evaluate(_ENCODE, [data, *_SHOWN, quality])
        gap = round(1000 * (ends[number] - at)) if number < len(ends) else _END
        shown = max(_SHORTEST, min(_LONGEST, gap))
        frames.append(Frame(base64.b64decode(found), shown))
    await page.close()
    return frames


async def act(page: Page, *keys: str, pause: int = 1100) -> None:
    """Press keys, with time to see what each does."""
    for key in keys:
        await page.locator(".table-page[data-busy=false]").wait_for()
        await page.keyboard.press(key)
        await page.wait_for_timeout(pause)


async def play(page: Page) -> None:
    """A few moments of three games."""
    bot = [{"name": "Ann"}, {"name": "Casimir", "bot": "casual"}]
    options = {"starts": "seat", "entry": "0"}
    await page.goto(await created(page, game="farkle", seats=bot, options=options))
    await page.locator(".slots").wait_for()
    await page.wait_for_timeout(800)
    await act(page, "a", "r", "a", "b")
    await page.wait_for_timeout(1800)
    await page.goto(await created(page, game="rogue", seats=bot))
    await page.locator(".table-page[data-busy=false]").wait_for()
    await act(page, "r", "a", "r")
    await page.goto(await created(page, game="peruke", seats=bot[:1]))
    await page.locator(".table-page[data-busy=false]").wait_for()
    await act(page, "r", "a", "Enter")
    await page.goto(await created(page, game="go500", seats=bot, options={"course": "streets"}))
    await page.locator(".table-page[data-busy=false]").wait_for()
    await act(page, "t", "a")
    await page.wait_for_timeout(600)


async def main() -> None:
    """Film and save."""
    async with serving() as home, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=get())
        context = await browser.new_context(
            base_url=home,
            viewport={"width": SIZE[0], "height": SIZE[1]},
            color_scheme="dark",
            service_workers="block",
        )
        known = '["farkle","rogue","peruke","go500"]'
        await context.add_init_script(
            f"try {{ localStorage['hotdice.met'] = '{known}' }} catch {{}}"
        )
        page = await context.new_page()
        await page.goto("/")
        await page.locator(".games li").first.wait_for()
        recorder = Recorder(page)
        await recorder.start()
        await page.wait_for_timeout(900)
        await play(page)
        frames = await encoded(browser, await recorder.stop(), 0.55)
        await browser.close()
    FILM.write_bytes(animated(frames, _SHOWN))


if __name__ == "__main__":
    asyncio.run(main())
