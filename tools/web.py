"""Builds, checks or formats the browser client with the Node that comes as a wheel."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def hook() -> ModuleType:
    """The build hook, which knows how to run npm."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    if spec is None or spec.loader is None:
        raise AssertionError("it lies beside us")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(words: list[str]) -> None:
    """Run a script of ``web/package.json``; the packages that it needs are installed first."""
    if words not in (["build"], ["check"], ["format"]):
        raise SystemExit("Say build, check or format.")
    npm, web = hook().run_npm, ROOT / "web"
    if not _is_installed(web):
        npm(web, "ci", "--ignore-scripts")
    npm(web, "run", words[0])


def _is_installed(web: Path) -> bool:
    """Whether all packages of the lock file are there; building the package leaves some out."""
    installed = web / "node_modules/.package-lock.json"
    return (web / "node_modules/vitest").is_dir() and installed.stat().st_mtime >= (
        web / "package-lock.json"
    ).stat().st_mtime


if __name__ == "__main__":
    main(sys.argv[1:])
