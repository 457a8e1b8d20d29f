"""``hotdice play``: a game in the terminal."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hotdice.bots import LEVELS
from hotdice.cli.output import console, print_json
from hotdice.cli.replaying import record_json
from hotdice.cli.texts import choice_labels, die_text, example_roll
from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.core.errors import BadSetup, HotDiceError
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import AnyGame
from hotdice.core.record import result_text
from hotdice.core.registry import game_type
from hotdice.core.view import Meter, Place, View
from hotdice.core.words import counted, dice_due, signed
from hotdice.table.bots import bot_choice
from hotdice.table.dice_sources import DiceSource, SeededDice, TypedDice
from hotdice.table.files import PersonalBests, data_folder, load_record, save_record
from hotdice.table.sitting import Seat, Sitting, resume

if TYPE_CHECKING:
    from rich.console import Console

_LISTED = 12
_SOURCES = ("seeded", "typed")
_LONG = 200
_HELP = """\
coach  what is best, and why    all    list every choice
undo   take back the last move  rules  read the rules
quit   leave; a saved game can be resumed"""


class Quit(Exception):
    """The player leaves the table."""


class Arguments(NamedTuple):
    """The arguments of the command."""

    game: str | None
    seats: Sequence[str]
    sets: Sequence[str]
    first: str | None
    seed: str | None
    dice: str | None


def play(arguments: Arguments, save: Path | None, *, as_json: bool) -> None:
    """Set up or resume a game, and play it."""
    if save is not None:
        save = Path(os.path.expanduser(save))  # noqa: PTH111 - never raises
    if save is not None and save.exists():
        sitting = _resume(arguments, save)
    elif save is not None and arguments.game is None:
        raise BadSetup(f"There is no saved game {save}; to start one there, name the game to play.")
    elif arguments.game is None:
        raise BadSetup("Name the game to play; 'hotdice games' lists them.")
    else:
        sitting = _set_up(arguments, arguments.game)
    _prepare(sitting)
    terminal = Terminal(sitting, save, console(to_stderr=as_json))
    terminal.play()
    if as_json:
        record = terminal.sitting.record()
        print_json({**record_json(record), "record": record.text()})


def _prepare(sitting: Sitting) -> None:
    """Solve the game before it starts if a bot at the table plays to win."""
    if any(seat.bot and LEVELS[seat.bot].plans for seat in sitting.seats):
        from hotdice.cli.solving import solving  # noqa: PLC0415 - only perfect bots need it
        from hotdice.solve.coach import prepare, ready  # noqa: PLC0415 - as above

        if not ready(sitting.game, len(sitting.seats)):
            with solving(sitting.game.title) as progress:
                prepare(sitting.game, len(sitting.seats), progress)


def _resume(arguments: Arguments, save: Path) -> Sitting:
    if any(arguments[1:]):
        raise BadSetup(
            f"{save} already holds a game; name another file, or give only --save to resume it."
        )
    sitting = resume(load_record(save))
    if arguments.game is not None and game_type(arguments.game).slug != sitting.game.slug:
        raise BadSetup(f"{save} holds a game of {sitting.game.title}; name another file.")
    return sitting


def _set_up(arguments: Arguments, name: str) -> Sitting:
    kind = game_type(name)
    game: AnyGame = kind(kind.options_type.read_pairs(arguments.sets, files=True))
    dice, seed = arguments.dice, arguments.seed
    if dice is not None and dice not in _SOURCES:
        raise BadSetup(f"Dice are {' or '.join(_SOURCES)}, not '{dice}'.")
    if dice == "typed" and seed is not None:
        raise BadSetup("Real dice have no seed; leave out --seed or --dice typed.")
    source: DiceSource = TypedDice() if dice == "typed" else SeededDice(_seed(seed))
    default = ["Player"] if game.max_players == 1 else ["Player", "Greta=bot:greedy"]
    seats = [Seat.read(seat) for seat in arguments.seats or default]
    names = [seat.name for seat in seats]
    if arguments.first is not None and arguments.first not in names:
        raise BadSetup(f"'{arguments.first}' cannot be first; the seats are {', '.join(names)}.")
    first = 0 if arguments.first is None else names.index(arguments.first)
    return Sitting.of(game, seats, source, first=first)


def _seed(seed: str | None) -> str:
    if seed is None:
        return secrets.token_hex(4)
    if not seed.strip() or not seed.isprintable() or len(seed) > 100:
        raise BadSetup("A seed is up to 100 printable characters.")
    return seed.strip()


class Terminal:
    """A game in a plain terminal."""

    def __init__(self, sitting: Sitting, save: Path | None, out: Console) -> None:
        self.sitting = sitting
        self.game = sitting.game
        self.save = save
        self.out = out

    def play(self) -> None:
        """Play until the game ends or somebody leaves."""
        self._save()
        self._open()
        try:
            while not self._is_done():
                self._step()
        except (Quit, KeyboardInterrupt) as left:
            self._leave(newline=not isinstance(left, Quit))

    def _is_done(self) -> bool:
        """Whether the game is over for good: with real dice the end can still be undone."""
        due = self.sitting.due
        if not isinstance(due, Over):
            return False
        self._say("")
        self._say(due.result.why)
        self._say(result_text(due.result, self.sitting.names), style="bold")
        if isinstance(self.sitting.source, TypedDice) and any(
            not s.bot for s in self.sitting.seats
        ):
            said = self._ask(
                "Press Enter to finish, or 'undo' to take back the last move", at_end=""
            )
            if said.lower() == "undo":
                self._undo()
                return False
        self._note_best(due.result.scores)
        if self.save is not None:
            self._say(f"Saved; replay it with: hotdice replay {self.save}")
        return True

    def _open(self) -> None:
        source = self.sitting.source
        dice = f"seed {source.seed}" if isinstance(source, SeededDice) else "real dice, typed in"
        seats = [f"{s.name} ({s.bot} bot)" if s.bot else s.name for s in self.sitting.seats]
        self._say(f"{self.game.title}: {', '.join(seats)}; {dice}", style="bold")
        options = self.game.options.text()
        if options:
            self._say(f"Options: {options if len(options) < _LONG else f'{options[:_LONG]}…'}")
        if self.sitting.events:
            self._say(f"Resuming after {counted(len(self.sitting.events), 'event', 'events')}.")

    def _leave(self, *, newline: bool) -> None:
        if newline:
            self._say("")
        if self.save is None:
            self._say("The game is left unfinished.")
        else:
            self._say(f"Saved; resume with: hotdice play --save {self.save}")

    def _step(self) -> None:
        """Play one event, or run a command that was typed instead."""
        event = self._next_event()
        if event is None:
            return
        try:
            self.sitting = self.sitting.played(event)
        except HotDiceError as error:
            self._say(str(error), style="red")
            return
        self._say(self.sitting.tell(self.sitting.step(-1)))
        self._save()

    def _next_event(self) -> Event | None:
        due = self.sitting.due
        if isinstance(due, ToRoll):
            return self._roll(due)
        choice = bot_choice(self.sitting)
        if choice is None and isinstance(due, ToChoose):
            return self._choose(due)
        return choice

    def _roll(self, due: ToRoll) -> Roll | None:
        name, hand = self.sitting.names[due.seat], dice_due(due)
        person = not self.sitting.seats[due.seat].bot
        roll = self.sitting.throw()
        if self.game.begins_turn(self.sitting.state) and (person or roll is None):
            self._show(self.game.show(self.sitting.state))
        if roll is None:
            whose = f"{name}, roll" if person else f"For {name}, roll"
            them = "it shows" if len(due.dice) == 1 else "they show"
            said = self._ask(f"{whose} {hand} and type what {them}, like {example_roll(due)}")
            return None if self._command(said) else self._read_roll(said)
        if person and self.game.begins_turn(self.sitting.state):
            said = self._ask(f"{name}, press Enter to roll {hand}")
            if said and not self._command(said):
                self._say("Press Enter to roll; 'help' lists the commands.")
            if said:
                return None
        return roll

    def _read_roll(self, said: str) -> Roll | None:
        try:
            return self.game.read_roll(self.sitting.state, said)
        except HotDiceError as error:
            self._say(str(error), style="red")
            return None

    def _choose(self, due: ToChoose) -> Choice | None:
        """A person's choice; ``None`` if something was undone instead."""
        state, view = self.sitting.state, self.game.view(self.sitting.state, self.sitting.names)
        self._show(view)
        self._list(view, listed=_LISTED)
        for blocked in view.blocked:
            self._say(f"    ({blocked.action} is not allowed: {blocked.reason})", style="dim")
        labels = dict(zip(choice_labels(), view.choices, strict=False))
        while self.sitting.state is state:
            said = self._ask(f"{self.sitting.names[due.seat]}, your choice")
            if self._command(said):
                continue
            meant = labels[said.lower()].text if said.lower() in labels else said
            try:
                return self.game.pick(state, meant)
            except HotDiceError as error:
                self._say(str(error), style="red")
        return None

    def _command(self, said: str) -> bool:
        """Run a command that is not part of the game; returns whether it was one."""
        word = said.lower()
        if word in ("quit", "q", "exit"):
            raise Quit
        if word in ("help", "?", "h"):
            self._help()
        elif word in ("undo", "u"):
            self._undo()
        elif word in ("coach", "advise"):
            self._coach()
        elif word == "all":
            self._list(self.game.view(self.sitting.state, self.sitting.names), listed=None)
        elif word == "rules":
            from rich.markdown import Markdown  # noqa: PLC0415 - only when asked for

            self.out.print(Markdown(self.game.rules_text()), soft_wrap=False)
        else:
            return False
        return True

    def _help(self) -> None:
        choices = self.game.choices(self.sitting.state)
        if choices:
            said = self.game.event_text(max(choices, key=lambda choice: len(choice.dice)))
            self._say(f"Choose by letter, or type it: '{said}'. Words may be shortened.")
        self._say(_HELP)

    def _coach(self) -> None:
        """Print the advice of the coach."""
        from hotdice.cli.solving import advice_lines  # noqa: PLC0415 - only when asked for
        from hotdice.solve.coach import advise  # noqa: PLC0415 - as above

        try:
            advice = advise(self.game, self.sitting.state).named(self.sitting.names)
        except HotDiceError as error:
            self._say(str(error), style="red")
            return
        labels = dict(zip(self.game.choices(self.sitting.state), choice_labels(), strict=False))
        for line in advice_lines(advice, shown=5, labels=labels):
            self._say(line)

    def _undo(self) -> None:
        try:
            undone = self.sitting.undone()
        except HotDiceError as error:
            self._say(str(error), style="red")
            return
        event = self.sitting.moves[len(undone.moves)].event
        self.sitting = undone
        self._say(f"Undone: {self.game.event_text(event)}.")
        self._save()

    def _ask(self, question: str, *, at_end: str | None = None) -> str:
        """A line of input; at the end of input raises ``Quit``, unless ``at_end`` is given."""
        self.out.print(f"{question}: ", end="", style="bold", markup=False)
        self.out.file.flush()
        line = sys.stdin.readline()
        if not line:
            self._say("")
            if at_end is None:
                raise Quit
        return line.strip()

    def _show(self, view: View) -> None:
        """Print scores, notices and everything on the table."""
        scores = [
            f"{self.sitting.names[t.seat]} {signed(t.value)}"
            + (f" ({'+' if t.pending > 0 else ''}{signed(t.pending)})" if t.pending else "")
            + (f", {t.standing}" if t.standing else "")
            for t in view.tracks
        ]
        self._say("")
        self._say("   ".join(scores), style="cyan")
        for notice in view.notices:
            self._say(notice)
        for number, stage in enumerate(view.course, start=1):
            if stage.status == "now":
                limit = "no limit" if stage.limit is None else f"limit {stage.limit}"
                self._say(f"{stage.name}, {number} of {len(view.course)}: {limit}.")
        if view.discs:
            self._say("Discs: " + ", ".join(f"{d.value} {d.status}" for d in view.discs))
        if view.meters:
            self._say("   ".join(self._meter(meter) for meter in view.meters))
        for place in Place:
            dice = [die for die in view.dice if die.place == place]
            if dice:
                self._say(f"{place.value.capitalize()}: {' '.join(map(die_text, dice))}")

    def _meter(self, meter: Meter) -> str:
        whose = "" if meter.seat is None else f" of {self.sitting.names[meter.seat]}"
        count = f"{meter.label}{whose}: {meter.value}" + (f"/{meter.top}" if meter.top else "")
        return f"{count} ({', '.join(meter.marks)})" if meter.marks else count

    def _list(self, view: View, *, listed: int | None) -> None:
        most = len(view.choices) if listed is None or len(view.choices) < listed + 3 else listed
        for label, choice in zip(choice_labels(), view.choices[:most], strict=False):
            self._say(f"{label:>3}  {choice.words}. {choice.effect}.")
        if most < len(view.choices):
            more = len(view.choices) - most
            self._say(f"     and {more} more; 'all' lists them.", style="dim")

    def _say(self, text: str, *, style: str | None = None) -> None:
        self.out.print(text, style=style, markup=False)

    def _save(self) -> None:
        if self.save is not None:
            save_record(self.save, self.sitting.record())

    def _note_best(self, scores: tuple[int, ...]) -> None:
        """Store and print the personal best of a solitaire (P8)."""
        if self.game.max_players > 1 or self.sitting.seats[0].bot:
            return
        name, bests = self.sitting.names[0], PersonalBests(data_folder())
        try:
            before = bests.best(self.game, name)
            best = bests.note(self.game, name, scores[0])
        except (HotDiceError, OSError) as error:
            why = f"{error.strerror}." if isinstance(error, OSError) else str(error)
            self._say(f"Your personal best could not be saved: {why}", style="red")
            return
        if best:
            was = "the first" if before is None else f"it was {signed(before)}"
            self._say(f"A new personal best: {signed(scores[0])} ({was}).", style="bold")
        elif before is not None:
            self._say(f"Your personal best stays {signed(before)}.")
