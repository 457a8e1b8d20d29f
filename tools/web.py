"""Builds or checks the browser client with the Node that comes as a wheel."""

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
    """Run a script of ``web/package.json``; what it needs is installed first."""
    if words not in (["build"], ["check"]):
        raise SystemExit("Say build or check.")
    npm, web = hook().run_npm, ROOT / "web"
    if not (web / "node_modules").is_dir():
        npm(web, "ci", "--ignore-scripts")
    npm(web, "run", words[0])


if __name__ == "__main__":
    main(sys.argv[1:])
