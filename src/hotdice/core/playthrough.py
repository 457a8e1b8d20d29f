"""Playthroughs: games as executable scripts.

Goldens in the tests and the examples in every ``rules.md`` are playthroughs. The first
character of a line says what it is::

    options starts=seat      the heading: options, seats, first, from (a state to start at)
    > 115234                 an event that is legal
    ! keep 2 bank            an event that is refused
    ? 111155                 what these dice are worth at best
    : Seat 1 rolls 1-1-5 …   what is told, refused or read
    = scores=120,0           words of the state after it
    # …                      a remark
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hotdice.core.due import Over
from hotdice.core.errors import HotDiceError, UnreadableText
from hotdice.core.game import AnyGame
from hotdice.core.record import result_text
from hotdice.core.words import seat_name

_HEADINGS = ("options", "seats", "first", "from")
_COMMANDS = "> ! ?"
_ANSWERS = ": ="


class Playthrough:
    """A playthrough being run."""

    def __init__(self, kind: type[AnyGame], headings: dict[str, str]) -> None:
        self.game: AnyGame = kind.with_options(headings.get("options", ""))
        usual = min(max(2, self.game.min_players), self.game.max_players)
        players = _number(headings, "seats", usual)
        self.state: Any = self.game.start(players, _number(headings, "first", 1) - 1)
        if "from" in headings:
            self.state = self.game.read_state(headings["from"])
            players = self.game.players(self.state)
        self.names: Sequence[str] = tuple(seat_name(seat) for seat in range(players))

    def run(self, command: str) -> list[str]:
        """Run one command; returns the answers that belong below it."""
        sign, text = command[0], command[1:].strip()
        if sign == "?":
            return [f": {self._best(text)}"]
        if sign == "!":
            return [f": {self._refusal(text)}"]
        event = self.game.read_event(text)
        before, self.state = self.state, self.game.apply(self.state, event)
        answers = [f": {self.game.tell(before, event, self.state, self.names)}"]
        due = self.game.due(self.state)
        if isinstance(due, Over):
            answers.append(f": {result_text(due.result, self.names)}")
        return [*answers, f"= {self.game.state_text(self.state)}"]

    def _refusal(self, text: str) -> str:
        try:
            self.game.apply(self.state, self.game.read_event(text))
        except HotDiceError as error:
            return str(error)
        raise AssertionError(f"'{text}' should be refused, but it is legal.")

    def _best(self, text: str) -> str:
        keeps = self.game.keeps(self.game.read_dice(text))
        if not keeps:
            return "nothing"
        best = keeps[0]
        return f"{self.game.dice_text(best.dice)} is {best.points:,}: {best.words}"


def render(kind: type[AnyGame], text: str) -> str:
    """The playthrough with its answers regenerated."""
    lines = text.splitlines()
    playthrough = Playthrough(kind, headings_of(lines))
    written: list[str] = []
    for line in lines:
        if line[:1] in _ANSWERS and line.strip():
            continue
        written.append(line)
        if line[:1] in _COMMANDS and line.strip():
            written += playthrough.run(line)
    return "\n".join(written) + "\n"


def check(kind: type[AnyGame], text: str) -> None:
    """Run a playthrough; raises ``AssertionError`` at a wrong answer."""
    lines = [line for line in text.splitlines() if line.strip()]
    playthrough = Playthrough(kind, headings_of(lines))
    answers: list[str] = []
    for line in lines:
        if line[0] in _COMMANDS:
            answers = playthrough.run(line)
        elif line[0] == ":" and line not in answers:
            raise AssertionError(f"expected '{line}', got {answers}")
        elif line[0] == "=":
            missing = set(line.split()) - {*playthrough.game.state_text(playthrough.state).split()}
            if missing - {"="}:
                raise AssertionError(f"expected '{line}', got {answers}")


def headings_of(lines: Sequence[str]) -> dict[str, str]:
    """The headings of a playthrough and their values."""
    found: dict[str, str] = {}
    for line in lines:
        if not line.strip() or line[0] in f"{_COMMANDS}{_ANSWERS}#":
            continue
        word, _, value = line.partition(" ")
        if word not in _HEADINGS:
            raise UnreadableText(f"'{line}' is not a line of a playthrough.")
        found[word] = value.strip()
    return found


def _number(headings: dict[str, str], word: str, usual: int) -> int:
    text = headings.get(word, str(usual))
    if not (text.isascii() and text.isdigit()) or len(text) > 3:
        raise UnreadableText(f"'{word}' in a playthrough has to be a number, not '{text}'.")
    return int(text)


def examples(rules: str) -> Iterator[str]:
    """The playthroughs in a ``rules.md``: its code blocks marked ``play``."""
    inside: list[str] | None = None
    for line in rules.splitlines():
        if line.strip() == "```play":
            inside = []
        elif line.strip() == "```" and inside is not None:
            yield "\n".join(inside)
            inside = None
        elif inside is not None:
            inside.append(line)
