"""Records of games with verified dice, of every game and with everything that can happen."""

from __future__ import annotations

from random import Random

from hotdice import game_type
from hotdice.core.due import Over, ToRoll
from hotdice.table.commands import Rematch, RollDice, begin_table, play_event
from hotdice.table.dice_commands import Announce, DrawDice, GiveLink
from hotdice.table.drawing import Drawing
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.verified import Links

SHORT = {
    "farkle": ("starts=seat entry=0 target=300", "entry=0 target=200", ""),
    "cockroach": ("target=6", ""),
    "rogue": ("target=150 war_at=100", ""),
}
"""Options with which games are short; other games have their own."""
_NAMES = ("Ann", "Zoë 🎲", "Ben Ben", "李", "O'Hara; 1. 6", "a\u200db", "-", "proof:")
_LENGTH = 300


class Device:
    """A device with some seats, and its chain."""

    def __init__(self, name: str, seats: tuple[int, ...]) -> None:
        self.seats = seats
        self._links = Links(name, _LENGTH)
        self.tip = self._links.link(0)

    def gives(self, drawing: Drawing) -> GiveLink | None:
        """Its link for the roll that is asked for; ``None`` if its chain does not take part."""
        chain = next((one for one in drawing.asked_of() if one.tip == self.tip), None)
        ask = drawing.ask
        if chain is None or ask is None or ask.number - chain.base > _LENGTH:
            return None
        link = self._links.link(ask.number - chain.base)
        return GiveLink(self.seats[0], chain.number, ask.number, link)


class Evening:
    """A table at which games are played at random, with devices that come, go and sleep."""

    def __init__(self, rng: Random, slug: str) -> None:
        self._rng = rng
        kind = game_type(slug)
        count = rng.randint(kind.min_players, min(4, kind.max_players))
        names = rng.sample(_NAMES, count)
        seats = tuple(Seat(name, "sharp" if rng.random() < 0.2 else "") for name in names)
        options = rng.choice(SHORT.get(slug, ("",)))
        setup = Setup(slug, options, seats, dice="verified", seed=f"{rng.random()}")
        self.table = begin_table(Table.of(setup), 0.0).table
        self._devices: list[Device] = []
        for seat in range(count):
            self._announce((seat,))

    def record(self, most: int) -> str:
        """The record after so many more steps, or at the end of the game."""
        for _ in range(self._rng.randint(0, most)):
            if isinstance(self.table.due, Over):
                break
            self._step()
        text = self.table.record().text()
        if isinstance(self.table.due, Over):
            self.table = Rematch(0, self.table.seq).on(self.table, 0.0).table
        return text

    def _step(self) -> None:
        table, rng = self.table, self._rng
        if table.is_asked:
            self._draw()
        elif rng.random() < 0.05:
            people = sorted(rng.sample(range(len(table.seats)), rng.randint(1, len(table.seats))))
            self._announce(tuple(people))
        elif isinstance(table.due, ToRoll):
            self.table = RollDice(table.seat_due, "", table.seq).on(table, 0.0).table
        else:
            choice = rng.choice(table.game.choices(table.state))
            self.table = play_event(table, choice, 0.0).table

    def _announce(self, seats: tuple[int, ...]) -> None:
        drawing = self.table.drawing
        if drawing is None or self.table.is_asked or drawing.is_full_for(seats):
            return
        device = Device(f"{self._rng.random()}", seats)
        own = [one.number for one in drawing.chains.values() if set(seats) & set(one.seats)]
        ended = self._rng.choice([*own, None, None])
        self.table = Announce(seats, device.tip, ended).on(self.table, 0.0).table
        self._devices.append(device)

    def _draw(self) -> None:
        silent = set()
        for device in self._devices:
            drawing = self.table.drawing
            give = device.gives(drawing) if drawing else None
            if give is None:
                continue
            if self._rng.random() < 0.8:
                self.table = give.on(self.table, 0.0).table
            elif self._rng.random() < 0.5:
                silent.add(give.chain)
        if self.table.drawing and self.table.drawing.ask:
            number = self.table.drawing.ask.number
            self.table = DrawDice(number, silent).on(self.table, 0.0).table
