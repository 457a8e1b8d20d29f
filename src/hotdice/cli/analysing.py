"""``hotdice analyse``: what was luck and what was skill in a saved game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from hotdice.analysis.report import Report, analyse_by
from hotdice.analysis.telling import (
    better,
    costliest,
    percent,
    rating,
    report_json,
    summary,
    verdict_words,
)
from hotdice.analysis.valuing import Valuer
from hotdice.cli.output import console, print_json
from hotdice.cli.solving import solving
from hotdice.core.errors import BadSetup, HotDiceError
from hotdice.core.words import counted
from hotdice.solve.coach import value_words
from hotdice.table.files import BadFile, load_record, write_atomically


def analyse_files(paths: Sequence[Path], *, as_json: bool, html: Path | None) -> None:
    """Print the report of a record, or a line for each of several; or save it as a page."""
    if html is not None:
        if len(paths) > 1:
            raise BadSetup("--html saves the report of one record; name only one.")
        _save(_analyse(paths[0]), html)
    elif len(paths) > 1:
        _analyse_many(paths, as_json=as_json)
    elif as_json:
        print_json(report_json(_analyse(paths[0])))
    else:
        _print(_analyse(paths[0]))


Valuers = dict[tuple[str, str, int], Valuer[Any, Any]]
"""The values of games, by their name, options and players."""


def _analyse(path: Path, known: Valuers | None = None) -> Report:
    record = load_record(path)
    game, players, known = record.game, len(record.names), {} if known is None else known
    key = game.slug, game.options.text(), players
    if key not in known:
        with solving(game.title) as progress:
            known[key] = Valuer(game, players, progress=progress)
    return analyse_by(known[key], record)


def _save(report: Report, path: Path) -> None:
    from hotdice.server.saving import report_page  # noqa: PLC0415 - loads the whole server

    try:
        write_atomically(path, report_page(report))
    except OSError as error:
        raise BadFile(f"The report cannot be saved to {path}: {error.strerror}.") from error
    console().print(f"The report is in {path}.", markup=False)


def _analyse_many(paths: Sequence[Path], *, as_json: bool) -> None:
    """A line for each record as soon as it is analysed; those that cannot be are named at once.

    Raises ``BadFile`` at the end if there were any.
    """
    out, bad = console(to_stderr=True), 0
    known: Valuers = {}
    for number, path in enumerate(paths, start=1):
        out.print(f"{number} of {len(paths)}: {path}", style="dim", markup=False)
        try:
            report = _analyse(path, known)
        except HotDiceError as error:
            out.print(str(error), style="red", markup=False)
            bad += 1
            continue
        if as_json:
            print_json({"file": str(path), **report_json(report)})
        else:
            console().print(f"{path}: {_line(report)}", markup=False)
    if bad:
        raise BadFile(f"{bad} of {len(paths)} files could not be analysed.")


def _line(report: Report) -> str:
    """A report in one line: accuracy and luck of every seat."""
    return "; ".join(
        f"{one.name} {'' if one.accuracy is None else percent(one.accuracy) + ' '}"
        f"({counted(one.decisions, 'decision', 'decisions')}), "
        f"luck {signed_value(one.luck, report.objective)}"
        for one in report.seats
    )


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
