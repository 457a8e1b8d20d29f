"""A game from outside at its table: with a look of its own, and without one."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import BLANK, Opener
from tests.web.playing import enabled, moved_on, seq, settled
from tests.web.serving import Server
from tests.web.tables import created

pytestmark = pytest.mark.asyncio(loop_scope="session")

OWN, PLAIN = "rgb(90, 42, 107)", "rgb(42, 107, 84)"
"""The surface on light pages, of the painted toy and of a game without a look."""


async def test_a_game_from_outside_is_played_with_and_without_a_look(
    painted_toy: str, toy: str, own: Server, sit: Opener
) -> None:
    async with sit(BLANK, home=own.url, met=False, color_scheme="light") as page:
        await sit_down(page, painted_toy)
        card = page.get_by_role("region", name="Painted Pig in three lines")
        await expect(card).to_contain_text("Be the first with 200 points.")
        await card.get_by_role("button", name="Got it").click()
        assert await colour(page, "--felt") == OWN
        shown = page.locator(".tray .die .drawn circle")
        await expect(shown.first).to_have_attribute("fill", "#b3437e")
        await expect(page.locator(".tray .die .pip")).to_have_count(0)
        await play(page)

        await sit_down(page, toy)
        await expect(page.get_by_text("in three lines")).to_have_count(0)
        assert await colour(page, "--felt") == PLAIN
        await expect(page.locator(".tray .die .drawn")).to_have_count(0)
        await expect(page.locator(".tray .die .pip").first).to_be_visible()
        await play(page)


async def sit_down(page: Page, slug: str) -> None:
    """Go to a new table where both seats play on this page."""
    table = await created(page, game=slug, options={"target": "200"})
    await page.goto(f"/t/{table['id']}#{'.'.join(seat['secret'] for seat in table['seats'])}")
    await settled(page)


async def play(page: Page) -> None:
    """Play a few turns by clicking: hold after every roll, roll when it is due."""
    for _ in range(8):
        await settled(page)
        seen = await seq(page)
        big = page.locator("button.big")
        if not await big.count():
            await enabled(page).first.click()
        else:
            hands_over = "it is your turn" in await big.inner_text()
            await big.click()
            if hands_over:
                continue
        await moved_on(page, seen)


async def colour(page: Page, name: str) -> str:
    """The value of a custom property at the table, as a colour."""
    found: str = await page.locator(".table-page").evaluate(
        """(table, name) => {
          const probe = table.appendChild(document.createElement('i'));
          probe.style.color = `var(${name})`;
          const {color} = getComputedStyle(probe);
          probe.remove();
          return color;
        }""",
        name,
    )
    return found
