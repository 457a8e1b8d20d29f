"""Finds or installs a Chromium for the tests and the screenshots."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

_NAMES = (
    "chromium-headless-shell",  # opens a page five times as fast as the others
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
_ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
CHOSEN = "HOTDICE_CHROMIUM"
"""The environment variable with the path of a browser to use."""


def find() -> str | None:
    """A Chromium on this machine: the chosen one, an installed one, or Playwright's."""
    if chosen := os.environ.get(CHOSEN):
        return chosen
    for name in _NAMES:
        if path := shutil.which(name):
            return path
    return next((path for path in (*_ELSEWHERE, _own()) if path and Path(path).exists()), None)


def _own() -> str:
    """The path of Playwright's browser, which may not exist."""
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as p: print(p.chromium.executable_path)"
    )
    done = _run([sys.executable, "-c", code], 60)
    return done.stdout.strip() if done and not done.returncode else ""


def get() -> str:
    """A Chromium on this machine; installs one if necessary."""
    if found := find():
        return found
    _run([sys.executable, "-m", "playwright", "install", "chromium"], 300)
    if found := find():
        return found
    if shutil.which("apt-get"):
        first = [] if os.geteuid() == 0 else ["sudo", "-n"]
        _run([*first, "apt-get", "update", "-qq"], 300)
        for name in _NAMES[:2]:
            _run([*first, "apt-get", "install", "-y", "-qq", name], 300)
            if found := find():
                return found
    raise SystemExit(
        f"The tests need a Chromium, and none could be installed; install one or set {CHOSEN}."
    )


def _run(words: list[str], seconds: float) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(  # noqa: S603 - known programs
            words, capture_output=True, text=True, timeout=seconds, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


if __name__ == "__main__":
    sys.stdout.write(f"Browser for the tests: {get()}\n")
