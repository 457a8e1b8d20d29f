"""Tables as messages.

Every command makes a message for all clients of a table, so it is built from plain values and
serialised once; tests compare it with the schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypedDict

import orjson

from hotdice.core.dice import Die
from hotdice.core.due import Over, Result, ToRoll
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame
from hotdice.core.losing import is_lost
from hotdice.core.record import Step
from hotdice.core.view import DieView, Mood, Place, View
from hotdice.core.words import counted, listed
from hotdice.server.messages import AdviceShown, CounselShown, DueWord, OddsShown, ResultShown
from hotdice.solve.coach import Advice, cost_words, value_words
from hotdice.table.aside import groups_of
from hotdice.table.drawing import Chain, Drawing
from hotdice.table.entries import PLAYED, Entry, Kind
from hotdice.table.log import Next, Table
from hotdice.table.sitting import Seat
from hotdice.table.summary import story_of
from hotdice.table.verified import SKIPPED


class StatusFields(TypedDict):
    """The fields of ``messages.Status``."""

    seq: int
    game: int
    due: DueWord
    seat: int | None
    rolling: Sequence[dict[str, object]]
    result: dict[str, object] | None
    story: dict[str, object] | None
    wins: tuple[int, ...]
    champions: tuple[int, ...]
    deadline: float | None
    moved: float | None
    undoer: int | None
    seats: list[dict[str, object]]
    draw: dict[str, object] | None


_LONGEST_STORY = 3000
"""Events of a game whose course is told."""
_DICE = (Kind.CHAIN, Kind.ASK, Kind.LINK, Kind.DRAW)
_TOLD = {
    Kind.UNDO: "takes that back",
    Kind.GAME: "starts another game",
    Kind.JOIN: "sits down",
}


def show_news(after: Next) -> tuple[list[str], str]:
    """New entries: a sentence for each of them, and the message about them as JSON."""
    table, last = after.table, after.entries[-1]
    game, names = table.game, table.names
    sentences, shown = [], []
    for entry, played, state, moved in _happened(after):
        seq, kind, seat, text, at = entry
        view = _view(table, state, moved, names if entry is last else None)
        rolled, ended, lost = _outcome(table, played, view.dice)
        told = _told(game, names, entry, played)
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
                "starts": played is not None and _decides_start(table, played, moved),
                "ended": _end_of_game(game, played) if ended else None,
                "view": view,
            }
        )
    news = {"type": "news", "entries": shown, "status": show_status(table)}
    return sentences, orjson.dumps(news).decode()


def _end_of_game(game: AnyGame, played: Step | None) -> View | None:
    """How a game of a series looked at its end, if the next one has begun already."""
    if played is None or len(game.series(played.after)) == len(game.series(played.before)):
        return None
    if isinstance(game.due(played.after), Over):
        return None
    return game.show_end(played.before, played.event)


def _outcome(
    table: Table, played: Step | None, shown: tuple[DieView, ...]
) -> tuple[tuple[DieView, ...], bool, bool]:
    """The dice of a roll that are gone, whether the turn is over, and whether nothing was gained.

    ``shown`` are the dice that lie there after it.
    """
    if played is None:
        return (), False, False
    game, event = table.game, played.event
    ended = game.turn_over(*played)
    if not isinstance(event, Roll) or not (ended or _are_gone(event, shown)):
        return (), ended, False
    rolled = game.dice_view(tuple(sorted(event.faces)), Place.TRAY)
    return rolled, ended, ended and _is_lost(table, played)


def _are_gone(roll: Roll, shown: tuple[DieView, ...]) -> bool:
    """Whether a roll has led to something else at once, so that its dice lie there no longer."""
    left = [die.code for die in shown]  # this runs for every roll
    if left[: len(roll.faces)] == sorted(roll.faces):
        return False
    for face in roll.faces:
        if face not in left:
            return True
        left.remove(face)
    return False


def _is_lost(table: Table, played: Step) -> bool:
    """Whether a roll ended a turn with nothing gained; rolls for who starts do not count."""
    begun = table.sitting.has_chosen() or table.game.begins_turn(played.before)
    return begun and is_lost(table.game, *played)


def _decides_start(table: Table, played: Step, moved: int) -> bool:
    """Whether this move, the last of so many, was the roll that decided who starts."""
    game = table.game
    if not isinstance(played.event, Roll) or game.begins_turn(played.before):
        return False
    if not game.begins_turn(played.after):
        return False
    moves = table.sitting.moves
    return all(isinstance(moves[at].event, Roll) for at in range(moved))


def show_sentences(after: Next) -> list[str]:
    """A sentence for each new entry."""
    game, names = after.table.game, after.table.names
    return [_told(game, names, entry, played) for entry, played, _, _ in _happened(after)]


def show_view(table: Table) -> View:
    """The view of a table, choices included."""
    return _view(table, table.state, len(table.sitting.moves), table.names)


def _view(table: Table, state: object, moved: int, names: Sequence[str] | None) -> View:
    """The view of a state after so many moves; only the last one needs choices, with names."""
    game, moves = table.game, table.sitting.moves
    shown = game.show(state) if names is None else game.view(state, names)
    if game.set_aside(state):
        shown.groups = groups_of(game, moves, moved)
    if shown.mood is Mood.HOT and not shown.dice and moved:
        before, event, *_ = moves[moved - 1]
        if isinstance(event, Choice):
            # No state knows these dice: all were set aside, and are seen until they are thrown.
            codes = tuple(die.code for die in game.show(before).dice)
            shown.dice = game.dice_view(codes, Place.KEPT)
    return shown


def _happened(after: Next) -> Iterator[tuple[Entry, Step | None, object, int]]:
    """Each new entry with its event, if it has one, and the state and number of moves after it."""
    sitting = after.table.sitting
    # In a batch, played entries come last.
    moves = sitting.moves.last(sum([entry.kind in PLAYED for entry in after.entries]))
    state = moves[0].before if moves else sitting.state
    moved = len(sitting.moves) - len(moves)
    coming = iter(moves)
    for entry in after.entries:
        if entry.kind in PLAYED:
            before, event, state, _ = next(coming)
            moved += 1
            yield entry, Step(before, event, state), state, moved
        else:
            yield entry, None, state, moved


def _told(game: AnyGame, names: list[str], entry: Entry, played: Step | None) -> str:
    if played is not None:
        return game.tell(*played, names)
    if entry.kind in _DICE:
        return _dice_told(names, entry)
    name = names[entry.seat]
    if entry.kind is Kind.SAY:
        return f"{name}: {entry.text}"
    if entry.kind is Kind.LATE:
        return f"Time is up for {name}: a {entry.text} bot sits in."
    if entry.kind is Kind.SIT:
        return f"A {entry.text} bot sits in for {name}." if entry.text else f"{name} is back."
    return f"{name} {_TOLD[entry.kind]}."


def _dice_told(names: list[str], entry: Entry) -> str:
    """A sentence about verified dice; empty for what happens with every roll."""
    if entry.kind is Kind.DRAW:
        missed = sum(word.endswith(SKIPPED) for word in entry.text.split())
        devices = counted(missed, "device", "devices")
        return f"The dice are rolled without {devices}." if missed else ""
    if entry.kind is not Kind.CHAIN:
        return ""
    seats = Chain.read(entry.text)[0].seats
    if not seats:
        return "The dice of this table are verified."
    return f"A device of {listed([names[seat] for seat in seats])} takes part in the dice."


def show_draw(drawing: Drawing, seats: int) -> dict[str, object]:
    """Verified dice in this game."""
    ask = drawing.ask
    return {
        "rolls": drawing.rolls,
        "without": [drawing.without.get(seat, 0) for seat in range(seats)],
        "ask": {"number": ask.number, "seal": ask.seal, "given": sorted(ask.links)}
        if ask
        else None,
    }


def show_status(table: Table) -> StatusFields:
    """The status of a table: everything but the view."""
    due, seats, drawing = table.sitting.due, table.sitting.seats, table.drawing
    result = due.result if isinstance(due, Over) else None
    rolled = due.dice if isinstance(due, ToRoll) and table.setup.dice == "typed" else ()
    return {
        "seq": table.seq,
        "game": table.number,
        "due": due_word(table),
        "seat": None if isinstance(due, Over) else due.seat,
        "rolling": [show_die(die) for die in rolled] if rolled else (),
        "result": result._asdict() if result else None,
        "story": _story(table) if result else None,
        "wins": table.wins() if result or table.results else (0,) * len(seats),
        "champions": table.champions() if result else (),
        "deadline": table.deadline(),
        "moved": table.moved,
        "undoer": table.undoer(),
        "seats": _seats(seats, table.waiting, table.people),
        "draw": show_draw(drawing, len(seats)) if drawing is not None else None,
    }


def _story(table: Table) -> dict[str, object] | None:
    """The course of the game; ``None`` if it was so long that telling it would take too long."""
    moves = table.sitting.moves[:]
    if not 0 < len(moves) <= _LONGEST_STORY:
        return None
    steps = [Step(move.before, move.event, move.after) for move in moves]
    scores, best, worst = story_of(table.game, steps, steps[0].before)
    return {
        "scores": scores,
        "best": best._asdict() if best else None,
        "worst": worst._asdict() if worst else None,
    }


@lru_cache(4096)
def _seats(
    seats: tuple[Seat, ...], waiting: frozenset[int], people: frozenset[int]
) -> list[dict[str, object]]:
    return [
        {
            "name": seat.name,
            "bot": seat.bot,
            "open": number in waiting,
            "person": number in people,
        }
        for number, seat in enumerate(seats)
    ]


def due_word(table: Table) -> DueWord:
    """What has to happen next, in one word."""
    due = table.sitting.due
    if isinstance(due, Over):
        return "over"
    if table.waiting:
        return "wait"
    if table.drawing is not None and (table.is_asked or table.lacks_devices()):
        return "draw"  # nobody has to ask for it
    return "roll" if isinstance(due, ToRoll) else "choose"


def show_result(result: Result) -> ResultShown:
    """How a game ended."""
    return ResultShown.model_validate(result._asdict())


@lru_cache(64)
def show_die(die: Die) -> dict[str, object]:
    """A die with its faces, as a ``DieDue``."""
    faces = [
        {
            "token": face.token,
            "label": face.label,
            "ring": face.ring,
            "drawn": face.drawn,
            "pips": face.pips,
            "flag": face.flag,
            "name": face.name,
        }
        for face in die.faces
    ]
    return {"kind": die.name, "colour": die.colour, "called": die.called, "faces": faces}


def show_advice(game: AnyGame, seq: int, advice: Advice, names: Sequence[str] = ()) -> AdviceShown:
    """The coach's advice at a sequence number, to seats with these names."""
    advice = advice.named(names)
    aim = advice.objective
    return AdviceShown(
        seq=seq,
        objective=aim,
        exact=advice.exact,
        basis=advice.basis,
        counsels=[
            CounselShown(
                text=game.event_text(counsel.choice),
                words=counsel.meaning.words,
                effect=counsel.meaning.effect,
                value=counsel.value,
                worth=value_words(counsel.value, aim),
                cost=counsel.cost,
                lost=cost_words(counsel.cost, aim),
                odds=[
                    OddsShown(name=odds.name, chance=float(odds.chance)) for odds in counsel.odds
                ],
                why=counsel.why,
            )
            for counsel in advice.counsels
        ],
    )
