"""State machine of a table: any commands by any seat at any time, and the table's invariants."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.core.errors import HotDiceError
from hotdice.core.record import read_record
from hotdice.core.registry import game_names, game_type
from hotdice.table import log
from hotdice.table.bots import play_turn
from hotdice.table.commands import (
    Choose,
    Join,
    Relieve,
    Rematch,
    Return,
    RollDice,
    Say,
    SitIn,
    TimeOut,
    Undo,
    begin_table,
)
from hotdice.table.dice_commands import Announce, Begin, DrawDice, GiveLink
from hotdice.table.dice_sources import SeededDice
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Next, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.verification import verify
from hotdice.table.verified import Links

LEVELS = ("", "", "random", "greedy")
SHORT = {"target": "300", "entry": "0", "war_at": "100", "rounds": "2"}
"""Options that make games short, for games that have them."""
NAMES = ("Ann", "Ben", "Cara", "Dan")
_LIMITS = {"_LONGEST_LOG": 160, "_LAST_AUTOMATIC": 140, "_LAST_CHAT": 100}
"""Small limits, so that full logs are tested too."""

seats = st.sampled_from((*["due"] * 6, 0, 1, 2, 3, -1))
behind = st.sampled_from((*[0] * 10, 1, 2, 9, -1, -2))
"""How many entries a client has missed; negative numbers refer to entries that do not exist."""
DEVICES = tuple(Links(f"device {number}", 160) for number in range(4))
devices = st.integers(0, len(DEVICES) - 1)
spans = st.sampled_from((0.0, 0.1, 5.0, 61.0, 1000.0))
texts = st.sampled_from(("", "1", "11", "bank", "roll", "x", "keep 1 roll", "take black", "\0"))


def short_options(name: str) -> str:
    """Options that make a game short, as far as it has them."""
    kind, found = game_type(name).options_type, ""
    for option, value in SHORT.items():
        tried = f"{found} {option}={value}".strip()
        try:
            kind.read(tried)
        except HotDiceError:
            continue
        found = tried
    return found


def stand(table: Table) -> tuple[Any, ...]:
    """Everything that is derived from a table's log."""
    return (
        *(table.seq, tuple(table.entries), table.state, table.seats, table.number),
        *(table.waiting, table.people, table.results, table.wins(), table.champions()),
        *(table.moved, table.deadline(), table.bot_due(), table.sitting.undoer()),
        *(table.sitting.events, table.sitting.first, table.due, table.drawing),
    )


def _act(command: Callable[[Table, float], Next], now: float, table: Table) -> Next:
    return command(table, now)


def lost_links(entries: Iterable[Entry]) -> list[str]:
    """The links of devices that are missing in the rolls they were given for."""
    given, lost = list[str](), list[str]()
    for entry in entries:
        if entry.kind is Kind.LINK:
            given.append(entry.text.replace(" ", "="))
        elif entry.kind is Kind.DRAW:
            lost += set(given) - set(entry.text.split(" "))
            given = []
    return lost


class TableMachine(RuleBasedStateMachine):
    """Commands of any seat, valid or not."""

    done: ClassVar[int] = 0
    refused: ClassVar[int] = 0

    @initialize(
        name=st.sampled_from(game_names()),
        levels=st.lists(st.sampled_from(LEVELS), min_size=1, max_size=4),
        dice=st.sampled_from(("seeded", "typed", "verified")),
        clock=st.sampled_from((0, 0, 30)),
        free=st.sets(st.integers(0, 3), max_size=2),
        short=st.booleans(),
        numbers=st.tuples(st.integers(0, 3), st.integers(0, 2)),
    )
    def set_up(
        self,
        name: str,
        levels: list[str],
        dice: str,
        clock: int,
        free: set[int],
        short: bool,  # noqa: FBT001 - drawn
        numbers: tuple[int, int],
    ) -> None:
        """Set up any table; invalid combinations are adjusted."""
        self._limits = {key: getattr(log, key) for key in _LIMITS}
        for key, value in _LIMITS.items():
            setattr(log, key, value)
        kind = game_type(name)
        count = min(max(len(levels), kind.min_players), kind.max_players, len(NAMES))
        who = [Seat(NAMES[at], levels[at % len(levels)]) for at in range(count)]
        self.setup_ = Setup(
            game=name,
            options=short_options(name) if short else "",
            seats=tuple(who),
            dice=dice,
            seed="" if dice == "typed" else "a seed that nobody knows",
            clock=clock,
            first=numbers[0] % count,
            open=tuple(at for at in sorted(free) if at < count and not who[at].bot),
            series=numbers[1],
        ).checked()
        self.now = 1000.0
        self.table, self.follower = Table.of(self.setup_), Table.of(self.setup_)
        self._commit(lambda table: begin_table(table, self.now))
        for seat in range(count if dice == "verified" and not clock else 0):
            self.announce(seat, {seat}, None)

    def teardown(self) -> None:
        """Restore the limits."""
        for key, value in getattr(self, "_limits", {}).items():
            setattr(log, key, value)

    # Rules ------------------------------------------------------------------------------------

    @rule(span=spans)
    def wait(self, span: float) -> None:
        """Advance the clock."""
        self.now += span

    @rule(numbers=st.lists(st.integers(0, 200), min_size=1, max_size=8))
    def go_on(self, numbers: list[int]) -> None:
        """Take several actions that are due."""
        for number in numbers:
            due = self.table.due
            if self.table.is_asked:
                for device in range(len(DEVICES)):
                    if device != number % 5:
                        self.give(device, right=True)
                self.draw(set(), right=True)
            elif isinstance(due, Over):
                self.rematch("due", 0)
            elif isinstance(due, ToRoll):
                self.roll("due", 0, number, "", right=True)
            elif self.table.is_bot(due.seat):
                self.play_bots(1)
            else:
                self.choose("due", 0, number, "", right=True)

    @rule(seat=seats, missed=behind, number=st.integers(0, 200), typed=texts, right=st.booleans())
    def roll(self, seat: Any, missed: int, number: int, typed: str, right: bool) -> None:  # noqa: FBT001 - drawn
        """A seat rolls; physical dice are typed in, validly or not."""
        due = self.table.due
        if right and isinstance(due, ToRoll) and self.setup_.dice == "typed":
            fell = SeededDice(str(number)).throw(due.dice, 0)
            typed = self.table.game.event_text(fell)
        elif right:
            typed = ""
        self._commit(
            lambda table: RollDice(self._seat(seat), typed, self._seen(missed)).on(table, self.now)
        )

    @rule(seat=seats, missed=behind, number=st.integers(0, 200), text=texts, right=st.booleans())
    def choose(self, seat: Any, missed: int, number: int, text: str, right: bool) -> None:  # noqa: FBT001 - drawn
        """A seat makes a choice, legal or not."""
        choices = self.table.game.choices(self.table.state)
        if right and choices:
            text = self.table.game.event_text(choices[number % len(choices)])
        self._commit(
            lambda table: Choose(self._seat(seat), text, self._seen(missed)).on(table, self.now)
        )

    @rule(turns=st.integers(1, 3))
    def play_bots(self, turns: int) -> None:
        """Bots play."""
        for _ in range(turns):
            if self.table.bot_due() in LEVELS:
                self._commit(lambda table: play_turn(table, self.now))

    @rule(seat=seats, missed=behind)
    def undo(self, seat: Any, missed: int) -> None:
        """A seat undoes something."""
        self._commit(lambda table: Undo(self._seat(seat), self._seen(missed)).on(table, self.now))

    @rule(seat=seats, missed=behind)
    def rematch(self, seat: Any, missed: int) -> None:
        """A seat asks for a rematch."""
        self._commit(
            lambda table: Rematch(self._seat(seat), self._seen(missed)).on(table, self.now)
        )

    @rule(seat=st.integers(0, 3), text=st.sampled_from(("well", "", " \0 ", "x" * 201)))
    def say(self, seat: int, text: str) -> None:
        """A seat sends a chat message."""
        self._commit(lambda table: Say(seat, text).on(table, self.now))

    @rule(seat=st.integers(-1, 4), name=st.sampled_from(("Eve", "Ann", "", "|", "x" * 41)))
    def join(self, seat: int, name: str) -> None:
        """A player takes a seat."""
        self._commit(lambda table: Join(seat, name).on(table, self.now))

    @rule(seat=st.integers(-1, 4), level=st.sampled_from((*LEVELS, "nobody")))
    def sit(self, seat: int, level: str) -> None:
        """A bot sits in, or a player returns."""
        command = SitIn(seat, level) if level else Return(seat)
        self._commit(lambda table: command.on(table, self.now))

    @rule(seat=st.integers(-1, 4), level=st.sampled_from(("random", "greedy", "")))
    def relieve(self, seat: int, level: str) -> None:
        """A bot sits in for an absent player."""
        self._commit(lambda table: Relieve(0, seat, level).on(table, self.now))

    @rule()
    def time_out(self) -> None:
        """Check whether the clock has run out."""
        self._commit(lambda table: TimeOut().on(table, self.now))

    @rule(
        device=devices,
        held=st.sets(st.integers(-1, 4), min_size=1, max_size=3),
        ended=st.sampled_from((None, None, 0, 1, 2, 9)),
    )
    def announce(self, device: int, held: set[int], ended: int | None) -> None:
        """A device announces its chain, perhaps for seats that are not there."""
        tip = DEVICES[device].link(0)
        self._commit(lambda table: Announce(tuple(sorted(held)), tip, ended).on(table, self.now))

    @rule(device=devices, right=st.booleans())
    def give(self, device: int, right: bool) -> None:  # noqa: FBT001 - drawn
        """A device gives its link for the roll that is asked for, or one of another roll."""
        drawing, links = self.table.drawing, DEVICES[device]
        chains = drawing.chains.values() if drawing else ()
        for chain in [one for one in chains if one.tip == links.link(0)]:
            number = drawing.ask.number if drawing and drawing.ask else chain.base + 1
            link = links.link(min(number - chain.base + (not right), links.length))
            command = GiveLink(chain.seats[0], chain.number, number, link)
            self._commit(partial(_act, command.on, self.now))

    @rule(silent=st.sets(st.integers(0, 4), max_size=2), right=st.booleans())
    def draw(self, silent: set[int], right: bool) -> None:  # noqa: FBT001 - drawn
        """The server rolls with the links that were given."""
        drawing = self.table.drawing
        number = drawing.ask.number if right and drawing and drawing.ask else 0
        self._commit(lambda table: DrawDice(number, silent).on(table, self.now))

    @rule()
    def begin(self) -> None:
        """The first verified dice wait for devices no longer."""
        self._commit(lambda table: Begin().on(table, self.now))

    def _seat(self, seat: Any) -> int:
        due = self.table.due
        if seat != "due":
            return int(seat)
        return 0 if isinstance(due, Over) else due.seat

    def _seen(self, missed: int) -> int:
        return self.table.seq - missed

    def _commit(self, work: Callable[[Table], Next]) -> None:
        """Execute a command and commit its entries; execution itself must not change the table."""
        before = stand(self.table)
        try:
            after = work(self.table)
        except HotDiceError:
            type(self).refused += 1
            assert stand(self.table) == before
            return
        type(self).done += 1
        assert stand(self.table) == before
        first = self.table.seq + 1
        assert [entry.seq for entry in after.entries] == list(
            range(first, first + len(after.entries))
        )
        for entry in after.entries:
            self.follower = self.follower.add(entry)
        self.table = after.table

    # Invariants -------------------------------------------------------------------------------

    @invariant()
    def the_log_is_all_there_is(self) -> None:
        """Applying entries one by one and replaying the log both give the table's state."""
        now = stand(self.table)
        assert stand(self.follower) == now
        assert stand(Table.of(self.setup_, self.table.entries)) == now
        assert [entry.seq for entry in self.table.entries] == list(range(1, self.table.seq + 1))

    @invariant()
    def entries_are_counted(self) -> None:
        """The numbers of games and taken seats agree with the log."""
        kinds = [entry.kind for entry in self.table.entries]
        assert self.table.number == 1 + kinds.count(Kind.GAME)
        taken = {entry.seat for entry in self.table.entries if entry.kind is Kind.JOIN}
        assert taken <= self.table.people
        assert not self.table.waiting & self.table.people
        if not set(kinds) & {Kind.SIT, Kind.LATE}:
            assert self.table.waiting == set(self.setup_.open) - taken

    @invariant()
    def somebody_has_to_do_something(self) -> None:
        """The due seat exists, and whoever has to choose has a legal choice."""
        due = self.table.due
        if isinstance(due, ToChoose):
            assert self.table.game.choices(self.table.state)
        if not isinstance(due, Over):
            assert 0 <= due.seat < len(self.table.seats)
        undoer = self.table.sitting.undoer()
        assert undoer is None or undoer < len(self.table.seats)

    @invariant()
    def clocks_run_out_once(self) -> None:
        """Clocks run only for people, and not at all once the log is nearly full."""
        deadline, due = self.table.deadline(), self.table.due
        if self.table.is_idle:
            assert deadline is None
            assert not self.table.bot_due()
        if deadline is None:
            return
        assert self.setup_.clock
        assert not isinstance(due, Over)
        assert not self.table.is_bot(due.seat)
        assert deadline <= self.now + self.setup_.clock
        if deadline <= self.now:
            after = TimeOut().on(self.table, self.now).table
            late = after.deadline()
            assert late is None or late > self.now

    @invariant()
    def records_replay(self) -> None:
        """A record replays to the current state and does not reveal the seed early."""
        table = self.table
        text = table.record().text()
        assert read_record(text).state() == table.state
        assert self.setup_.seed not in text or not self.setup_.seed
        seeded = self.setup_.dice == "seeded"
        final = isinstance(table.due, Over) and table.sitting.undoer() is None
        assert ("\nseed: " in text) == (seeded and final)

    @precondition(lambda self: self.setup_.dice == "verified")
    @invariant()
    def dice_are_proved(self) -> None:
        """Every roll follows from its links, and with a roll asked for nothing can be undone."""
        table, drawing = self.table, self.table.drawing
        assert drawing
        verdict = verify(table.record().text())
        assert not lost_links(table.entries)
        assert verdict.rolls == drawing.rolls == table.sitting.rolls
        assert table.undoer() is None or not table.is_asked

    @precondition(lambda self: self.table.number > 1)
    @invariant()
    def former_games_are_kept(self) -> None:
        """Every former game is over and has the recorded result."""
        for number, result in enumerate(self.table.results, start=1):
            due = self.table.at_game(number).due
            assert isinstance(due, Over)
            assert due.result == result
