"""Steps of games that between them show every way a table can look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.core.view import Place
from hotdice.server.clocks import TableClock, Timepiece
from hotdice.server.live import Live, Visitor, hashed
from hotdice.server.showing import show_news
from hotdice.server.tables import show_table
from hotdice.storage import Key
from hotdice.table.commands import Choose, RollDice, Say, auto_roll
from hotdice.table.log import Next, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat

_LINE = 20
"""Characters in a line, roughly; texts of as many lines are taken to look alike."""
_STEPS = 1_000
"""How many steps to look at, over as many games as it takes."""


class Look(NamedTuple):
    """A step that leads to a new look, and the table before it."""

    before: Table
    step: Next

    @property
    def words(self) -> str:
        """The message about a long chat line after the step."""
        return show_news(Say(0, "What a roll! " * 15).on(self.step.table, 0.0))[1]

    @property
    def news(self) -> str:
        """The message about the step."""
        return show_news(self.step)[1]

    def table(self, *yours: int) -> str:
        """The table before the step, as shown to the holder of these seats, who knows its log."""
        secrets = [f"the secret of seat {seat}" for seat in range(len(self.before.seats))]
        keys = {seat: Key(hashed(secret)) for seat, secret in enumerate(secrets)}
        told = [""] * self.before.seq
        clock = TableClock(Timepiece(lambda: 0.0, lambda: 0.0), 0.0)
        live = Live("walked", self.before, Key("nobody's"), keys, clock, told=told)
        visitor = Visitor(secrets[seat] for seat in yours)
        return show_table(live, visitor, self.before.seq).model_dump_json()


def looks(slug: str, options: str, names: tuple[str, ...]) -> tuple[Look, ...]:
    """Steps of many random games, the same in every run, that show any two traits together.

    Parts of a table have places of their own, so what moves one of them shows with one trait, or
    with two that meet.
    """
    found: dict[tuple[Hashable, ...], Look] = {}
    steps = number = 0
    while steps < _STEPS:
        setup = Setup(slug, options, tuple(Seat(name) for name in names), seed=str(number))
        table = auto_roll(Table.of(setup.checked()), 0.0).table
        for step in _game(table, Random(f"{slug}/{number}")):
            told = show_news(step)[0][-1]
            found.setdefault(_look(step.table, told), Look(table, step))
            table = step.table
            steps += 1
        number += 1
    return tuple(found[traits] for traits in _covering(found))


def _covering(looks: Iterable[tuple[Hashable, ...]]) -> Iterator[tuple[Hashable, ...]]:
    """Some of the looks, between them with every pair of traits that one of all has."""
    left = {look: set(combinations(enumerate(look), 2)) for look in looks}
    while left:
        best = max(left, key=lambda look: len(left[look]))
        yield best
        shown = left.pop(best)
        left = {look: pairs - shown for look, pairs in left.items() if pairs - shown}


def _game(table: Table, rng: Random) -> Iterator[Next]:
    """A random game in which turns tend to go on."""
    while not isinstance(due := table.due, Over):
        if isinstance(due, ToRoll):
            step = RollDice(due.seat, "", table.seq).on(table, 0.0)
        else:
            step = Choose(due.seat, _any_choice(table, rng), table.seq).on(table, 0.0)
        table = step.table
        yield step


def _any_choice(table: Table, rng: Random) -> str:
    choices = table.game.view(table.state).choices
    going_on = [choice for choice in choices if not choice.ends_turn]
    return rng.choice(going_on if going_on and rng.random() < 0.7 else choices).text


def _look(table: Table, told: str) -> tuple[Hashable, ...]:
    """The traits of a table: roughly everything that may affect the layout."""
    view, due = table.game.view(table.state), table.due
    places = Counter(die.place for die in view.dice)
    tray = places.pop(Place.TRAY, 0)
    return (
        type(due).__name__,
        view.seat,
        tray,
        len(places),  # groups of dice beside the tray
        places.total() // 2,
        _lines(told),
        _lines("".join(view.notices)),
        tuple((meter.label, meter.seat) for meter in view.meters),
        len(view.discs),
        tuple(bool(track.standing) for track in view.tracks),
        max((len(stage.points) - stage.points.count(None) for stage in view.course), default=0),
        _buttons(view) if isinstance(due, ToChoose) else (),
    )


def _buttons(view: Any) -> Hashable:
    """How many buttons there are, and roughly how many lines the longest has."""
    texts = [(c.then or c.verb, c.effect if c.then else c.words + c.effect) for c in view.choices]
    texts += [(blocked.action, blocked.reason) for blocked in view.blocked]
    return len({slot for slot, _ in texts}), max(_lines(text) for _, text in texts)


def _lines(text: str) -> int:
    return -(-len(text) // _LINE)
