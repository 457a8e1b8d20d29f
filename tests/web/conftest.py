"""A real server and a real browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect
from tools.browser import find

from hotdice.core.registry import game_names
from tests.web.serving import Server

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
LONGEST = 15_000
"""Milliseconds until a test is told that the page hangs, whichever way it waits."""
expect.set_options(timeout=LONGEST)
BLANK = "/icons.json"
"""A page of the server that costs nothing, for tests that go on to another one."""


@pytest.fixture(scope="session")
def _shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of a worker."""
    serving = Server(tmp_path_factory.mktemp("served"))
    serving.start()
    yield serving
    serving.close()


@pytest.fixture
def server(_shared_server: Server) -> Iterator[Server]:
    """The shared server, with the same dice for every test; fails if it has logged an error."""
    _shared_server.seed("a table")
    yield _shared_server
    assert _shared_server.errors() == []


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill."""
    serving = Server(tmp_path)
    serving.start()
    yield serving
    serving.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A browser for all tests of a worker; each opens its own contexts in it."""
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(
            executable_path=find(), args=["--disable-background-networking", "--disable-gpu"]
        )
        yield opened
        await opened.close()


Opener = Callable[..., Any]


@pytest.fixture
def sit(browser: Browser, server: Server) -> Opener:
    """Opens a page in its own context; fails on errors, warnings and foreign requests."""

    @asynccontextmanager
    async def opened(
        path: str = "/",
        *,
        speed: str = "off",
        size: dict[str, int] = DESK,
        home: str = server.url,
        expected: tuple[str, ...] = (),
        met: bool = True,
        workers: bool = False,
        **more: Any,
    ) -> AsyncIterator[Page]:
        context: BrowserContext = await browser.new_context(
            base_url=home,
            viewport={"width": size["width"], "height": size["height"]},
            **more,
        )
        await context.add_init_script(
            f"localStorage['hotdice.settings'] ??= JSON.stringify({{speed: '{speed}'}})"
        )
        await context.add_init_script(
            "localStorage['hotdice.player'] ??="
            " Array.from({length: 48}, () => Math.floor(16 * Math.random()).toString(16)).join('')"
        )
        if not workers:  # a service worker would answer requests before page.route sees them
            await context.add_init_script("delete Navigator.prototype.serviceWorker")
        if met:  # no introduction to a game covers its table
            known = json.dumps(json.dumps([*game_names(), "pig"]))
            await context.add_init_script(f"localStorage['hotdice.met'] ??= {known}")
        context.set_default_timeout(LONGEST)
        page = await context.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console",
            lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.on(
            "request",
            lambda asked: None if _ours(asked.url, home) else wrong.append(asked.url),
        )
        page.on(
            "response",
            lambda found: (
                wrong.append(f"{found.status} {found.url}") if found.status >= 400 else None
            ),
        )
        await page.goto(path)
        yield page
        assert [one for one in wrong if not any(part in one for part in expected)] == []
        await context.close()

    return opened


def _ours(url: str, home: str) -> bool:
    return url.startswith((home, home.replace("http", "ws"), "data:", "blob:"))
