"""``hotdice replay``: retell a saved game."""

from __future__ import annotations

from pathlib import Path

from hotdice.cli.output import console, print_json
from hotdice.core.due import Over
from hotdice.core.record import Record, result_text
from hotdice.core.words import signed
from hotdice.table.files import load_record


def replay(path: Path, *, as_json: bool) -> None:
    """Print every event of a record and how it ended."""
    record = load_record(path)
    if as_json:
        print_json(record_json(record))
        return
    out = console()
    game, names = record.game, record.names
    out.print(f"[bold]{game.title}[/], {' and '.join(names)}", markup=True)
    for step in record.steps():
        if game.begins_turn(step.before):
            scores = ", ".join(
                f"{name} {signed(game.score(step.before, seat))}" for seat, name in enumerate(names)
            )
            out.print(f"\n{scores}", style="dim", markup=False)
        out.print(game.tell(*step, names), markup=False)
    due = game.due(record.state())
    ended = result_text(due.result, names) if isinstance(due, Over) else "The game is not over yet."
    out.print(f"\n{ended}", style="bold", markup=False)


def record_json(record: Record) -> dict[str, object]:
    """A record for programs: every event with its sentence and the state after it."""
    game, names = record.game, record.names
    events = []
    for step in record.steps():
        due = game.due(step.before)
        events.append(
            {
                "seat": None if isinstance(due, Over) else due.seat,
                "event": game.event_text(step.event),
                "told": game.tell(*step, names),
                "state": game.state_text(step.after),
            }
        )
    state = record.state()
    due = game.due(state)
    result = None
    if isinstance(due, Over):
        result = {
            "winners": [names[seat] for seat in due.result.winners],
            "scores": list(due.result.scores),
            "clause": due.result.clause,
            "why": due.result.why,
        }
    return {
        "game": game.slug,
        "options": game.options.values(),
        "seats": list(names),
        "first": record.first,
        "tags": record.tags,
        "events": events,
        "state": game.state_text(state),
        "result": result,
    }
