"""Printing for people and for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from hotdice.core.game import AnyGame


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object to standard output."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def print_lines(lines: Sequence[str]) -> None:
    """Print plain lines to standard output."""
    sys.stdout.write("\n".join(lines) + "\n")


def columns(rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> list[str]:
    """Rows as lines with aligned columns; those in ``right`` are right-aligned."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def console(*, to_stderr: bool = False) -> Console:
    """The console for text for people; imports Rich lazily."""
    from rich.console import Console  # noqa: PLC0415 - not needed for JSON

    made = Console(stderr=to_stderr, highlight=False)
    made.soft_wrap = not made.is_terminal
    return made


def face_value(game: AnyGame, code: int) -> int | str:
    """A face for JSON: a number where its text is one."""
    token = game.tokens[code]
    return int(token) if token.isdigit() else token


def option_rows(kind: type[AnyGame]) -> list[dict[str, str]]:
    """The descriptions of a game's options, for JSON."""
    return [info._asdict() for info in kind.options_type.describe()]
