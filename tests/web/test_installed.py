"""The installed page: without the server, and when there is a new version."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

from tests.web.builds import next_build, version_of
from tests.web.conftest import Opener
from tests.web.playing import click_choice, moved_on, over, seq, settled
from tests.web.serving import Server
from tests.web.tables import created, play_out

pytestmark = pytest.mark.asyncio(loop_scope="session")

CUT = ("net::ERR_",)
"""Console errors of a browser whose server was killed."""
LONGEST_WAIT = 8_000
"""Milliseconds after which a disconnected page has retried."""
UNREACHABLE = "Hot Dice is not running, or cannot be reached. Start it with make play"
READY = "A new version is ready"
NEXT = "0" * 12
"""The version of the next build."""


async def until(page: Page, condition: str) -> None:
    """Wait for an asynchronous condition; Playwright takes its promise for a yes."""
    async with asyncio.timeout(15):
        while not await page.evaluate(f"async () => Boolean(await ({condition})())"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def helped(page: Page) -> None:
    """Wait until the service worker has cached everything, and answers for this page."""
    await page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")


async def caches(page: Page) -> list[str]:
    """The versions that are cached."""
    names: list[str] = await page.evaluate("caches.keys()")
    return [name.removeprefix("hotdice-build-") for name in names]


async def waits(page: Page) -> None:
    """Wait until a new version is installed, but not yet used."""
    await until(page, "async () => (await navigator.serviceWorker.getRegistration())?.waiting")


async def is_held(page: Page) -> None:
    """Wait until a tab holds back new versions."""
    await until(page, "async () => (await navigator.locks.query()).held.length > 0")


async def mark(page: Page) -> None:
    """Mark a page, so that a reload is noticed."""
    await page.evaluate("window.marked = true")


async def is_marked(page: Page) -> bool:
    """Whether a page has not been reloaded since."""
    return bool(await page.evaluate("window.marked === true"))


async def is_new(page: Page) -> None:
    """Wait until a page is that of the next build, and only that is cached."""
    await page.locator("script[src$='-next.js']").wait_for(state="attached")
    await until(page, f"async () => (await caches.keys()).join() === 'hotdice-build-{NEXT}'")


async def listens(page: Page) -> None:
    """Note from now on when another worker answers for a page."""
    await page.evaluate(
        "() => { window.changed = new Promise((done) =>"
        " navigator.serviceWorker.addEventListener('controllerchange', done)); }"
    )


async def is_outdated(page: Page) -> None:
    """Wait until a page that listens has learned from the new worker that it is outdated.

    The worker answers in order, so it has answered the page when it answers this.
    """
    await page.evaluate(
        """async () => {
          await window.changed;
          const {port1, port2} = new MessageChannel();
          const answered = new Promise((done) => (port1.onmessage = done));
          navigator.serviceWorker.controller.postMessage({ask: "has", path: "/"}, [port2]);
          await answered;
        }"""
    )


async def test_without_the_server_the_start_page_says_so_and_goes_on_by_itself(
    sit: Opener, own: Server
) -> None:
    async with sit("/", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        await page.goto("/rules/farkle")
        await expect(page.get_by_role("heading", name="Farkle", exact=True)).to_be_visible()
        own.kill()
        await page.clock.install()
        await page.goto("/")
        said = page.get_by_role("status").filter(has_text=UNREACHABLE)
        await expect(said).to_be_visible()
        await expect(page.get_by_role("button", name="Play now")).to_have_count(0)
        await expect(page.locator("main li")).to_have_text(["Rules of Farkle"])
        await page.get_by_role("link", name="Rules of Farkle").click()
        await expect(page.get_by_role("heading", name="Farkle", exact=True)).to_be_visible()
        await expect(said).to_be_visible()
        await page.get_by_role("link", name="Games").click()
        await expect(said).to_be_visible()
        own.start()
        await page.clock.run_for(LONGEST_WAIT)
        await expect(page.get_by_role("button", name="Play now Farkle")).to_be_visible()
        await expect(said).to_have_count(0)


async def test_rules_that_were_never_opened_are_not_promised(sit: Opener, own: Server) -> None:
    async with sit("/", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        await expect(page.get_by_role("button", name="Play now Farkle")).to_be_visible()
        own.kill()
        await page.get_by_role("button", name="Play now Farkle").click()
        await expect(page.get_by_text(UNREACHABLE)).to_be_visible()
        await expect(page.get_by_text("rules that you have opened before can be")).to_be_visible()
        await expect(page.locator("main li")).to_have_count(0)


async def test_pages_opened_without_the_server_go_on_when_it_is_back(
    sit: Opener, own: Server
) -> None:
    shows = {
        "/new/farkle": "Who plays",
        "/rules/rogue": "R1",
        "/tables": "Ann, Ben",
        "/statistics": "No statistics yet.",
    }
    async with sit("/", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        table = await created(page)
        own.kill()
        tabs = {path: await page.context.new_page() for path in (*shows, f"/t/{table['id']}")}
        for path, tab in tabs.items():
            await tab.clock.install()
            await tab.goto(path)
            said = UNREACHABLE if path in shows else "trying again…"
            await expect(tab.get_by_text(said)).to_be_visible()
        own.start()
        for path, tab in tabs.items():
            await tab.clock.run_for(LONGEST_WAIT)
            if path in shows:
                await expect(tab.get_by_text(shows[path]).first).to_be_visible()
                await expect(tab.get_by_text(UNREACHABLE)).to_have_count(0)
            else:
                await settled(tab)


async def test_a_new_version_waits_during_a_turn_and_is_taken_on_the_start_page(
    sit: Opener, own: Server, tmp_path: Path
) -> None:
    """Until then, what the open page has not loaded yet is still there."""
    async with sit("/", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        table = await created(page)
        await page.clock.install()
        await page.goto(f"/t/{table['id']}")
        await settled(page)
        await is_held(page)
        await mark(page)
        own.kill()
        await expect(page.get_by_text("reconnecting…")).to_be_visible()
        old, own.static = version_of(own.static), next_build(tmp_path)
        own.start()
        await page.clock.run_for(LONGEST_WAIT)
        await waits(page)
        await settled(page)
        seen = await seq(page)
        await click_choice(page)
        await moved_on(page, seen)
        assert await is_marked(page)
        assert await caches(page) == [old, NEXT]
        await page.locator("header a[href='/']").click()
        line = page.get_by_role("status").filter(has_text=READY)
        await expect(line).to_be_visible()
        await page.get_by_role("link", name="Settings").click()
        await expect(page.get_by_label("Your name")).to_be_visible()
        await expect(line).to_be_visible()
        assert await is_marked(page)
        await page.get_by_role("link", name="Games").click()
        await line.get_by_role("button", name="Reload").click()
        await is_new(page)
        assert not await is_marked(page)
        await expect(page.get_by_role("button", name="Play now Farkle")).to_be_visible()
        await expect(line).to_have_count(0)


async def test_a_game_in_another_tab_holds_a_new_version_back_until_it_is_over(
    sit: Opener, own: Server, tmp_path: Path
) -> None:
    async with sit("/", home=own.url, expected=CUT, workers=True) as game:
        await helped(game)
        table = await created(game)
        await game.clock.install()
        await game.goto(f"/t/{table['id']}")
        await settled(game)
        await is_held(game)
        await mark(game)
        other = await game.context.new_page()
        await other.goto("/")
        await mark(other)
        own.kill()
        await expect(game.get_by_text("reconnecting…")).to_be_visible()
        own.static = next_build(tmp_path)
        own.start()
        await game.clock.run_for(LONGEST_WAIT)
        await waits(game)
        line = other.get_by_role("status").filter(has_text=READY)
        reload = line.get_by_role("button", name="Reload")
        await reload.click()
        await expect(line).to_contain_text("A game is open in another tab")
        assert len(await caches(other)) == 2
        await play_out(game, table)
        await until(other, "async () => (await navigator.locks.query()).held.length === 0")
        await listens(game)
        await reload.click()
        await is_new(other)
        await is_outdated(game)
        # The other tab goes on as it is, and loads its next page anew.
        await expect(over(game)).to_be_visible()
        assert await is_marked(game)
        await game.locator("header a[href='/']").click()
        await is_new(game)
        assert not await is_marked(game)


async def becomes_visible(page: Page) -> None:
    """Tell a page that it is visible again."""
    await page.evaluate("() => void document.dispatchEvent(new Event('visibilitychange'))")


async def opens_the_start_page(page: Page) -> None:
    """Follow the link to the start page."""
    await page.get_by_role("link", name="Games").click()


@pytest.mark.parametrize("looks", [becomes_visible, opens_the_start_page])
async def test_pages_that_stay_open_look_for_new_versions(
    sit: Opener, own: Server, tmp_path: Path, looks: Callable[[Page], Awaitable[None]]
) -> None:
    async with sit("/settings", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        await mark(page)
        own.kill()
        own.static = next_build(tmp_path)
        own.start()
        await expect(page.get_by_text(READY)).to_have_count(0)
        await looks(page)
        await expect(page.get_by_text(READY)).to_be_visible()
        assert await is_marked(page)


async def test_a_version_taken_in_one_tab_is_loaded_by_others_on_their_way_back(
    sit: Opener, own: Server, tmp_path: Path
) -> None:
    async with sit("/", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        await page.get_by_role("link", name="Settings").click()
        await mark(page)
        other = await page.context.new_page()
        await other.goto("/settings")
        own.kill()
        own.static = next_build(tmp_path)
        own.start()
        await listens(page)
        await becomes_visible(other)
        await other.get_by_role("button", name="Reload").click()
        await is_new(other)
        await is_outdated(page)
        await expect(page.get_by_text(READY)).to_be_visible()
        assert await is_marked(page)
        await page.go_back()
        await is_new(page)
        assert not await is_marked(page)
        await expect(page.get_by_role("button", name="Play now Farkle")).to_be_visible()


async def test_the_next_load_takes_a_new_version_without_asking(
    sit: Opener, own: Server, tmp_path: Path
) -> None:
    async with sit("/", home=own.url, expected=CUT, workers=True) as page:
        await helped(page)
        own.kill()
        own.static = next_build(tmp_path)
        own.start()
        await page.goto("/tables")
        await mark(page)
        await is_new(page)
        await page.get_by_role("link", name="Games").click()
        await expect(page.get_by_role("button", name="Play now Farkle")).to_be_visible()
        await expect(page.get_by_text(READY)).to_have_count(0)
        assert await is_marked(page)


async def test_pages_from_another_machine_have_no_worker_and_miss_nothing(
    sit: Opener, server: Server
) -> None:
    """Over plain http, browsers allow none except on the same machine."""
    elsewhere = "http://192.168.7.7"

    async def forward(route: Route) -> None:
        path = route.request.url.removeprefix(elsewhere)
        await route.fulfill(response=await route.fetch(url=server.url + path))

    # Such pages are not isolated from others either, which Chromium mentions.
    expected = (elsewhere, "Cross-Origin-Opener-Policy header has been ignored")
    async with sit("/about", expected=expected, workers=True) as page:
        await page.route(f"{elsewhere}/**", forward)
        await page.goto(f"{elsewhere}/")
        await expect(page.get_by_role("button", name="Play now Farkle")).to_be_visible()
        await page.wait_for_load_state("load")
        assert not await page.evaluate("isSecureContext || 'serviceWorker' in navigator")


async def test_the_colour_of_the_window_follows_the_chosen_theme(sit: Opener) -> None:
    async with sit("/settings") as page:
        media = "() => [...document.querySelectorAll('meta[name=theme-color]')].map(m => m.media)"
        system = ["(prefers-color-scheme: light)", "(prefers-color-scheme: dark)"]
        assert await page.evaluate(media) == system
        for theme, wanted in (
            ("dark", ["not all", "all"]),
            ("light", ["all", "not all"]),
            ("system", system),
        ):
            await page.get_by_label("Theme").select_option(theme)
            await page.locator(
                f":root[data-theme={theme}]" if theme != "system" else ":root:not([data-theme])"
            ).wait_for()
            assert await page.evaluate(media) == wanted
