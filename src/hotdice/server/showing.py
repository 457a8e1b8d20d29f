"""A table in the words of the wire.

News are told for every command to everybody at a table, so they are plain values that are written
out once. Tests hold them to the schema.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import orjson

from hotdice.core.dice import Die
from hotdice.core.events import Roll
from hotdice.core.game import Over, ToRoll
from hotdice.core.record import Step
from hotdice.core.view import DieView, Place
from hotdice.server.messages import ResultShown
from hotdice.table.log import PLAYED, Entry, Next, Table
from hotdice.table.sitting import Seat

_TOLD = {
    "undo": "takes that back",
    "game": "starts another game",
    "join": "sits down",
}


def show_news(step: Next) -> tuple[list[str], str]:
    """What a step means: a sentence for each of its entries, and the message that tells it."""
    table, last = step.table, step.entries[-1]
    sentences, shown = [], []
    for entry, played, state in _happened(step):
        seq, kind, seat, text, at = entry
        rolled, ended, lost = _outcome(table, seat, played)
        told = _told(table, entry, played)
        sentences.append(told)
        shown.append(
            {
                "seq": seq,
                "kind": kind,
                "seat": seat,
                "text": text,
                "at": at,
                "told": told,
                "rolled": rolled,
                "ends_turn": ended,
                "lost": lost,
                # What could be chosen in between has been chosen already.
                "view": table.game.view(state) if entry is last else table.game.show(state),
            }
        )
    news = {"type": "news", "entries": shown, "status": show_status(table)}
    return sentences, orjson.dumps(news).decode()


def _outcome(
    table: Table, seat: int, played: Step | None
) -> tuple[tuple[DieView, ...], bool, bool]:
    """The dice of a roll, whether the turn ended with it, and whether it brought nothing then."""
    if played is None:
        return (), False, False
    ended = table.game.turn_over(*played)
    if not isinstance(played.event, Roll):
        return (), ended, False
    rolled = table.game.dice_view(played.event.faces, Place.TRAY)
    return rolled, ended, ended and _is_lost(table, seat, played)


def _is_lost(table: Table, seat: int, played: Step) -> bool:
    """Whether a roll that ended a turn brought nothing; rolling for the start loses nothing."""
    if not table.sitting.has_chosen():
        return False
    game = table.game
    before, after = (
        game.score(state, seat) + game.at_stake(state, seat)
        for state in (played.before, played.after)
    )
    return after <= before


def show_sentences(step: Next) -> list[str]:
    """A sentence for each entry of a step."""
    return [_told(step.table, entry, played) for entry, played, _ in _happened(step)]


def _happened(step: Next) -> Iterator[tuple[Entry, Step | None, Any]]:
    """Each entry of a step with what was played, if it was, and the state it led to."""
    sitting = step.table.sitting
    # What is played in a step comes last in it.
    at = sitting.steps - len([entry for entry in step.entries if entry.kind in PLAYED])
    for entry in step.entries:
        if entry.kind in PLAYED:
            played = sitting.step(at)
            at += 1
            yield entry, played, played.after
        else:
            yield entry, None, sitting.state_after(at)


def _told(table: Table, entry: Entry, played: Step | None) -> str:
    if played is not None:
        return table.game.tell(*played, table.names)
    name = table.names[entry.seat]
    if entry.kind == "say":
        return f"{name}: {entry.text}"
    if entry.kind == "late":
        return f"Time is up for {name}: a {entry.text} bot sits in."
    if entry.kind == "sit":
        return f"A {entry.text} bot sits in for {name}." if entry.text else f"{name} is back."
    return f"{name} {_TOLD[entry.kind]}."


def show_status(table: Table) -> dict[str, Any]:
    """How a table stands, the picture apart."""
    due = table.due()
    result = due.result if isinstance(due, Over) else None
    typed = isinstance(due, ToRoll) and table.setup.dice == "typed"
    return {
        "seq": table.seq,
        "game": table.number,
        "due": due_word(table),
        "seat": None if isinstance(due, Over) else due.seat,
        "rolling": [_die(die) for die in due.dice] if typed else (),  # type: ignore[union-attr]
        "result": result._asdict() if result else None,
        "wins": table.wins() if result or table.results else (0,) * len(table.seats),
        "champions": table.champions() if result else (),
        "deadline": table.deadline(),
        "moved": table.moved,
        "undoer": table.sitting.undoer(),
        "seats": _seats(table.seats, table.waiting, table.people),
    }


@lru_cache(4096)
def _seats(
    seats: tuple[Seat, ...], waiting: frozenset[int], people: frozenset[int]
) -> list[dict[str, Any]]:
    return [
        {
            "name": seat.name,
            "bot": seat.bot,
            "open": number in waiting,
            "person": number in people,
        }
        for number, seat in enumerate(seats)
    ]


def due_word(table: Table) -> Any:
    """What has to happen next, in a word."""
    due = table.due()
    if isinstance(due, Over):
        return "over"
    if table.waiting:
        return "wait"
    return "roll" if isinstance(due, ToRoll) else "choose"


def show_result(result: Any) -> ResultShown:
    """How a game ended."""
    return ResultShown.model_validate(result._asdict())


@lru_cache(64)
def _die(die: Die) -> dict[str, Any]:
    faces = [
        {
            "token": face.token,
            "label": face.label,
            "ring": face.ring,
            "drawn": face.drawn,
            "pips": face.pips,
            "flag": face.flag,
        }
        for face in die.faces
    ]
    return {"kind": die.name, "colour": die.colour, "called": die.called, "faces": faces}
