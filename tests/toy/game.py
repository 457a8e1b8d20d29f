from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from hotdice.core.dice import Die, Face, Faces, numbered_die
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.errors import IllegalEvent
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import Game
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.options import Options, option
from hotdice.core.view import Place, Track, View

HOLD, ROLL = Choice("hold"), Choice("roll")


@dataclass(frozen=True, kw_only=True)
class PigOptions(Options):
    target: int = option(20, "The score that wins.", "T2", low=1, high=1000)


class PigState(NamedTuple):
    scores: tuple[int, ...]
    seat: int = 0
    phase: Literal["roll", "choose", "over"] = "roll"
    total: int = 0
    tray: Faces = ()


class Pig(Game[PigState, PigOptions]):
    slug: ClassVar[str] = "pig"
    title: ClassVar[str] = "Pig"
    summary: ClassVar[str] = "Roll or hold."
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 4
    options_type = PigOptions
    state_type = PigState
    verbs: ClassVar[tuple[str, ...]] = ("hold", "roll")

    def make_dice(self) -> tuple[Die, ...]:
        return (numbered_die("die", "white"),)

    def begin(self, players: int, first: int) -> PigState:
        return PigState((0,) * players, first)

    def due(self, state: PigState) -> Due:
        if state.phase == "roll":
            return ToRoll(state.seat, self.dice)
        if state.phase == "choose":
            return ToChoose(state.seat)
        why = "The target was held."
        return Over(Result((state.seat,), state.scores, "T2", why))

    def players(self, state: PigState) -> int:
        return len(state.scores)

    def score(self, state: PigState, seat: int) -> int:
        return state.scores[seat]

    def at_stake(self, state: PigState, seat: int) -> int:
        return state.total if seat == state.seat else 0

    def choices(self, state: PigState) -> tuple[Choice, ...]:
        if state.phase != "choose":
            return ()
        enough = state.scores[state.seat] + state.total >= self.options.target
        return (HOLD,) if enough else (HOLD, ROLL)

    def rolled(self, state: PigState, faces: Faces) -> PigState:
        if state.phase != "roll" or len(faces) != 1 or not 1 <= faces[0] <= 6:
            raise IllegalEvent("One die with 1 to 6 is rolled, after choosing.", "T1")
        if faces == (1,):
            return PigState(state.scores, (state.seat + 1) % len(state.scores))
        return state._replace(phase="choose", total=state.total + faces[0], tray=faces)

    def chosen(self, state: PigState, choice: Choice) -> PigState:
        if choice not in self.choices(state):
            raise IllegalEvent("Hold or roll after a roll.", "T1")
        if choice == ROLL:
            return state._replace(phase="roll", tray=())
        scores = list(state.scores)
        scores[state.seat] += state.total
        if scores[state.seat] >= self.options.target:
            return PigState(tuple(scores), state.seat, "over")
        return PigState(tuple(scores), (state.seat + 1) % len(scores))

    def meaning(self, state: PigState, choice: Choice) -> Meaning:
        if choice == HOLD:
            return Meaning(state.total, 0, "Hold", f"Record {state.total}", ends_turn=True)
        return Meaning(0, 1, "Roll", "Roll the die", ends_turn=False)

    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        if len(faces) != 1:
            raise IllegalEvent("One die is rolled.", "T1")
        return () if faces == (1,) else (Keep(faces, faces[0], 0, "hold"),)

    def begins_turn(self, state: PigState) -> bool:
        return state.phase == "roll" and not state.total

    def turn_key(self, state: PigState) -> int:
        return 0

    def tell(self, before: PigState, event: Event, after: PigState, names: Sequence[str]) -> str:
        what = f"rolls {event.faces[0]}" if isinstance(event, Roll) else f"says {event.verb}"
        return f"{names[before.seat]} {what}."

    def show(self, state: PigState) -> View:
        over = state.phase == "over"
        tracks = tuple(
            Track(seat, score, pending=self.at_stake(state, seat))
            for seat, score in enumerate(state.scores)
        )
        dice = self.dice_view(state.tray, Place.TRAY)
        return View(None if over else state.seat, "Roll or hold.", tracks, dice)

    def problem(self, state: PigState) -> str | None:
        if not 2 <= len(state.scores) <= 4 or not 0 <= state.seat < len(state.scores):
            return "there is no such seat"
        if len(state.tray) != (state.phase == "choose"):
            return "the die is in the tray after a roll"
        won = [s for s, score in enumerate(state.scores) if score >= self.options.target]
        if won != ([state.seat] if state.phase == "over" else []):
            return "the first to hold the target wins"
        return None


class Piglet(Pig):
    """A coin in place of the die: heads adds 1, tails loses the turn."""

    slug: ClassVar[str] = "piglet"

    def make_dice(self) -> tuple[Die, ...]:
        return (Die("coin", "white", (Face(1, "t", "tails"), Face(2, "h", "heads"))),)

    def rolled(self, state: PigState, faces: Faces) -> PigState:
        after = super().rolled(state, faces)
        return after._replace(total=state.total + 1) if after.phase == "choose" else after
