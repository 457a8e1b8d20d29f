"""A real server and a real browser."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, async_playwright
from tools.browser import find

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}


class Server:
    """``hotdice serve`` as a person starts it; can be killed and started again."""

    def __init__(self, home: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as found:
            self.port = int(found.getsockname()[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [str(Path(sys.executable).with_name("hotdice")), "serve", "--log", "json"]
        self._process = subprocess.Popen(  # noqa: S603 - ours
            [*command, "--port", str(self.port)],
            env={**os.environ, "HOTDICE_HOME": str(self._home)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(300):
            try:
                self.ask("/api/health")
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("the server did not start")

    def kill(self) -> None:
        """Kill it in the middle of whatever it does."""
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def ask(self, path: str, sent: object = None, **headers: str) -> Any:
        """What it answers."""
        body = None if sent is None else json.dumps(sent).encode()
        heads = {"Content-Type": "application/json", **headers}
        request = urllib.request.Request(self.url + path, body, heads)  # noqa: S310 - ours
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - ours
            return json.load(answer)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for all tests of a worker."""
    serving = Server(tmp_path_factory.mktemp("served"))
    serving.start()
    yield serving
    serving.kill()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """A browser for all tests of a worker; each opens devices of its own in it."""
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(
            executable_path=find(), args=["--disable-background-networking"]
        )
        yield opened
        await opened.close()


Opener = Callable[..., Any]


@pytest.fixture
def sit(browser: Browser, server: Server) -> Opener:
    """Opens a device: a browser window in which nothing may go wrong unseen."""

    @asynccontextmanager
    async def opened(
        path: str = "/",
        *,
        speed: str = "off",
        size: dict[str, int] = DESK,
        home: str = server.url,
        expected: tuple[str, ...] = (),
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
        page.set_default_timeout(15_000)
        await page.goto(path)
        yield page
        assert [one for one in wrong if not any(part in one for part in expected)] == []
        await context.close()

    return opened


def _ours(url: str, home: str) -> bool:
    return url.startswith((home, home.replace("http", "ws"), "data:", "blob:"))
