"""The film for the README is a valid animated WebP."""

from __future__ import annotations

import base64

import pytest
from playwright.async_api import Page
from tools.film import Frame, animated

from tests.web.conftest import Opener

pytestmark = pytest.mark.asyncio(loop_scope="session")

_DRAW = """async (colour) => {
  const canvas = new OffscreenCanvas(40, 30);
  const brush = canvas.getContext('2d');
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 40, 30);
  const blob = await canvas.convertToBlob({type: 'image/webp', quality: 0.8});
  return btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())));
}"""
_DECODE = """async (text) => {
  const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const film = new ImageDecoder({data, type: 'image/webp'});
  await film.tracks.ready;
  const {frameCount, repetitionCount} = film.tracks.selectedTrack;
  const frames = [];
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex += 1) {
    const {image} = await film.decode({frameIndex});
    const brush = new OffscreenCanvas(1, 1).getContext('2d');
    brush.drawImage(image, 0, 0, 1, 1);
    const [red, , blue] = brush.getImageData(0, 0, 1, 1).data;
    frames.push([image.displayWidth, image.duration, red > blue]);
  }
  return [repetitionCount === Infinity, frames];
}"""


async def _still(page: Page, colour: str) -> bytes:
    return base64.b64decode(await page.evaluate(_DRAW, colour))


async def test_a_film_shows_its_frames_again_and_again(sit: Opener) -> None:
    async with sit("/") as page:
        red, blue = await _still(page, "#e01010"), await _still(page, "#1010e0")
        film = animated([Frame(red, 100), Frame(blue, 250), Frame(red, 500)], (40, 30))
        decoded = await page.evaluate(_DECODE, base64.b64encode(film).decode())
    microseconds = [[40, 100_000, True], [40, 250_000, False], [40, 500_000, True]]
    assert decoded == [True, microseconds]
