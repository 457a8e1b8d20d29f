"""Peruke One: turn discs with the values of six rolls, one die fewer each time.

The rules in words are in ``rules.md`` next to this file; comments cite its clauses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from hotdice.core.dice import Die, Faces, numbered_die, without
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.errors import IllegalEvent
from hotdice.core.events import Choice, Event
from hotdice.core.game import Game
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.view import Blocked, View
from hotdice.core.words import counted, listed, signed
from hotdice.games.peruke_one import telling
from hotdice.games.peruke_one.options import PerukeOneOptions
from hotdice.games.peruke_one.state import (
    ALL_SAFE,
    DISCS,
    NOT_NOW,
    PASS,
    PERUKE_ONE,
    RED,
    ROUNDS,
    SAFE,
    TAKEN,
    VULNERABLE,
    PerukeOneState,
    score_of,
    value_of,
)


class PerukeOne(Game[PerukeOneState, PerukeOneOptions]):
    """The rules of Peruke One under fixed options."""

    slug: ClassVar[str] = "peruke"
    title: ClassVar[str] = "Peruke One"
    summary: ClassVar[str] = "Alone against six discs: turn them, take them, leave the 1."
    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 1
    goal: ClassVar[str] = "Peruke One"
    options_type = PerukeOneOptions
    state_type = PerukeOneState
    verbs: ClassVar[tuple[str, ...]] = ("use", "pass")

    def __init__(self, options: PerukeOneOptions | None = None) -> None:
        super().__init__(options)
        white, red = self.dice
        self._hands = tuple((white,) * (ROUNDS - r) + (red,) for r in range(1, ROUNDS + 1))
        self._uses: dict[Faces, tuple[tuple[Choice, int], ...]] = {}

    def make_dice(self) -> tuple[Die, ...]:
        """White dice and a red one."""
        red = numbered_die("red", "red", base=RED, prefix="r", called="red")
        return numbered_die("white", "white"), red

    def begin(self, players: int, first: int) -> PerukeOneState:
        """All discs safe (P1)."""
        return PerukeOneState(ALL_SAFE)

    def due(self, state: PerukeOneState) -> Due:
        """The dice of the round, or a value to use."""
        if state.phase == "roll":
            return ToRoll(0, self._hands[state.round - 1])
        if state.phase == "use":
            return ToChoose(0)
        return Over(self._result(state))

    def players(self, state: PerukeOneState) -> int:
        """Always one."""
        return 1

    def score(self, state: PerukeOneState, seat: int) -> int:
        """The points of the finished games of the series (P8)."""
        return sum(state.past)

    def series(self, state: PerukeOneState) -> tuple[int, ...]:
        """The points of each finished game (P8)."""
        return state.past

    def show_end(self, before: PerukeOneState, event: Event) -> View | None:
        """The last board of a game of the series: that of a series that ends here (P8)."""
        games = len(before.past) + 1
        final = PerukeOne(replace(self.options, games=games)).apply(before, event)
        return telling.show_end(self, final) if final.phase == "over" else None

    def at_stake(self, state: PerukeOneState, seat: int) -> int:
        """The points of the discs in their current status (P6)."""
        return 0 if state.phase == "over" else score_of(state.discs)

    def choices(self, state: PerukeOneState) -> tuple[Choice, ...]:
        """Every value in the tray whose disc is not taken, and passing (P4, P5)."""
        if state.phase != "use":
            return ()
        return (*self._usable(state.tray, state.discs), PASS)

    def _usable(self, tray: Faces, discs: tuple[int, ...]) -> list[Choice]:
        uses = self._uses.get(tray)
        if uses is None:
            uses = self._uses[tray] = tuple(self._uses_of(tray))
        return [choice for choice, value in uses if discs[value - 1] != TAKEN]

    def _uses_of(self, tray: Faces) -> Iterator[tuple[Choice, int]]:
        """Every single value of the dice and every combined one up to 6, low values first."""
        dice = sorted(set(tray))
        sets: list[Faces] = [(code,) for code in dice]
        if self.options.red_combines:
            red = [code for code in dice if code > RED]
            sets += [(code, r) for r in red for code in dice if code < RED]
        values = sorted((value_of(one), len(one), one) for one in sets)
        return ((Choice("use", one), value) for value, _, one in values if value <= DISCS)

    def rolled(self, state: PerukeOneState, faces: Faces) -> PerukeOneState:
        """The roll waits for a use; if no value can be used, the game ends (P5)."""
        discs, past, number, phase, _, _ = state
        if phase != "roll":
            raise IllegalEvent(*NOT_NOW[phase])
        tray = tuple(sorted(faces))
        if not self._is_roll(tray, number):
            raise IllegalEvent(self._wrong_dice(number), "P2")
        if not self._usable(tray, discs):
            return self._end_game(past, discs, number)
        return PerukeOneState(discs, past, number, "use", tray)

    def _is_roll(self, tray: Faces, number: int) -> bool:
        """Whether these are the dice of a round: red is the greatest code, all others white."""
        return (
            len(tray) == ROUNDS + 1 - number
            and RED < tray[-1] <= RED + DISCS
            and tray[0] >= 1
            and (number == ROUNDS or tray[-2] <= DISCS)
        )

    def _wrong_dice(self, number: int) -> str:
        if number == ROUNDS:
            return "The last round rolls the red die alone, with 1 to 6."
        white = counted(ROUNDS - number, "white die", "white dice")
        return f"Round {number} rolls {white} and the red one, with 1 to 6."

    def chosen(self, state: PerukeOneState, choice: Choice) -> PerukeOneState:
        """Use one value on its disc, or pass (P3)."""
        discs, past, number, phase, tray, used = state
        if phase != "use":
            raise IllegalEvent(*NOT_NOW[phase])
        if choice == PASS:
            return self._end_round(past, discs, number)
        value = self._value(state, choice)
        discs = (*discs[: value - 1], discs[value - 1] + 1, *discs[value:])
        tray = without(tray, choice.dice)
        used += 1
        if used < self.options.uses and self._usable(tray, discs):
            return PerukeOneState(discs, past, number, "use", tray, used)
        return self._end_round(past, discs, number)

    def _value(self, state: PerukeOneState, choice: Choice) -> int:
        """The disc a use turns; raises ``IllegalEvent`` if it turns none."""
        dice = choice.dice
        if choice.verb != "use" or choice.then or not dice:
            raise IllegalEvent(*NOT_NOW["use"])
        try:
            without(state.tray, dice)
        except ValueError:
            raise IllegalEvent("You can only use dice of this roll, each once.", "P4") from None
        if len(dice) > 1 and not self._combines(dice):
            raise IllegalEvent("Only the red die and one white die make a value together.", "P4")
        value = value_of(dice)
        if value > DISCS:
            raise IllegalEvent(f"There is no disc {value}.", "P4")
        if state.discs[value - 1] == TAKEN:
            raise IllegalEvent(f"Disc {value} is taken already.", "P5")
        return value

    def _combines(self, dice: Faces) -> bool:
        return len(dice) == 2 and dice[0] < RED < dice[1] and self.options.red_combines

    def _end_round(
        self, past: tuple[int, ...], discs: tuple[int, ...], number: int
    ) -> PerukeOneState:
        if number == ROUNDS:
            return self._end_game(past, discs, ROUNDS + 1)
        return PerukeOneState(discs, past, number + 1)

    def _end_game(
        self, past: tuple[int, ...], discs: tuple[int, ...], number: int
    ) -> PerukeOneState:
        """Record the score; the next game of the series starts, or the series ends (P8)."""
        past = (*past, score_of(discs))
        if len(past) < self.options.games:
            return PerukeOneState(ALL_SAFE, past)
        return PerukeOneState(discs, past, number, "over")

    def _result(self, state: PerukeOneState) -> Result:
        total = sum(state.past)
        won = (0,) if PERUKE_ONE in state.past else ()
        if self.options.games > 1:
            why = f"{counted(self.options.games, 'game is', 'games are').capitalize()} played; "
            why += f"they add up to {signed(total)}."
            return Result(won, (total,), "P8", why)
        points = signed(total)
        if state.round > ROUNDS:
            return Result(won, (total,), "P2", f"All six rounds are played, for {points}.")
        return Result(won, (total,), "P5", f"Nothing on the table could be used, for {points}.")

    def meaning(self, state: PerukeOneState, choice: Choice) -> Meaning:
        """Which disc is turned, and how."""
        if choice == PASS:
            more = ROUNDS - state.round
            effect = f"{counted(more, 'round is', 'rounds are').capitalize()} left"
            words = "Use nothing more" if state.used else "Use nothing"
            return Meaning(0, more, words, effect, ends_turn=True)
        value = value_of(choice.dice)
        left = len(state.tray) - len(choice.dice)
        taken = state.discs[value - 1] == VULNERABLE
        effect = f"Take disc {value}" if taken else f"Make disc {value} vulnerable"
        words = f"Use the {telling.sum_words(choice.dice)}"
        ends = self.chosen(state, choice).phase != "use"
        return Meaning(value, left, words, effect, ends_turn=ends)

    def read_dice(self, text: str) -> Faces:
        """Parse typed dice; if no red die is named, the last number is the red die."""
        faces = super().read_dice(text)
        if faces[-1] < RED and not any(code > RED for code in faces):
            return (*faces[:-1], faces[-1] + RED)
        return faces

    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        """Every way to use up to two values on six safe discs, best first."""
        tray = tuple(sorted(faces))
        if not 1 <= len(tray) <= ROUNDS or not self._is_roll(tray, ROUNDS + 1 - len(tray)):
            raise IllegalEvent("A roll of Peruke One is the red die and up to five white.", "P2")
        ways = {tuple(sorted(uses)) for uses in self._use_sets(tray, ALL_SAFE, self.options.uses)}
        found = []
        for uses in sorted(ways):
            dice = tuple(sorted(code for use in uses for code in use))
            points = sum(value_of(use) for use in uses)
            words = listed([telling.sum_words(use) for use in uses])
            found.append(Keep(dice, points, len(tray) - len(dice), words))
        return tuple(sorted(found, key=lambda keep: (-keep.points, len(keep.dice), keep.dice)))

    def _use_sets(
        self, tray: Faces, discs: tuple[int, ...], uses: int
    ) -> Iterator[tuple[Faces, ...]]:
        for choice in self._usable(tray, discs) if uses else ():
            yield (choice.dice,)
            value = value_of(choice.dice)
            turned = (*discs[: value - 1], discs[value - 1] + 1, *discs[value:])
            for more in self._use_sets(without(tray, choice.dice), turned, uses - 1):
                yield (choice.dice, *more)

    def blocked(self, state: PerukeOneState) -> tuple[Blocked, ...]:
        """Combining, where the option forbids it."""
        if state.phase != "use" or self.options.red_combines:
            return ()
        return (Blocked("combine", "The red die is an ordinary die in this game.", "P9"),)

    def why_unused(self, state: PerukeOneState, code: int) -> str:
        """A die whose disc is taken, also together with any other (P5)."""
        return f"Disc {value_of((code,))} is taken already."

    def taking(self, state: PerukeOneState) -> str:
        """One value for each use (P3, P4, P9)."""
        if not self.options.red_combines:
            return "Use one value at a time."
        return "Use one value at a time; only red and one white die may be added together, up to 6."

    def begins_turn(self, state: PerukeOneState) -> bool:
        """Whether a round starts; each round is a turn."""
        return state.phase == "roll"

    def tell(
        self, before: PerukeOneState, event: Event, after: PerukeOneState, names: Sequence[str]
    ) -> str:
        """One sentence saying what happened."""
        return telling.tell(self, before, event, after, names[0])

    def show(self, state: PerukeOneState) -> View:
        """Dice, discs, the round and the series."""
        return telling.show(self, state)

    def problem(self, state: PerukeOneState) -> str | None:
        """Why the state cannot occur; ``None`` if it can."""
        discs, past, number, phase, tray, used = state
        if len(discs) != DISCS or any(not SAFE <= status <= TAKEN for status in discs):
            return "six discs are 0 safe, 1 vulnerable or 2 taken each"
        if any(abs(score) > sum(range(DISCS + 1)) for score in past):
            return "a game scores between -21 and 21"
        if len(past) >= self.options.games + (phase == "over"):
            return f"a series is {counted(self.options.games, 'game', 'games')}"
        if not 1 <= number <= ROUNDS + (phase == "over"):
            return "there are six rounds"
        if phase == "over":
            if tray or used or len(past) < self.options.games or past[-1] != score_of(discs):
                return "the series is over when its last game is"
            return None
        uses = min(self.options.uses, ROUNDS + 1 - number)
        most = sum(min(self.options.uses, ROUNDS + 1 - r) for r in range(1, number))
        if sum(discs) > most + used:
            return "the discs have been turned more often than the rounds allow"
        if phase == "roll":
            return "nothing is rolled or used yet" if tray or used else None
        return self._tray_problem(state, uses)

    def _tray_problem(self, state: PerukeOneState, uses: int) -> str | None:
        size = ROUNDS + 1 - state.round
        whites = [code for code in state.tray if code < RED]
        reds = len(state.tray) - len(whites)
        if reds > 1 or len(whites) >= size + (state.used > 0 and not reds):
            return "the tray holds at most the dice of the round"
        if not 0 <= state.used < uses or not self._usable(state.tray, state.discs):
            return "no value in the tray can still be used"
        if not state.used and (len(state.tray) != size or not reds):
            return "all dice of the round are in the tray until one is used"
        if state.used and not size - 2 * state.used <= len(state.tray) <= size - state.used:
            return "each use takes one or two dice"
        return None
