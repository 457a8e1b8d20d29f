"""Rogue: no roll is lost, but a roll without score or rogue ends the turn.

The rules in words are in ``rules.md`` next to this file; comments cite its clauses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, NamedTuple

from hotdice.core.dice import Die, Face, Faces, numbered_face
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.errors import IllegalEvent
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import Game
from hotdice.core.keeping import KeepsByRoll
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.view import (
    Badge,
    Blocked,
    ChoiceView,
    Gauge,
    Meter,
    Milestone,
    Mood,
    Place,
    Track,
    View,
)
from hotdice.core.words import counted, dice_words
from hotdice.games.rogue.options import RogueOptions
from hotdice.games.rogue.scoring import ROGUE, keeps_of

DICE = 6
Phase = Literal["roll", "choose", "extra", "over"]

_NOT_NOW = {
    "roll": ("Roll the dice.", "R2"),
    "choose": ("Keep dice, then roll or bank.", "R2"),
    "extra": ("Take the additional turn, or decline it.", "R10"),
    "over": ("The game is over.", "R12"),
}

AGAIN = Choice("again")
DECLINE = Choice("decline")


_DOUBLES = Badge(ROGUE[0], "\N{MULTIPLICATION SIGN}2")


class RogueState(NamedTuple):
    """A position of Rogue.

    Attributes:
        scores: the recorded points, by seat.
        seat: whose turn it is.
        first: the seat every round starts with.
        phase: what happens next.
        total: the points set aside in this turn.
        tray: the dice just rolled.
        kept: the dice set aside in this turn.
        lone: how many of them are lone rogues.
    """

    scores: tuple[int, ...]
    seat: int = 0
    first: int = 0
    phase: Phase = "roll"
    total: int = 0
    tray: Faces = ()
    kept: Faces = ()
    lone: int = 0


class Rogue(Game[RogueState, RogueOptions]):
    """The rules of Rogue under fixed options."""

    slug: ClassVar[str] = "rogue"
    title: ClassVar[str] = "Rogue"
    summary: ClassVar[str] = "Collect sets, double them with a single critter, go to war at 1,812."
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 8
    options_type = RogueOptions
    state_type = RogueState
    risky: ClassVar[bool] = False
    verbs: ClassVar[tuple[str, ...]] = ("keep", "again", "decline")
    thens: ClassVar[tuple[str, ...]] = ("bank", "roll")

    def __init__(self, options: RogueOptions | None = None) -> None:
        super().__init__(options)
        self._hands = tuple(self.dice * count for count in range(DICE + 1))
        self._keeps = KeepsByRoll(  # R11: no hot dice
            lambda roll: keeps_of(roll, self.options), self.event_text, "set aside"
        )

    def make_dice(self) -> tuple[Die, ...]:
        """Dice with a critter in place of the 1."""
        faces = (Face(1, "c", "critter"), *(numbered_face(n, str(n), n) for n in range(2, 7)))
        return (Die("die", "white", faces),)

    def begin(self, players: int, first: int) -> RogueState:
        """The first seat starts; in a series that is the previous winner (R1)."""
        return RogueState((0,) * players, first, first)

    def rematch_first(self, result: Result) -> int:
        """The winner of the last game starts the next one (R1)."""
        return result.winners[0]

    def due(self, state: RogueState) -> Due:
        """A roll, a keep, or the answer to an additional turn."""
        if state.phase == "roll":
            return ToRoll(state.seat, self._hands[DICE - len(state.kept)])
        if state.phase != "over":
            return ToChoose(state.seat)
        return Over(self._result(state))

    def players(self, state: RogueState) -> int:
        """How many seats play."""
        return len(state.scores)

    def score(self, state: RogueState, seat: int) -> int:
        """The recorded points of a seat."""
        return state.scores[seat]

    def at_stake(self, state: RogueState, seat: int) -> int:
        """The points set aside in this turn; no roll can lose them."""
        return state.total if seat == state.seat else 0

    def set_aside(self, state: RogueState) -> Faces:
        """The dice kept in this turn."""
        return state.kept

    def choices(self, state: RogueState) -> tuple[Choice, ...]:
        """Every keep with rolling on or banking, or the two answers to an additional turn."""
        if state.phase == "choose":
            return self._keeps[state.tray].choices
        return (AGAIN, DECLINE) if state.phase == "extra" else ()

    def at_war(self, state: RogueState) -> bool:
        """Whether this turn began in war: scores only change when a turn ends (R10)."""
        return max(state.scores) >= self.options.war_at

    def rolled(self, state: RogueState, faces: Faces) -> RogueState:
        """A roll with a score or a rogue waits for the keep; any other ends the turn (R2)."""
        scores, seat, first, phase, total, _, kept, lone = state
        if phase != "roll":
            raise IllegalEvent(*_NOT_NOW[phase])
        tray = tuple(sorted(faces))
        if len(tray) != DICE - len(kept) or tray[0] < 1 or tray[-1] > DICE:
            count = counted(DICE - len(kept), "die", "dice")
            raise IllegalEvent(f"{count.capitalize()} with c or 2 to 6 have to be rolled.", "R2")
        if self._keeps[tray].keeps:
            return RogueState(scores, seat, first, "choose", total, tray, kept, lone)
        if tray == ROGUE:
            kept = tuple(sorted(kept + tray))
            if lone == DICE - 1:  # R13: the sixth rogue
                return RogueState(scores, seat, first, "over", 0, (), kept, DICE)
            return self._end_turn(scores, seat, first, 2 * total, kept, lone)  # R7
        return self._end_turn(scores, seat, first, total, kept, lone)

    def chosen(self, state: RogueState, choice: Choice) -> RogueState:
        """Set dice aside and roll on or stop; or answer an additional turn (R4, R10)."""
        scores, seat, first, phase, total, tray, kept, lone = state
        if phase == "choose" and choice.verb == "keep":
            worth = self._keeps[tray].keeps.get(choice.dice)
            if worth is None:
                raise self._no_keep(state, choice)
            total += worth.points
            lone += choice.dice == ROGUE
            kept = tuple(sorted(kept + choice.dice))
            if choice.then == "roll":
                if len(kept) == DICE:
                    raise IllegalEvent("All six dice are set aside, so the turn ends.", "R11")
                return RogueState(scores, seat, first, "roll", total, (), kept, lone)
            if choice.then == "bank":
                return self._end_turn(scores, seat, first, total, kept, lone)
        if phase == "extra" and choice == AGAIN:
            return RogueState(scores, seat, first)
        if phase == "extra" and choice == DECLINE:
            return self._next_turn(scores, seat, first)
        raise IllegalEvent(*_NOT_NOW[phase])

    def _end_turn(
        self, scores: tuple[int, ...], seat: int, first: int, total: int, kept: Faces, lone: int
    ) -> RogueState:
        """Record the turn; in war, all six dice in the score earn another one (R10)."""
        war = max(scores) >= self.options.war_at
        scores = (*scores[:seat], scores[seat] + total, *scores[seat + 1 :])
        if war and len(kept) == DICE and not lone:
            return RogueState(scores, seat, first, "extra")
        return self._next_turn(scores, seat, first)

    def _next_turn(self, scores: tuple[int, ...], seat: int, first: int) -> RogueState:
        """The next seat's turn; the game ends with a round if somebody leads alone (R12)."""
        seat = (seat + 1) % len(scores)
        if seat == first:
            best = max(scores)
            if best >= self.options.target and scores.count(best) == 1:
                return RogueState(scores, seat, first, "over")
        return RogueState(scores, seat, first)

    def _no_keep(self, state: RogueState, choice: Choice) -> IllegalEvent:
        dice, tray = choice.dice, state.tray
        if any(dice.count(face) > tray.count(face) for face in dice):
            return IllegalEvent("You can only set aside dice you have just rolled.", "R9")
        if not dice:
            return IllegalEvent("Something has to be set aside after such a roll.", "R2")
        return IllegalEvent(
            f"{dice_words(self, dice)} is not a set: keep two or more alike, a run, "
            "or a rogue alone or with a set.",
            "R4",
        )

    def _result(self, state: RogueState) -> Result:
        if state.lone == DICE:
            why = "Six rogues in a row win on the spot."
            return Result((state.seat,), state.scores, "R13", why)
        leader = state.scores.index(max(state.scores))
        why = f"{self.options.target:,} was reached, the round is complete and one player leads."
        return Result((leader,), state.scores, "R12", why)

    def meaning(self, state: RogueState, choice: Choice) -> Meaning:
        """What a keep is worth and what it leads to."""
        if choice == AGAIN:
            return Meaning(0, DICE, "Take the additional turn", "Roll six dice", ends_turn=True)
        if choice == DECLINE:
            return Meaning(0, 0, "Decline the additional turn", "End your turn", ends_turn=True)
        score = state.scores[state.seat]
        return self._keeps.meaning(state.tray, choice, state.total, score)

    def choice_views(
        self, state: RogueState, choices: Sequence[Choice], names: Sequence[str] = ()
    ) -> tuple[ChoiceView, ...]:
        """The views of keeps, or of the answers to an additional turn."""
        if state.phase != "choose":
            return super().choice_views(state, choices, names)
        return self._keeps.views(state.tray, choices, state.total, state.scores[state.seat])

    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        """Everything that may be set aside of up to six dice, best first."""
        if not 1 <= len(faces) <= DICE or not all(1 <= face <= DICE for face in faces):
            raise IllegalEvent("A roll of Rogue is one to six dice with c or 2 to 6.", "R2")
        if faces == ROGUE:
            return (Keep(ROGUE, 0, 0, "as the last die it doubles the turn"),)  # R7
        return self._keeps[tuple(sorted(faces))].listed(len(faces))

    def blocked(self, state: RogueState) -> tuple[Blocked, ...]:
        """Rolling on, where the only keeps use every die."""
        if state.phase != "choose" or any(c.then == "roll" for c in self.choices(state)):
            return ()
        reason = "With all six dice set aside, the turn ends."
        return (Blocked("roll", reason, "R11", ends_turn=False),)

    def idle(self, state: RogueState) -> Faces:
        """The dice that score in no set of this roll."""
        return self._keeps[state.tray].idle if state.phase == "choose" else ()

    def why_unused(self, state: RogueState, code: int) -> str:
        """A number that shows only once (R4)."""
        return f"There is only one {code}: a group needs two or more of a face."

    def taking(self, state: RogueState) -> str:
        """What may be set aside together (R4, R5)."""
        return "A group needs two or more of a face."

    def begins_turn(self, state: RogueState) -> bool:
        """Whether six dice have to be rolled."""
        return state.phase == "roll" and not state.kept

    def turn_key(self, state: RogueState) -> tuple[str, int, int]:
        """The phase, the number of dice left to roll, and the number of lone rogues."""
        return state.phase, DICE - len(state.kept), state.lone

    def turn_over(self, before: RogueState, event: Event, after: RogueState) -> bool:
        """Also when the turn is recorded and another one is offered."""
        return after.phase == "extra" or super().turn_over(before, event, after)

    def tell(
        self, before: RogueState, event: Event, after: RogueState, names: Sequence[str]
    ) -> str:
        """One sentence saying what happened."""
        name = names[before.seat]
        if event == AGAIN:
            return f"{name} takes the additional turn."
        if event == DECLINE:
            return f"{name} leaves the additional turn."
        extra = " An additional turn is earned." if after.phase == "extra" else ""
        score = after.scores[before.seat]
        gain = score - before.scores[before.seat]
        if isinstance(event, Roll):
            rolled = f"{name} rolls {dice_words(self, event.faces)}"
            if after.phase == "choose":
                return f"{rolled}."
            if after.lone == DICE:
                return f"{rolled}: rogue out, {name} wins the game."
            if event.faces == ROGUE:
                return f"{rolled}: the last die doubles the turn to {gain:,}, now {score:,}.{extra}"
            return f"{rolled}: nothing counts, so {gain:,} is recorded, now {score:,}."
        meaning = self.meaning(before, event)
        kept = f"{name} keeps {dice_words(self, event.dice)} for {meaning.points:,}"
        if event.then == "roll":
            return f"{kept} and rolls on with {after.total:,} set aside."
        return f"{kept} and banks {gain:,}, now {score:,}.{extra}"

    def show(self, state: RogueState) -> View:
        """Tray, kept dice, score tracks with the war and the target, and the turn so far."""
        options = self.options
        milestones = (Milestone(options.war_at, "war"), Milestone(options.target, "last round"))
        tracks = tuple(
            Track(seat, score, options.target, milestones, self.at_stake(state, seat))
            for seat, score in enumerate(state.scores)
        )
        notices = []
        if state.phase != "over":
            if self.at_war(state):
                notices.append("War: all six dice in the score earn an additional turn.")
            if max(state.scores) >= options.target:
                notices.append("Last round: the game ends with it if one player leads alone.")
        due = self.due(state)
        meters = (Meter("Lone rogues", state.lone, DICE),)
        return View(
            seat=None if isinstance(due, Over) else due.seat,
            prompt=due.result.why if isinstance(due, Over) else _NOT_NOW[state.phase][0],
            tracks=tracks,
            dice=self.dice_view(state.tray, Place.TRAY) + self.dice_view(state.kept, Place.KEPT),
            gauge=Gauge(state.total, "set aside, and safe"),
            meters=meters,
            notices=tuple(notices),
            mood=Mood.WAR if self.at_war(state) and state.phase != "over" else Mood.CALM,
            badges=(_DOUBLES,) if _doubles(state.tray) else (),
            apart=True,
        )

    def problem(self, state: RogueState) -> str | None:
        """Why the state cannot occur; ``None`` if it can."""
        players = len(state.scores)
        if not self.min_players <= players <= self.max_players:
            return f"it is for {self.players_text()}"
        if not 0 <= state.seat < players or not 0 <= state.first < players:
            return "there is no such seat"
        if min(state.scores) < 0 or state.total < 0:
            return "points are never negative"
        if any(not 1 <= face <= DICE for face in state.tray + state.kept):
            return "the dice show c or 2 to 6"
        if state.phase == "over":
            return self._end_problem(state)
        if state.lone > state.kept.count(ROGUE[0]) or state.lone < 0:
            return "lone rogues lie among the dice set aside"
        if (state.total > 0) != (len(state.kept) > state.lone):
            return "dice set aside have points, unless they are lone rogues"
        if state.phase == "extra":
            if state.kept or state.tray or not self.at_war(state):
                return "an additional turn comes after a turn in war"
            return None
        tray, kept = len(state.tray), len(state.kept)
        if state.phase == "choose":
            if tray + kept != DICE or not self._keeps[state.tray].keeps:
                return "a roll to choose from shows all dice not kept, with a score or a rogue"
        elif tray or kept == DICE:
            return "dice to be rolled are neither in the tray nor all set aside"
        return None

    def _end_problem(self, state: RogueState) -> str | None:
        if state.tray or state.total:
            return "nothing is left in the tray or the turn at the end"
        if state.lone:
            six = (*ROGUE,) * DICE
            return None if state.lone == DICE and state.kept == six else "six rogues end the game"
        best = max(state.scores)
        if state.kept or best < self.options.target or state.scores.count(best) > 1:
            return "the game ends when one player leads alone with the target reached"
        return None if state.seat == state.first else "the game ends with a round"


def _doubles(tray: Faces) -> bool:
    """Whether a roll has a rogue and something that it could double."""
    return tray.count(ROGUE[0]) == 1 and len(set(tray)) < len(tray)
