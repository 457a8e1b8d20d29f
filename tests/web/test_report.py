"""Luck and skill in the browser: after a game, of a record from elsewhere, and in a saved page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from hotdice.analysis.report import analyse
from hotdice.server.saving import report_page
from tests.analysis.games import played
from tests.web.conftest import BLANK, PHONE, Opener
from tests.web.playing import over
from tests.web.tables import created, play_out
from tests.web.test_access import fits, violations

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOLO = {"game": "peruke", "options": {"games": "1"}, "seats": [{"name": "Ann"}]}


async def warm_up(page: Page) -> None:
    """Analyse a game, however long the first one takes, so that others are quick."""
    record = played("peruke", "games=1", ("random",), "warm", most=6)
    state = record.game.state_text(record.state())
    await page.request.post("/api/analysis", data={"record": record.text()}, timeout=0)
    await page.request.get(
        "/api/games/peruke/position", params={"options": "games=1", "state": state}, timeout=0
    )


async def test_the_report_is_one_click_after_the_game(sit: Opener) -> None:
    async with sit(BLANK, size=PHONE) as page:
        await warm_up(page)
        table = await created(page, **SOLO)
        await play_out(page, table)
        await page.goto(f"/t/{table['id']}")
        await expect(over(page)).to_be_visible()
        await page.get_by_role("link", name="Luck and skill").click()
        card = page.get_by_role("region", name="Ann")
        await expect(card).to_contain_text("accuracy in")
        await expect(card).to_contain_text("such games")
        await expect(page.get_by_role("region", name="How it adds up")).to_contain_text("Result")
        slider = page.get_by_label("Moment of the game")
        await slider.focus()
        await page.keyboard.press("Home")
        await expect(page.get_by_text("Before the first roll.")).to_be_visible()
        await page.keyboard.press("ArrowRight")
        await expect(page.locator(".told")).to_contain_text("Ann rolls")
        await page.keyboard.press("ArrowRight")
        game = page.get_by_role("region", name="The game")
        await expect(game.get_by_text("chosen")).to_be_visible()
        assert await fits(page)
        assert await violations(page) == []
        await page.emulate_media(color_scheme="dark")
        assert await violations(page, "color-contrast") == []
        await page.get_by_role("link", name="Link to this position").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("A position of Peruke One")
        await expect(page.get_by_role("region", name="Choices").locator("li").first).to_be_visible()
        assert await fits(page)
        assert await violations(page) == []


async def test_only_those_who_played_are_asked_to_practise(sit: Opener) -> None:
    async with sit(BLANK) as page, sit(BLANK) as stranger:
        await warm_up(page)
        table = await created(page, **SOLO)
        await play_out(page, table)
        for who, links in ((page, 1), (stranger, 0)):
            async with who.expect_response(f"**/api/tables/{table['id']}"):
                await who.goto(f"/t/{table['id']}/report")
            costly = who.get_by_role("region", name="The costliest decisions")
            await expect(costly).to_be_visible()
            await expect(costly.get_by_role("link", name="Practise these")).to_have_count(links)


async def test_records_from_elsewhere_are_analysed(sit: Opener) -> None:
    async with sit("/analysis", expected=("422",)) as page:
        await warm_up(page)
        await page.get_by_role("button", name="Analyse").click()
        await expect(page.get_by_role("alert")).to_contain_text("Choose a file, or paste")
        await page.get_by_label("Or the text itself").fill("hello")
        await page.get_by_role("button", name="Analyse").click()
        await expect(page.get_by_role("alert")).to_contain_text("This is not a record")
        record = played("peruke", "games=1", ("random",), "a file")
        file = {"name": "x.txt", "mimeType": "text/plain", "buffer": record.text().encode()}
        await page.get_by_label("A file").set_input_files([file])
        costly = page.get_by_role("region", name="The costliest decisions")
        await costly.get_by_role("button").first.click()
        await expect(page.locator(".moment")).to_contain_text("gave away")
        assert await violations(page) == []


async def test_what_is_not_solved_has_no_curve(sit: Opener) -> None:
    async with sit("/analysis") as page:
        record = played("cockroach", "target=999 starts=seat", ("random", "sharp"), "far", most=40)
        await page.request.post("/api/analysis", data={"record": record.text()}, timeout=0)
        await page.get_by_label("Or the text itself").fill(record.text())
        await page.get_by_role("button", name="Analyse").click()
        await expect(page.get_by_text("there is no curve")).to_be_visible()
        await expect(page.get_by_label("Moment of the game")).to_have_count(0)
        await page.get_by_text("All 40 rolls and choices").click()
        await page.locator("details li button").nth(5).click()
        await expect(page.locator(".moment .board").first).to_be_visible()


@pytest.mark.parametrize("state", ["", "nonsense"])
async def test_a_position_that_is_none_gets_a_sentence(sit: Opener, state: str) -> None:
    async with sit(f"/position/farkle?state={state}", expected=("422",)) as page:
        await expect(page.get_by_role("heading", name="No such position")).to_be_visible()
        await expect(page.get_by_role("alert")).to_be_visible()


async def test_a_saved_report_needs_no_server(browser: Browser, tmp_path: Path) -> None:
    record = played("peruke", "games=1", ("random",), "</script><b>")
    file = tmp_path / "report.html"
    file.write_text(report_page(analyse(record)), "utf-8")
    page = await browser.new_page(viewport={"width": 390, "height": 844})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("request", lambda asked: wrong.append(asked.url) if "file:" not in asked.url else None)
    await page.goto(file.as_uri())
    card = page.get_by_role("region", name="North")
    await expect(card).to_contain_text("accuracy in")
    await expect(card).to_have_css("display", "grid")  # by the styles of its part
    await expect(card).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")  # by common ones
    assert await fits(page)
    assert await violations(page) == []
    await (
        page.get_by_role("region", name="The costliest decisions")
        .get_by_role("button")
        .first.click()
    )
    await expect(page.locator(".moment .board").first).to_be_visible()
    await expect(page.locator(".moment")).to_contain_text("chosen")
    assert wrong == []
    await page.close()
