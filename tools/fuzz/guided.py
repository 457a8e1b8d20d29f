"""Coverage-guided fuzzing of one parser with Atheris, run as a subprocess.

    python -m tools.fuzz.guided TARGET [arguments of libFuzzer]

An unexpected exception ends the process, and libFuzzer saves the input.
"""

from __future__ import annotations

import sys

import atheris

_INSTRUMENTED = (
    "hotdice.core",
    "hotdice.games",
    "hotdice.table",
    "hotdice.server.challenges",
    "hotdice.server.limits",
    "hotdice.server.messages",
    "hotdice.server.presence",
    "hotdice.server.sockets",
    "hotdice.server.tables",
    "hotdice.server.tutoring",
    "hotdice.solve.solutions",
    "hotdice.storage.store",
)


def main() -> None:
    """Fuzz until libFuzzer stops."""
    with atheris.instrument_imports(include=list(_INSTRUMENTED)):
        from tools.fuzz import targets  # noqa: PLC0415 - instrumented on import

        targets.prepare()
    name, *words = sys.argv[1:]
    atheris.Setup([sys.argv[0], *words], lambda data: targets.feed(name, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
