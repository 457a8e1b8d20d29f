"""Builds, checks, lints or formats the browser client, or builds the page of its parts."""

from __future__ import annotations

import fcntl
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def hook() -> ModuleType:
    """Import the build hook, which can run npm."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    if spec is None or spec.loader is None:
        raise AssertionError("hatch_build.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(words: list[str]) -> None:
    """Run a script of ``web/package.json``, installing packages first if necessary."""
    if words not in (["build"], ["check"], ["design"], ["format"], ["lint"]):
        raise SystemExit("Usage: python -m tools.web build|check|design|format|lint")
    npm, web = hook().run_npm, ROOT / "web"
    with (web / "package.json").open("rb") as held:  # linters and tests may come here together
        fcntl.flock(held, fcntl.LOCK_EX)
        if not _is_installed(web):
            npm(web, "ci", "--ignore-scripts")
    npm(web, "run", words[0])


def _is_installed(web: Path) -> bool:
    """Whether all packages are installed, including those the build hook omits."""
    installed = web / "node_modules/.package-lock.json"
    return (web / "node_modules/vitest").is_dir() and installed.stat().st_mtime >= (
        web / "package-lock.json"
    ).stat().st_mtime


if __name__ == "__main__":
    main(sys.argv[1:])
