"""Exact pins of every direct dependency at its lower bound, for ``make lowest``.

The bounds of runtime, test and build dependencies are read from ``pyproject.toml``. Transitive
dependencies are left to pip.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_BOUND = re.compile(r"(?P<name>[\w.-]+(?:\[[\w,-]+\])?)\s*>=\s*(?P<version>[\w.]+)(?:\s*,.*)?")


def pin(requirement: str) -> str:
    """A requirement pinned to its lower bound; raises ``SystemExit`` if it has none."""
    found = _BOUND.fullmatch(requirement.strip())
    if not found:
        raise SystemExit(f"{requirement!r} in pyproject.toml needs a lower bound (>=).")
    return f"{found['name']}=={found['version']}"


def pins(pyproject: dict[str, Any]) -> list[str]:
    """The pins of all build, runtime and test dependencies."""
    project = pyproject["project"]
    wanted = [
        *project["dependencies"],
        *project["optional-dependencies"]["test"],
        *pyproject["build-system"]["requires"],
    ]
    return sorted({pin(requirement) for requirement in wanted})


def main() -> None:
    """Print the pins; only runs on the lowest Python, as old wheels do not support newer ones."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lowest = pyproject["project"]["requires-python"].removeprefix(">=")
    running = ".".join(str(part) for part in sys.version_info[:2])
    if running != lowest:
        raise SystemExit(
            f"The lowest versions are tested on Python {lowest}, but this is {running}; "
            f"run make lowest PYTHON=python{lowest}."
        )
    sys.stdout.write("\n".join(pins(pyproject)) + "\n")


if __name__ == "__main__":
    main()
