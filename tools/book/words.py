"""Formats numbers as Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def percent(value: float, places: int = 1) -> str:
    """A chance as a percentage."""
    return f"{100 * value:.{places}f} %"


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table, right-aligned from the second column on."""
    marks = ["---" if at == 0 else "--:" for at in range(len(heads))]
    lines = [heads, marks, *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
