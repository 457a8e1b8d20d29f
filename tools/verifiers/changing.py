"""Changes of records: single characters and words, lines that move, and whole games made anew."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any

from hotdice.core.due import Over, ToRoll
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Event
from hotdice.core.record import Record, read_record
from hotdice.table.verified import (
    SERVER,
    SKIPPED,
    Draw,
    Legend,
    first_seal,
    next_seal,
    read_given,
    roll_of,
    sealed,
)

_LETTERS = "0123456789abcfx ;:,|={}.-\n\u00e9\u2028"
_ROLL = re.compile(r"roll \d+, event \d+, dice [\d ]*: (.*)")


def resealed(text: str) -> str:
    """The text with a last line that fits it."""
    start = text.rfind("seal ")
    body = text[:start] if start >= 0 else text
    return f"{body}seal {sha256(body.encode()).hexdigest()}\n"


def changed(rng: Random, text: str) -> str:
    """The text changed in one place."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    what = rng.randrange(6)
    if what == 0:
        del lines[at]
    elif what == 1:
        lines.insert(at, lines[at])
    elif what == 2:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif what == 3:
        lines[at] = _other_letter(rng, lines[at])
    else:
        lines[at] = changed_line(rng, lines[at])
    return "\n".join(lines)


def changed_line(rng: Random, line: str) -> str:
    """The line with another word of the same kind in one place."""
    words = re.split(r"([ ,;:|={}.]+)", line)
    places = [at for at, word in enumerate(words) if word]
    if not places:
        return "x"
    at = rng.choice(places)
    words[at] = _other_word(rng, words[at])
    return "".join(words)


def _other_letter(rng: Random, line: str) -> str:
    at = rng.randrange(len(line) + 1)
    letter: str = rng.choice(["", *_LETTERS])
    return line[:at] + letter + line[at + rng.randrange(2) :]


def _other_word(rng: Random, word: str) -> str:
    if word in SKIPPED:
        return SKIPPED[word == SKIPPED[0]]
    if re.fullmatch("[0-9a-f]{64}", word):
        hashed = sha256(bytes.fromhex(word)).hexdigest()
        return rng.choice([hashed, hashed, *SKIPPED, word.upper(), word[:-1], word[::-1]])
    if word.isascii() and word.isdigit():
        number = int(word[:9])
        return str(rng.choice([number + 1, max(0, number - 1), 0, 7 * number, f"0{number}"]))
    return rng.choice([f"{word}x", word.swapcase(), "", word[::-1]])


def remade(rng: Random, text: str) -> str:
    """A record with a changed proof whose game is made anew, so that it is legal and dice fit.

    Somebody who knows all secrets could write it. Of the changes, only those of rules and dice
    are gone; whether the proof is true is for the verifiers to say.
    """
    record = read_record(text)
    lines = list(record.proof[:-1])
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        lines = _changed_lines(rng, lines)
    if rng.random() < 0.2:
        names = (f"{record.names[0][:30]} {rng.randrange(10)}", *record.names[1:])
        record = replace(record, names=names)
    try:
        return _Remaking(rng, record).run(lines)
    except (HotDiceError, KeyError, ValueError):  # so damaged that no dice follow from it
        return resealed(replace(record, proof=(*lines, "seal ")).text())


def _changed_lines(rng: Random, lines: list[str]) -> list[str]:
    lines = list(lines)
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(5)
    if what == 0:
        lines[at], lines[other] = lines[other], lines[at]
    elif what == 1:
        lines.insert(other, lines[at])
    elif what == 2:
        del lines[at]
    else:
        lines[at] = changed_line(rng, lines[at])
    return lines


class _Remaking:
    """Plays a game with the chains and links of a proof, whatever dice follow from them."""

    def __init__(self, rng: Random, record: Record) -> None:
        self._rng, self._record, self._game = rng, record, record.game
        self._state: Any = self._game.start(len(record.names), record.first)
        self._events: list[Event] = []
        self._legend = Legend()

    def run(self, lines: list[str]) -> str:
        head = [line.split(" ")[-1] for line in lines[:3]]
        table, number, before = head[0], int(head[1]), head[2].removeprefix("-")
        seal = first_seal(self._record, table, number, before)
        proof, since, done, rolls = lines[:3], list[str](), 0, 0
        for line in lines[3:]:
            match = _ROLL.fullmatch(line)
            if match is None:
                if not line.startswith("die "):
                    proof.append(line)
                    since.append(line)
                continue
            self._play_until_roll()
            due = self._game.due(self._state)
            if not isinstance(due, ToRoll):
                break
            rolls += 1
            texts = [self._game.event_text(event) for event in self._events[done:]]
            seal = next_seal(seal, since, texts)
            done = len(self._events)
            links = {n: link for n, link in read_given(match[1]).items() if link not in SKIPPED}
            server = links.pop(SERVER)
            draw = Draw(table, number, rolls, links, seal)
            self._legend, since = self._legend.lines(
                self._game, rolls, done + 1, due.dice, match[1]
            )
            proof += since
            self._add(roll_of(draw.seed(server), due.dice))
        record = replace(self._record, events=tuple(self._events), proof=tuple(proof))
        return sealed(record).text()

    def _play_until_roll(self) -> None:
        while not isinstance(self._game.due(self._state), ToRoll | Over):
            self._add(self._rng.choice(self._game.choices(self._state)))

    def _add(self, event: Event) -> None:
        self._state = self._game.apply(self._state, event)
        self._events.append(event)
