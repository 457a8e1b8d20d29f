"""Felt, dice and buttons are in view and keep their places, however a table looks, to its end."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Hashable
from itertools import chain
from typing import Any

import pytest
from playwright.async_api import Page, WebSocketRoute, expect

from hotdice import game_names, game_type
from tests.web.conftest import DESK, PHONE, Opener
from tests.web.walking import Look, looks

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPTIONS = {"farkle": "target=2000", "rogue": "target=1500 war_at=1000"}
"""Shorter games, where a full one would take too long to walk through."""
SMALL = {"width": 360, "height": 640}
NAMES = ("Ann", "Bartholomew who has the longest of names")

MEASURE = """async ([seq, selecting]) => {
  const all = (what) => [...document.querySelectorAll(what)];
  const {port1, port2} = new MessageChannel();
  const turn = () => new Promise((done) => {
    port1.onmessage = done;
    port2.postMessage(null);
  });
  const stands = () => all(`.table-page[data-seq="${seq}"][data-busy=false]`).length;
  while (!stands()) await turn();
  const seen = [];
  const measure = (what) => {
    const places = all('.tray, .actions, .felt').flatMap((part) => {
      const {top, height} = part.getBoundingClientRect();
      return [Math.round(top), Math.round(height)];
    });
    const cut = all('.slots .small').filter((line) => line.scrollHeight > line.clientHeight + 1);
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const dice = all('.tray .slot').map((slot) => {
      const {left, top, width} = slot.getBoundingClientRect();
      const lift = parseFloat(getComputedStyle(slot).getPropertyValue('--lift')) * rem;
      return [left, top - lift, width].map(Math.round);
    });
    const blank = !all('.tray .die svg > :not(.letter)').length;  // such dice are smaller
    const parts = all('main > section, .above, .middle, .below, .rail')
      .map((part) => `${part.className || 'scores'} ${part.clientHeight}`);
    const [table] = all('.play');
    const beyond = table.scrollHeight - table.clientHeight;
    const texts = cut.map((line) => line.innerText);
    seen.push({what, places, dice, blank, beyond, parts: parts.join(), cut: texts});
  };
  measure('');
  if (!selecting) return seen;
  const lengths = new Set();
  for (const listed of all('#beside li button')) {
    const length = Math.ceil(listed.textContent.length / 20);
    if (lengths.has(length)) continue;
    lengths.add(length);
    listed.click();
    await turn();
    measure(listed.innerText);
  }
  return seen;
}"""
"""Measures the layout with nothing selected, then with listed choices of every length.

A die lies where it lies without being lifted.
"""


@pytest.mark.parametrize("slug", game_names())
async def test_tray_and_buttons_do_not_move(sit: Opener, slug: str) -> None:
    names = NAMES[: game_type(slug).max_players]
    found = looks(slug, OPTIONS.get(slug, ""), names)
    for size in (DESK, PHONE, SMALL):
        still = {"has_touch": size is not DESK, "reduced_motion": "reduce"}
        async with sit("/", size=size, **still) as page:
            places: dict[tuple[int, ...], str] = {}
            dice: dict[Hashable, dict[tuple[int, ...], str]] = defaultdict(dict)
            for seen, where in await _measured(page, found, tuple(range(len(names)))):
                at = f"{seen['what']!r} {seen['parts']} {where} on {size}"
                assert seen["cut"] == [], at
                assert seen["beyond"] <= 1, at
                places.setdefault(tuple(seen["places"]), at)
                lying = tuple(chain.from_iterable(seen["dice"]))
                dice[seen["blank"], len(lying)].setdefault(lying, at)
        for been in (places, *dice.values()):
            for place in zip(*been, strict=True):
                assert max(place) - min(place) <= 1, "\n".join(f"{k}: {v}" for k, v in been.items())


async def _measured(
    page: Page, found: tuple[Look, ...], everybody: tuple[int, ...]
) -> list[tuple[dict[str, Any], str]]:
    """The layout of every look, on the first seat's device and on one that all share."""
    lines: asyncio.Queue[WebSocketRoute] = asyncio.Queue()

    def wire(line: WebSocketRoute) -> None:
        lines.put_nowait(line)

    await page.route_web_socket(re.compile("/socket$"), wire)
    measured = []
    shared: set[Hashable] = set()  # what was due when measured on a shared device
    stands = 0
    known = 0  # entries that the page has; it ignores all but later ones
    for number, look in enumerate(sorted(found, key=lambda look: -look.before.seq)):
        if not number or known > look.before.seq:
            await page.evaluate(
                """id => {
                  history.pushState(null, '', `/t/${id}`);
                  dispatchEvent(new PopStateEvent('popstate'));
                }""",
                number,
            )
            line, known = await lines.get(), 0
        seen = []
        if (due := look.before.due) not in shared:
            shared.add(due)
            line.send(look.table(*everybody))
            seen += await page.evaluate(MEASURE, [look.before.seq, False])
        line.send(look.table(0))
        if stands == look.step.table.seq:  # else the new number shows when the next look is there
            await page.evaluate(MEASURE, [look.before.seq, False])
        stands = look.step.table.seq
        line.send(look.news)
        known += len(look.step.entries)
        seen += await page.evaluate(MEASURE, [look.step.table.seq, True])
        where = f"at {look.step.table.sitting.state}"
        measured += [(one, where) for one in seen]
    line.send(look.words)
    await expect(page.locator("p.said")).to_be_visible()
    said = await page.evaluate(MEASURE, [stands + 1, False])
    await line.close(code=1012)
    await expect(page.locator(".lost")).to_be_visible()
    lost = await page.evaluate(MEASURE, [stands + 1, False])
    return [*measured, (said[0], "with chat"), (lost[0], "disconnected")]
