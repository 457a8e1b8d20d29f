"""``hotdice analyse``: what was luck and what was skill in a saved game."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from hotdice.analysis.report import Report, analyse
from hotdice.analysis.telling import (
    better,
    costliest,
    percent,
    rating,
    report_json,
    summary,
    verdict_words,
)
from hotdice.cli.output import console, print_json
from hotdice.cli.solving import solving
from hotdice.solve.coach import value_words
from hotdice.table.files import load_record


def analyse_file(path: Path, *, as_json: bool) -> None:
    """Print the report of a record."""
    record = load_record(path)
    with solving(record.game.title) as progress:
        report = analyse(record, progress=progress)
    if as_json:
        print_json(report_json(report))
        return
    _print(report)


def _print(report: Report) -> None:
    out = console()
    record = report.record
    out.print(f"[bold]{record.game.title}[/], {' and '.join(record.names)}", markup=True)
    out.print(report.basis, style="dim", markup=False)
    out.print()
    table = Table(box=None, pad_edge=False)
    for name in ("", "result", "luck", "given away", "accuracy", "rating", "decisions"):
        table.add_column(name, justify="left" if not name else "right")
    for one in report.seats:
        rated = rating(one, report.objective)
        table.add_row(
            one.name,
            "" if one.result is None else f"{one.result:g}",
            signed_value(one.luck, report.objective),
            value_words(one.cost, report.objective),
            "" if one.accuracy is None else percent(one.accuracy),
            "" if rated is None else f"{rated:.1f}",
            str(one.decisions),
        )
    out.print(table)
    out.print()
    for seat, one in enumerate(report.seats):
        out.print(summary(report, seat), markup=False)
        if one.decisions:
            out.print(f"  {verdict_words(one.verdicts)}", style="dim", markup=False)
    found = costliest(report)
    if found:
        out.print("\nThe costliest decisions", style="bold", markup=False)
    for at, event in found:
        name = record.names[event.seat]
        out.print(f"{at + 1:>4}. {name}: {better(report, event)}", markup=False)


def signed_value(value: float, objective: str) -> str:
    """A value with its sign: ``+13.8 %``."""
    sign = "\u2212" if value < 0 else "+"
    return f"{sign}{value_words(abs(value), objective)}"
