"""One parser under Atheris, guided by coverage; run as a process of its own.

    python -m tools.fuzz.guided TARGET [arguments of libFuzzer]

Whatever a parser must not raise ends the process, and libFuzzer keeps the input.
"""

from __future__ import annotations

import sys

import atheris

_INSTRUMENTED = (
    "hotdice.core",
    "hotdice.games",
    "hotdice.table",
    "hotdice.server.messages",
    "hotdice.server.tables",
    "hotdice.solve.solutions",
    "hotdice.storage.store",
)


def main() -> None:
    """Fuzz until libFuzzer has had enough."""
    with atheris.instrument_imports(include=list(_INSTRUMENTED)):
        from tools.fuzz import targets  # noqa: PLC0415 - instrumented while it is imported

        targets.prepare()
    name, *words = sys.argv[1:]
    atheris.Setup([sys.argv[0], *words], lambda data: targets.feed(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
