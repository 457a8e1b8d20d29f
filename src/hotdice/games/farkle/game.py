"""Farkle: set scoring dice aside, roll the rest, stop before nothing scores.

The rules in words are in ``rules.md`` next to this file; comments cite its clauses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

from hotdice.core.dice import Die, Faces, chances, numbered_die
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.endings import last_lap_problem, leaders
from hotdice.core.errors import IllegalEvent
from hotdice.core.events import Choice, Event
from hotdice.core.game import Game
from hotdice.core.keeping import KeepsByRoll
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.opening import RollOff, lot, seat_of_lot
from hotdice.core.view import Blocked, ChoiceView, Milestone, View
from hotdice.core.words import counted, dice_words, seat_name
from hotdice.games.farkle import telling
from hotdice.games.farkle.options import FarkleOptions
from hotdice.games.farkle.scoring import DICE, Worths

Phase = Literal["start", "lot", "offer", "roll", "choose", "over"]

CONTINUE = Choice("continue")
FRESH = Choice("fresh")


class FarkleState(NamedTuple):
    """A position of Farkle.

    Attributes:
        scores: the points on the pad, by seat.
        seat: whose turn it is.
        phase: what happens next.
        total: the running total of the turn, or on offer.
        tray: the dice just rolled.
        kept: the dice set aside since all six were last rolled, carried ones included.
        closer: the seat whose score started the last lap; -1 before that.
        contenders: the seats still rolling for the start.
        totals: what the first of them rolled.
    """

    scores: tuple[int, ...]
    seat: int = 0
    phase: Phase = "roll"
    total: int = 0
    tray: Faces = ()
    kept: Faces = ()
    closer: int = -1
    contenders: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()


_CACHE_SIZE = 2000
"""The limit of ``_before_entry``, which has an item for each roll and number of missing points."""


class Farkle(Game[FarkleState, FarkleOptions]):
    """The rules of Farkle under fixed options."""

    slug: ClassVar[str] = "farkle"
    title: ClassVar[str] = "Farkle"
    summary: ClassVar[str] = "Set scoring dice aside and stop before a roll scores nothing."
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 8
    options_type = FarkleOptions
    state_type = FarkleState
    quick: ClassVar[Mapping[str, str]] = {"starts": "seat"}
    verbs: ClassVar[tuple[str, ...]] = ("keep", "continue", "fresh")
    thens: ClassVar[tuple[str, ...]] = ("bank", "roll")

    def __init__(self, options: FarkleOptions | None = None) -> None:
        super().__init__(options)
        die = self.dice[0]
        self._hands = tuple((die,) * count for count in range(DICE + 1))
        worths = Worths(self.options).keeps_of
        self._keeps = KeepsByRoll(worths, self.event_text, "at stake", hot="all six dice")
        pad = (Milestone(self.options.entry, "on the pad"),) if self.options.entry else ()
        self.milestones = (*pad, Milestone(self.options.target, "last lap"))
        self._before_entry: dict[tuple[Faces, int], tuple[Choice, ...]] = {}

    def make_dice(self) -> tuple[Die, ...]:
        """Six-sided dice, and a lot if it decides who starts."""
        die = numbered_die("die", "white")
        return (die, lot(self.max_players)) if self.options.starts == "random" else (die,)

    def begin(self, players: int, first: int) -> FarkleState:
        """Nothing recorded; who starts is rolled for, drawn, or the first seat (F1)."""
        scores = (0,) * players
        if self.options.starts == "highest":
            return FarkleState(scores, 0, "start", contenders=tuple(range(players)))
        if self.options.starts == "random":
            return FarkleState(scores, first, "lot")
        return FarkleState(scores, first)

    def due(self, state: FarkleState) -> Due:
        """A roll, a keep, or the answer to an offer."""
        phase = state.phase
        if phase == "roll":
            return ToRoll(state.seat, self._hands[DICE - len(state.kept)])
        if phase in ("choose", "offer"):
            return ToChoose(state.seat)
        if phase == "start":
            return ToRoll(RollOff(state.contenders, state.totals).seat, self._hands[1])
        if phase == "lot":
            return ToRoll(state.seat, (lot(len(state.scores)),))
        return Over(self._result(state))

    def players(self, state: FarkleState) -> int:
        """How many seats play."""
        return len(state.scores)

    def score(self, state: FarkleState, seat: int) -> int:
        """The points of a seat on the pad."""
        return state.scores[seat]

    def at_stake(self, state: FarkleState, seat: int) -> int:
        """The running total; points on offer belong to no seat (F10)."""
        live = seat == state.seat and state.phase in ("roll", "choose")
        return state.total if live else 0

    def set_aside(self, state: FarkleState) -> Faces:
        """The dice kept in this turn."""
        return state.kept

    def choices(self, state: FarkleState) -> tuple[Choice, ...]:
        """Every keep with rolling on or banking, or the two answers to an offer."""
        if state.phase == "choose":
            choices = self._keeps[state.tray].choices
            missing = self._missing(state)
            return choices if missing <= 0 else self._choices_before_entry(state.tray, missing)
        return (CONTINUE, FRESH) if state.phase == "offer" else ()

    def _missing(self, state: FarkleState) -> int:
        """The points this seat still needs before it may bank (F9)."""
        return 0 if state.scores[state.seat] else self.options.entry - state.total

    def _choices_before_entry(self, tray: Faces, missing: int) -> tuple[Choice, ...]:
        known = self._before_entry.get((tray, missing))
        if known is None:
            found = self._keeps[tray]
            enough = {dice for dice, worth in found.keeps.items() if worth.points >= missing}
            known = tuple(c for c in found.choices if c.then == "roll" or c.dice in enough)
            if len(self._before_entry) >= _CACHE_SIZE:
                self._before_entry.clear()
            self._before_entry[tray, missing] = known
        return known

    def rolled(self, state: FarkleState, faces: Faces) -> FarkleState:
        """A scoring roll waits for the keep; any other ends the turn (F8)."""
        phase = state.phase
        if phase == "roll":
            tray = tuple(sorted(faces))
            if len(tray) != DICE - len(state.kept) or tray[0] < 1 or tray[-1] > DICE:
                raise self._wrong_dice(DICE - len(state.kept))
            if self._keeps[tray].keeps:
                scores, seat, _, total, _, kept, closer, _, _ = state
                return FarkleState(scores, seat, "choose", total, tray, kept, closer)
            return self._next_turn(state.scores, state.seat, state.closer)
        if phase == "start":
            return self._rolled_off(state, faces)
        if phase == "lot":
            seat = seat_of_lot(faces[0]) if len(faces) == 1 else -1
            if not 0 <= seat < len(state.scores):
                raise IllegalEvent("The lot has to name one of the seats.", "F1")
            return FarkleState(state.scores, seat)
        raise IllegalEvent(*telling.NOT_NOW[phase])

    def _rolled_off(self, state: FarkleState, faces: Faces) -> FarkleState:
        if len(faces) != 1 or not 1 <= faces[0] <= DICE:
            raise IllegalEvent("Each player rolls one die for the start.", "F1")
        off, starter = RollOff(state.contenders, state.totals).rolled(faces[0])
        if starter is not None:
            return FarkleState(state.scores, starter)
        return state._replace(contenders=off.contenders, totals=off.totals)

    def _wrong_dice(self, count: int) -> IllegalEvent:
        return IllegalEvent(
            f"{counted(count, 'die', 'dice').capitalize()} with 1 to 6 "
            f"{'has' if count == 1 else 'have'} to be rolled.",
            "F2",
        )

    def chosen(self, state: FarkleState, choice: Choice) -> FarkleState:
        """Set dice aside and roll on or bank; or answer an offer (F4, F7, F10)."""
        phase = state.phase
        if phase == "choose" and choice.verb == "keep":
            scores, seat, _, total, tray, kept, closer, _, _ = state
            worth = self._keeps[tray].keeps.get(choice.dice)
            if worth is None:
                raise self._no_keep(state, choice)
            total += worth.points
            kept = tuple(sorted(kept + choice.dice))
            if choice.then == "roll":
                if len(kept) == DICE:
                    kept = ()  # F7: hot dice
                return FarkleState(scores, seat, "roll", total, (), kept, closer)
            if choice.then == "bank":
                return self._bank(state, total, kept)
        if phase == "offer" and choice == CONTINUE:
            return state._replace(phase="roll")
        if phase == "offer" and choice == FRESH:
            return FarkleState(state.scores, state.seat, closer=state.closer)
        raise IllegalEvent(*telling.NOT_NOW[phase])

    def _bank(self, state: FarkleState, total: int, kept: Faces) -> FarkleState:
        if not state.scores[state.seat] and total < self.options.entry:
            raise IllegalEvent(self._too_little(total), "F9")
        scores = list(state.scores)
        scores[state.seat] += total
        closer = state.closer
        if closer < 0 and scores[state.seat] >= self.options.target:
            closer = state.seat  # F11: the last lap starts
        return self._next_turn(tuple(scores), state.seat, closer, total, kept)

    def _next_turn(
        self, scores: tuple[int, ...], seat: int, closer: int, total: int = 0, kept: Faces = ()
    ) -> FarkleState:
        """The next seat's turn, with the dice left by the last one, or the end."""
        seat = (seat + 1) % len(scores)
        if seat == closer:
            return FarkleState(scores, seat, "over", closer=closer)
        if 0 < len(kept) < DICE and self.options.carry_over and scores[seat]:  # F10
            return FarkleState(scores, seat, "offer", total, (), kept, closer)
        return FarkleState(scores, seat, "roll", 0, (), (), closer)

    def _too_little(self, total: int) -> str:
        return f"You need {self.options.entry:,} to get on the pad and have {total:,}."

    def _no_keep(self, state: FarkleState, choice: Choice) -> IllegalEvent:
        if any(choice.dice.count(face) > state.tray.count(face) for face in choice.dice):
            return IllegalEvent("You can only keep dice you have just rolled.", "F6")
        if not choice.dice:
            return IllegalEvent("You have to set at least one scoring die aside.", "F4")
        scores = "does not score" if len(choice.dice) == 1 else "does not score with every die"
        return IllegalEvent(f"{dice_words(self, choice.dice)} {scores}.", "F4")

    def _result(self, state: FarkleState) -> Result:
        why = f"{self.options.target:,} was reached and everybody else has had a last turn."
        return Result(leaders(state.scores), state.scores, "F11", why)

    def meaning(self, state: FarkleState, choice: Choice) -> Meaning:
        """What a keep is worth and what it leads to."""
        if choice.verb != "keep":
            return self._answer(state, choice)
        score = state.scores[state.seat]
        return self._keeps.meaning(state.tray, choice, state.total, score)

    def choice_views(
        self, state: FarkleState, choices: Sequence[Choice], names: Sequence[str] = ()
    ) -> tuple[ChoiceView, ...]:
        """The views of keeps, or of the answers to an offer."""
        if state.phase != "choose":
            return super().choice_views(state, choices, names)
        return self._keeps.views(state.tray, choices, state.total, state.scores[state.seat])

    def _answer(self, state: FarkleState, choice: Choice) -> Meaning:
        """What an answer to an offer leads to."""
        if choice == FRESH:
            return Meaning(0, DICE, "Start fresh", "Roll six dice", ends_turn=False)
        left = DICE - len(state.kept)
        dice = counted(left, "die", "dice")
        whose = (state.seat or len(state.scores)) - 1  # F10: the one before has left them
        words = f"Take {seat_name(whose)}'s {state.total:,} and roll {dice}"
        return Meaning(0, left, words, f"{state.total:,} at stake", ends_turn=False, whose=whose)

    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        """Every set that may be set aside of up to six dice, best first."""
        if not 1 <= len(faces) <= DICE or not all(1 <= face <= DICE for face in faces):
            raise IllegalEvent("A roll of Farkle is one to six dice with 1 to 6.", "F2")
        return self._keeps[tuple(sorted(faces))].listed(len(faces))

    def blocked(self, state: FarkleState) -> tuple[Blocked, ...]:
        """Banking, while the total is below the entry."""
        if state.phase != "choose":
            return ()
        best = next(iter(self._keeps[state.tray].keeps.values())).points
        if self._missing(state) <= best:
            return ()
        return (Blocked("bank", f"You need {self.options.entry:,} to get on the pad.", "F9"),)

    def idle(self, state: FarkleState) -> Faces:
        """The dice that score in no set of this roll."""
        return self._keeps[state.tray].idle if state.phase == "choose" else ()

    def why_unused(self, state: FarkleState, code: int) -> str:
        """A die that scores in no set of this roll."""
        return f"The {code} doesn't score on this roll."

    def taking(self, state: FarkleState) -> str:
        """Every die that is set aside has to score (F4)."""
        return "Every die you set aside has to score: 1s and 5s alone, others in threes."

    def begins_turn(self, state: FarkleState) -> bool:
        """At an offer, or with six dice to roll and no running total."""
        return state.phase == "offer" or (
            state.phase == "roll" and not state.total and not state.kept
        )

    def turn_key(self, state: FarkleState) -> int:
        """The number of dice to roll, or on offer to the next seat."""
        return DICE - len(state.kept)

    def tell(
        self, before: FarkleState, event: Event, after: FarkleState, names: Sequence[str]
    ) -> str:
        """One sentence saying what happened."""
        return telling.tell(self, before, event, after, names)

    def show(self, state: FarkleState) -> View:
        """Tray, kept dice, score tracks and the running total."""
        return telling.show(self, state)

    @cached_property
    def farkle_chances(self) -> tuple[float, ...]:
        """The chance that nothing scores, by the number of dice."""
        return (0.0, *(self._farkle_chance(count) for count in range(1, DICE + 1)))

    def _farkle_chance(self, count: int) -> float:
        rolls = chances((self.dice[0],) * count)
        return float(sum(chance for faces, chance in rolls if not self._keeps[faces].keeps))

    def problem(self, state: FarkleState) -> str | None:
        """Why the state cannot occur; ``None`` if it can."""
        players = len(state.scores)
        dice = state.tray + state.kept
        if not self.min_players <= players <= self.max_players:
            return f"it is for {self.players_text()}"
        if not 0 <= state.seat < players or not -1 <= state.closer < players:
            return "there is no such seat"
        if any(score < 0 or 0 < score < self.options.entry for score in state.scores):
            return f"nobody can have fewer points than the entry of {self.options.entry:,}"
        if any(not 1 <= face <= DICE for face in dice):
            return "the dice show 1 to 6"
        if state.total < 0 or (state.total == 0 and bool(state.kept)):
            return "dice set aside have points"
        if state.total and state.phase not in ("offer", "roll", "choose"):
            return "there is no running total now"
        if state.phase == "lot" and any(state.scores):
            return "nobody has points before the start"
        if (state.phase == "start") != bool(state.contenders):
            return "contenders are named during a roll-off and only then"
        return (
            RollOff(state.contenders, state.totals).problem(state.scores)
            or self._dice_problem(state)
            or last_lap_problem(
                state.scores, self.options.target, state.closer, state.seat, state.phase
            )
        )

    def _dice_problem(self, state: FarkleState) -> str | None:
        tray, kept = len(state.tray), len(state.kept)
        if state.phase == "choose":
            if tray + kept != DICE or not self._keeps[state.tray].keeps:
                return "a roll to choose from shows all dice not kept, and something scores"
        elif tray:
            return "the tray is empty until dice are rolled"
        if state.phase == "offer" and (
            not 0 < kept < DICE or not self.options.carry_over or not state.scores[state.seat]
        ):
            return "an offer leaves one to five dice to a player who is on the pad"
        if state.phase not in ("offer", "roll", "choose") and kept:
            return "no dice are kept now"
        if kept == DICE:
            return "six kept dice are rolled again"
        return None
