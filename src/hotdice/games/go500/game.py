"""Go 500: race each segment for points, watch the limit, fear the flags.

The rules in words are in ``rules.md`` next to this file; comments cite its clauses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, NamedTuple

from hotdice.core.dice import Die, Faces, selections, without
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.endings import leaders
from hotdice.core.errors import IllegalEvent
from hotdice.core.events import Choice, Event
from hotdice.core.game import Game
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.view import View
from hotdice.games.go500 import checking, telling, wasting
from hotdice.games.go500.dice_set import KINDS, Side, blank
from hotdice.games.go500.options import Go500Options
from hotdice.games.go500.state import Go500State, Phase
from hotdice.games.go500.telling import NOT_NOW, hand_words

BLACKS = 5
BLACK, GREEN = blank("black"), blank("green")
Outcome = Literal["bonus", "black", "yellow", "red", "speeding", "complete", "open"]

STOP = Choice("stop")
ACCEPT = Choice("accept")
REROLL = Choice("reroll")
TAKES = tuple(
    Choice("take", (BLACK,) * blacks + (GREEN,) * greens)
    for blacks in range(BLACKS + 1)
    for greens in (0, 1)
)


class RollResult(NamedTuple):
    """What one roll of black, green and flag dice shows."""

    blacks: int
    greens: int
    points: int
    flag: str
    lockable: Faces
    circled: bool


def _locks(lockable: Faces) -> tuple[Choice, ...]:
    """Every way to lock at least one of these dice (G8)."""
    return tuple(Choice("lock", chosen) for chosen in selections(lockable))


_CACHE_SIZE = 1000
"""The limit of each cache; large dice sets have millions of rolls."""


class Go500(Game[Go500State, Go500Options]):
    """The rules of Go 500 under fixed options."""

    slug: ClassVar[str] = "go500"
    title: ClassVar[str] = "Go 500"
    summary: ClassVar[str] = "Race a course segment by segment: lock dice, mind limits and flags."
    min_players: ClassVar[int] = 1
    max_players: ClassVar[int] = 8
    options_type = Go500Options
    state_type = Go500State
    quick: ClassVar[Mapping[str, str]] = {"course": "streets"}
    verbs: ClassVar[tuple[str, ...]] = ("take", "stop", "lock", "accept", "reroll")

    def __init__(self, options: Go500Options | None = None) -> None:
        super().__init__(options)
        self.sides: dict[int, Side] = {
            code: side for kind in KINDS for code, (side, _) in self.options.dice.numbered(kind)
        }
        self._values = {code: side.value for code, side in self.sides.items()}
        self._kinds = {face.code: die.name for die in self.dice for face in die.faces}
        black, green, flag, yellow, red = self.dice
        self._hands = tuple(
            tuple((black,) * blacks + (green,) * greens + (flag,) for greens in (0, 1))
            for blacks in range(BLACKS + 1)
        )
        self._penalty_hands = {"yellow": (yellow,), "red": (red,)}
        weather = self.options.course.weathers.index(self.options.weather)
        self.limits = tuple(s.limits[weather] for s in self.options.course.segments)
        self._results: dict[Faces, RollResult] = {}
        self._known_calls: dict[Faces, tuple[tuple[Choice, ...], tuple[Choice, ...]]] = {}

    def make_dice(self) -> tuple[Die, ...]:
        """The dice of the dice set (G12)."""
        return self.options.dice.make_dice()

    def begin(self, players: int, first: int) -> Go500State:
        """Everybody at the start with all rerolls (G2); ``first`` is ignored (G3)."""
        return Go500State(((),) * players, (self.options.rerolls,) * players, (False,) * players)

    def due(self, state: Go500State) -> Due:
        """The choice of dice, a roll, a call on it, or a penalty."""
        phase = state.phase
        if phase == "roll":
            return ToRoll(state.seat, self._hands[state.blacks][state.greens])
        if phase in ("take", "call", "judge"):
            return ToChoose(state.seat)
        if phase in ("yellow", "red"):
            return ToRoll(state.seat, self._penalty_hands[phase])
        return Over(self._result(state))

    def players(self, state: Go500State) -> int:
        """How many seats play."""
        return len(state.card)

    def score(self, state: Go500State, seat: int) -> int:
        """The points of the segments raced so far."""
        return sum(state.card[seat])

    def at_stake(self, state: Go500State, seat: int) -> int:
        """The points of the segment being raced; its rolls count nothing under a black flag."""
        if seat != state.seat:
            return 0
        if state.phase == "roll":
            return state.bonus + sum(self.sides[code].value for code in state.locked)
        if state.phase != "call":
            return state.bonus + state.total
        return state.bonus + (self.total(state) if self.outcome(state) != "black" else 0)

    def kind(self, code: int) -> str:
        """The kind of die a face belongs to."""
        return self._kinds.get(code, "")

    def roll_result(self, tray: Faces) -> RollResult:
        """What a sorted roll shows; the flag has the greatest code, so it is last."""
        known = self._results.get(tray)
        if known is None:
            if len(self._results) >= _CACHE_SIZE:
                self._results.clear()
            known = self._results[tray] = self._read(tray)
        return known

    def _read(self, tray: Faces) -> RollResult:
        kinds = [self._kinds.get(code, "") for code in tray]
        blacks, greens = kinds.count("black"), kinds.count("green")
        if kinds != ["black"] * blacks + ["green"] * greens + ["flag"]:
            raise IllegalEvent("A roll is black and green dice with one flag die.", "G5")
        dice, flag = tray[:-1], self.sides[tray[-1]].word
        points = sum(self.sides[code].value for code in dice)
        lockable = tuple(code for code in dice if self.sides[code].word != "flat")  # G7
        circled = blacks == BLACKS and greens == 1 and all(self.sides[c].circled for c in dice)
        return RollResult(blacks, greens, points, flag, lockable, circled)

    def _calls(self, lockable: Faces) -> tuple[tuple[Choice, ...], tuple[Choice, ...]]:
        """The possible calls under a green flag, without and with a reroll left."""
        calls = self._known_calls.get(lockable)
        if calls is None:
            if len(self._known_calls) >= _CACHE_SIZE:
                self._known_calls.clear()
            worth = {lock: sum(self._values[c] for c in lock.dice) for lock in _locks(lockable)}
            locks = sorted(worth, key=lambda lock: (-worth[lock], len(lock.dice), lock.dice))
            calls = self._known_calls[lockable] = ((STOP, *locks), (STOP, REROLL, *locks))
        return calls

    def total(self, state: Go500State) -> int:
        """The segment's total: dice just rolled and locked (G5)."""
        points = self.roll_result(state.tray).points
        return points + sum([self._values[code] for code in state.locked])

    def outcome(self, state: Go500State) -> Outcome:
        """The outcome of the roll in the tray unless it is rerolled."""
        result = self.roll_result(state.tray)
        if result.circled:
            return "bonus"  # G6: whatever the flag or the limit says
        if result.flag != "green":
            return result.flag  # type: ignore[return-value]  # flags are yellow, red, black here
        limit = self.limits[state.segment]
        if limit is not None and self.total(state) > limit:
            return "speeding"  # G9
        return "open" if len(result.lockable) > 1 else "complete"  # G8

    def choices(self, state: Go500State) -> tuple[Choice, ...]:
        """Dice to take; or stop, lock, accept and reroll where they are allowed."""
        phase = state.phase
        if phase == "take":
            return TAKES  # G4
        if phase == "judge":
            return (ACCEPT, REROLL)
        if phase != "call":
            return ()
        rerolls = state.rerolls[state.seat]
        if self.outcome(state) == "open":
            return self._calls(self.roll_result(state.tray).lockable)[rerolls > 0]
        return (ACCEPT, REROLL) if rerolls else (ACCEPT,)

    def rolled(self, state: Go500State, faces: Faces) -> Go500State:
        """The roll waits for a call if there is one to make, else it takes effect (G5)."""
        phase = state.phase
        if phase == "roll":
            tray = tuple(sorted(faces))
            result = self.roll_result(tray)
            if result.blacks != state.blacks or result.greens != state.greens:
                raise IllegalEvent(self._wrong_dice(state), "G5")
            called = self._on(state, "call", state.blacks, state.greens, tray, state.locked)
            if state.rerolls[state.seat] or self.outcome(called) == "open":
                return called
            return self._settle(called)
        if phase in ("yellow", "red"):
            if len(faces) != 1 or self._kinds.get(faces[0]) != phase:
                raise IllegalEvent(f"The {phase} die has to be rolled.", "G10")
            shown = state._replace(phase="judge", tray=faces)
            return shown if state.rerolls[state.seat] else self._punish(shown)
        raise IllegalEvent(*NOT_NOW[phase])

    def _on(
        self,
        state: Go500State,
        phase: Phase,
        blacks: int,
        greens: int,
        tray: Faces = (),
        locked: Faces = (),
    ) -> Go500State:
        """The state with other dice; faster than ``_replace``, as it runs for every roll."""
        card, rerolls, out, segment, seat, _, _, _, _, _, bonus, _, _, _ = state
        return Go500State(
            card, rerolls, out, segment, seat, phase, blacks, greens, tray, locked, bonus
        )

    def _wrong_dice(self, state: Go500State) -> str:
        if not state.blacks + state.greens:
            return "Roll the flag die alone."
        return f"Roll {hand_words(state.blacks, state.greens)} with the flag die."

    def chosen(self, state: Go500State, choice: Choice) -> Go500State:
        """Take dice; spend a reroll; stop, lock or accept."""
        phase = state.phase
        if choice == REROLL and phase in ("call", "judge"):
            return self._reroll(state)
        if phase == "take" and choice.verb == "take":
            if choice not in TAKES:
                raise IllegalEvent("Take 0 to 5 black dice and 0 or 1 green die.", "G4")
            greens = choice.dice.count(GREEN)
            blacks = len(choice.dice) - greens
            return self._on(state, "roll", blacks, greens)
        if phase == "judge" and choice == ACCEPT:
            return self._punish(state)
        if phase == "call":
            is_open = self.outcome(state) == "open"
            if is_open and choice == STOP:
                return self._complete(state, self.total(state))
            if not is_open and choice == ACCEPT:
                return self._settle(state)
            if choice.verb == "lock":
                return self._lock(state, choice, is_open=is_open)
        raise IllegalEvent(*NOT_NOW[phase])

    def _reroll(self, state: Go500State) -> Go500State:
        left = state.rerolls[state.seat] - 1
        if left < 0:
            raise IllegalEvent("You have no rerolls left.", "G2")
        rerolls = (*state.rerolls[: state.seat], left, *state.rerolls[state.seat + 1 :])
        penalty: Phase = "yellow" if self.kind(state.tray[0]) == "yellow" else "red"
        phase: Phase = "roll" if state.phase == "call" else penalty
        return state._replace(rerolls=rerolls, phase=phase, tray=())

    def _lock(self, state: Go500State, choice: Choice, *, is_open: bool) -> Go500State:
        result = self.roll_result(state.tray)
        if not is_open:
            raise IllegalEvent("Only a green flag within the limit lets you go on.", "G8")
        if choice not in self._calls(result.lockable)[0][1:]:
            raise IllegalEvent("Lock at least one of the dice just rolled, or stop.", "G8")
        rest = without(result.lockable, choice.dice)
        if not rest:
            return self._complete(state, self.total(state))
        greens = sum(self._kinds[code] == "green" for code in rest)
        locked = tuple(sorted(state.locked + choice.dice))
        return self._on(state, "roll", len(rest) - greens, greens, (), locked)

    def _settle(self, state: Go500State) -> Go500State:
        """Let the roll take effect (G6, G8 to G10)."""
        outcome, total = self.outcome(state), self.total(state)
        if outcome == "bonus":
            bonus = state.bonus + self.options.all_circled
            return state._replace(phase="take", blacks=0, greens=0, tray=(), locked=(), bonus=bonus)
        if outcome == "black":
            return self._complete(state, 0)
        rolls = {"yellow": 1, "red": 1}.get(outcome, 0)
        if outcome == "speeding":
            rolls = self.options.penalties.rolls(total - (self.limits[state.segment] or 0))
        if not rolls:
            return self._complete(state, total)
        return state._replace(
            phase="yellow" if outcome == "yellow" else "red",
            blacks=0,
            greens=0,
            tray=(),
            locked=(),
            total=total,
            rolls=rolls,
        )

    def _punish(self, state: Go500State) -> Go500State:
        """Let a yellow or red die take effect (G10, G11)."""
        side = self.sides[state.tray[0]]
        if side.word in ("crash", "x") and not state.second:
            return state._replace(phase="red", tray=(), second=True)
        out = state.out
        if side.word == "x":
            out = (*out[: state.seat], True, *out[state.seat + 1 :])
        total = state.total + side.value
        if state.rolls == 1:
            return self._complete(state._replace(out=out), total)
        return state._replace(
            phase="red", tray=(), total=total, rolls=state.rolls - 1, second=False, out=out
        )

    def _complete(self, state: Go500State, points: int) -> Go500State:
        """Record the segment; the next seat still in the race is on (G3)."""
        seat, segment, out = state.seat, state.segment, state.out
        raced = (*state.card[seat], state.bonus + points)
        card = (*state.card[:seat], raced, *state.card[seat + 1 :])
        for _ in range(len(out)):
            seat += 1
            if seat == len(out):
                seat, segment = 0, segment + 1
            if not out[seat]:
                break
        phase: Phase = "over" if segment == len(self.limits) or all(out) else "take"
        if phase == "over":
            seat, segment = 0, min(segment, len(self.limits) - 1)
        return Go500State(card, state.rerolls, out, segment, seat, phase)

    def _result(self, state: Go500State) -> Result:
        scores = tuple(sum(raced) for raced in state.card)
        winners = leaders(scores)
        if any(len(raced) < len(self.limits) for raced in state.card) and all(state.out):
            return Result(winners, scores, "G11", "Nobody is left in the race.")
        return Result(winners, scores, "G3", "Every segment has been raced.")

    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        """What a roll lets you lock without a limit, best first; the flag is green if not given."""
        tray = tuple(sorted(faces))
        if not any(self._kinds.get(code) == "flag" for code in tray):
            flag = next((c for c, side in self.sides.items() if side.word == "green"), None)
            tray += () if flag is None else (flag,)
        result = self.roll_result(tray)
        if result.blacks > BLACKS or result.greens > 1:
            raise IllegalEvent("There are five black dice and one green die.", "G4")
        dice = tray[:-1]
        if result.circled:
            return (Keep(dice, self.options.all_circled, 0, "all circled"),)
        if result.flag != "green":
            points = 0 if result.flag == "black" else result.points
            return (Keep(dice, points, 0, f"{result.flag} flag"),)
        whole = Keep(dice, result.points, 0, "stop")
        locks = [
            Keep(
                lock.dice,
                sum(self.sides[code].value for code in lock.dice),
                len(result.lockable) - len(lock.dice),
                "lock",
            )
            for lock in self._calls(result.lockable)[0][1:]
            if len(lock.dice) < len(result.lockable)
        ]
        return (whole, *sorted(locks, key=lambda k: (-k.points, len(k.dice), k.dice)))

    def why_unused(self, state: Go500State, code: int) -> str:
        """The flag, a flat tyre, or any die where no dice may be locked."""
        return telling.why_unused(self, state, code)

    def pointless(self, state: Go500State, choice: Choice) -> bool:
        """Rolling again what cannot be better, or high dice to lock low ones."""
        return wasting.pointless(self, state, choice)

    def begins_turn(self, state: Go500State) -> bool:
        """Whether dice are to be taken for a segment."""
        return state.phase == "take"

    def meaning(self, state: Go500State, choice: Choice) -> Meaning:
        """What a choice scores and what follows."""
        return telling.meaning(self, state, choice)

    def tell(
        self, before: Go500State, event: Event, after: Go500State, names: Sequence[str]
    ) -> str:
        """One sentence saying what happened."""
        return telling.tell(self, before, event, after, names)

    def show(self, state: Go500State) -> View:
        """The course, the dice, the totals and the rerolls."""
        return telling.show(self, state)

    def problem(self, state: Go500State) -> str | None:
        """Why the state cannot occur; ``None`` if it can."""
        return checking.problem(self, state)
