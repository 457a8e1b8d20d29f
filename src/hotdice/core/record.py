"""Records: a whole game as readable text, replayable with nothing but the rules.

A record is a few ``key: value`` lines, an empty line, and one line per turn. Rolls and
choices follow in order, separated by semicolons; text in braces is a comment.
Line breaks between turns carry no meaning. A record of verified dice ends with a proof, whose
lines are only read and written here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hotdice.core.due import Over, Result
from hotdice.core.errors import HotDiceError, UnreadableText
from hotdice.core.events import Event
from hotdice.core.game import AnyGame
from hotdice.core.registry import game_type
from hotdice.core.words import is_shown, name_key, quoted, signed

VERSION = 1
_MAGIC = "hotdice record"
_COMMENT = re.compile(r"\{[^{}]*\}")
_LONGEST_NAME = 40
_REQUIRED = ("game", "seats")
_PROOF = "proof:"


class Step(NamedTuple):
    """One event of a replay with the states around it."""

    before: Any
    event: Event
    after: Any


@dataclass(frozen=True)
class Record:
    """A game as it was played so far.

    Attributes:
        game: the rules with their options.
        names: the seats' names.
        events: everything that happened.
        first: the seat that came first, where no rule decides it.
        tags: anything else worth keeping, for instance who was a bot and the seed.
        proof: the lines that prove verified dice; none for other dice.
    """

    game: AnyGame
    names: tuple[str, ...]
    events: tuple[Event, ...] = ()
    first: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    proof: tuple[str, ...] = ()

    def steps(self) -> Iterator[Step]:
        """Replay the game event by event; raises ``IllegalEvent``."""
        state = self.game.start(len(self.names), self.first)
        for event in self.events:
            after = self.game.apply(state, event)
            yield Step(state, event, after)
            state = after

    def state(self) -> Any:
        """The current state."""
        state = self.game.start(len(self.names), self.first)
        for event in self.events:
            state = self.game.apply(state, event)
        return state

    def text(self) -> str:
        """The record as text."""
        game = self.game
        lines = [f"{_MAGIC} {VERSION}", f"game: {game.slug}"]
        options = game.options.text()
        lines += [f"options: {options}"] if options else []
        lines.append(f"seats: {' | '.join(self.names)}")
        lines += [f"first: {self.first + 1}"] if self.first else []
        lines += [f"{key}: {value}" for key, value in sorted(self.tags.items())]
        due = game.due(self.state())
        if isinstance(due, Over):
            lines.append(f"result: {_result_line(due.result, self.names)}")
        proof = ["", _PROOF, *self.proof] if self.proof else []
        return "\n".join([*lines, "", *self._turns(), *proof]) + "\n"

    def _turns(self) -> Iterator[str]:
        words: list[str] = []
        seat, number = 0, 0
        for step in self.steps():
            if not words:
                number += 1
                due = self.game.due(step.before)
                seat = -1 if isinstance(due, Over) else due.seat
            words.append(self.game.event_text(step.event))
            if self.game.turn_over(*step) and self.game.begins_turn(step.after):
                yield f"{number}. {{{self.names[seat]}}} {'; '.join(words)}"
                words = []
        if words:
            yield f"{number}. {{{self.names[seat]}}} {'; '.join(words)}"


def result_text(result: Result, names: Sequence[str]) -> str:
    """Who won, with everybody's points and the clause that ended the game, for people."""
    return _result(result, names, signed)


def _result_line(result: Result, names: Sequence[str]) -> str:
    """The same in a record: with a hyphen as minus, since reading compares it as text."""
    return _result(result, names, "{:,}".format)


def _result(result: Result, names: Sequence[str], number: Callable[[int], str]) -> str:
    scores = ", ".join(
        f"{name} {number(score)}" for name, score in zip(names, result.scores, strict=True)
    )
    winners = " and ".join(names[seat] for seat in result.winners)
    verb = "share the win" if len(result.winners) > 1 else "wins"
    won = f"{winners} {verb}: " if winners else ""
    return f"{won}{scores} ({result.clause})"


def check_name(name: str) -> str:
    """Validate and normalise the name of a seat; raises ``UnreadableText``."""
    cleaned = " ".join(name.split())
    if not cleaned or len(cleaned) > _LONGEST_NAME:
        raise UnreadableText(f"A name has 1 to {_LONGEST_NAME} characters.")
    if not name_key(cleaned):
        raise UnreadableText("A name needs a visible character.")
    if any(letter in "|{}" or not is_shown(letter) for letter in cleaned):
        raise UnreadableText("A name cannot contain |, {, } or control characters.")
    return cleaned


def read_record(text: str, kind: type[AnyGame] | None = None) -> Record:
    """Parse a record; raises ``UnreadableText`` naming the damaged line.

    Args:
        text: the record.
        kind: the game's class, for a game that is not installed.
    """
    lines = text.removeprefix("\ufeff").splitlines()
    _check_version(lines[0] if lines else "")
    tags: dict[str, str] = {}
    at = 1
    while at < len(lines) and lines[at].strip():
        key, colon, value = lines[at].partition(":")
        if not colon or key.strip() in tags:
            raise UnreadableText("The record's heading is damaged here.", line=at + 1)
        tags[key.strip()] = value.strip()
        at += 1
    for key in _REQUIRED:
        if key not in tags:
            raise UnreadableText(f"The record does not name its {key}.")
    result = tags.pop("result", None)
    record = _heading(tags, kind)
    end = lines.index(_PROOF, at) if _PROOF in lines[at:] else len(lines)
    events, state = _replay(record, lines[at:end], at)
    proof = tuple(line.strip() for line in lines[end + 1 :] if line.strip())
    whole = Record(record.game, record.names, events, record.first, record.tags, proof)
    due = record.game.due(state)
    ended = None
    if isinstance(due, Over):
        ended = _result_line(due.result, record.names)
    if result is not None and ended != result:
        raise UnreadableText("The record is damaged: its events do not lead to its result.")
    return whole


def _check_version(line: str) -> None:
    if not line.startswith(_MAGIC):
        raise UnreadableText(f"This is not a record; its first line is not '{_MAGIC} {VERSION}'.")
    version = line.removeprefix(_MAGIC).strip()
    if not (version.isascii() and version.isdigit()) or not int(version[:9]):
        raise UnreadableText("The record has no valid version.", line=1)
    if int(version[:9]) > VERSION:
        raise UnreadableText(
            f"This record has version {version[:9]}, newer than this Hot Dice can read; "
            "update Hot Dice."
        )


def _heading(tags: dict[str, str], kind: type[AnyGame] | None) -> Record:
    slug, options = tags.pop("game"), tags.pop("options", "")
    kind = game_type(slug) if kind is None or kind.slug != slug else kind
    game = kind.with_options(options)
    names = tuple(check_name(name) for name in tags.pop("seats").split("|"))
    if len({name_key(name) for name in names}) < len(names):
        raise UnreadableText("Two seats of the record have the same name.")
    first = tags.pop("first", "1")
    if not (first.isascii() and first.isdigit()) or len(first) > 3:
        raise UnreadableText(f"{quoted(first)} is not the number of the seat that is first.")
    game.start(len(names), int(first) - 1)
    return Record(game, names, first=int(first) - 1, tags=tags)


def _replay(record: Record, lines: Sequence[str], offset: int) -> tuple[tuple[Event, ...], Any]:
    game = record.game
    state = game.start(len(record.names), record.first)
    events: list[Event] = []
    for number, line in enumerate(lines, start=offset + 1):
        plain = _COMMENT.sub(" ", line).strip()
        plain = re.sub(r"^\d+\.(\s|$)", "", plain)
        for word in plain.split(";") if plain else ():
            try:
                event = game.read_event(word.strip())
                state = game.apply(state, event)
            except HotDiceError as error:
                message = f"The record is damaged at {quoted(word.strip())}: {error}"
                raise UnreadableText(message, line=number) from error
            events.append(event)
    return tuple(events), state
