"""Cockroach: build 1-2-3-4-5, re-roll as long as you dare, sixes die.

The rules in words are in ``rules.md`` next to this file; comments cite its clauses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import ClassVar, Literal, NamedTuple

from hotdice.core.dice import Die, Faces, numbered_die, selections, without
from hotdice.core.due import Due, Over, Result, ToChoose, ToRoll
from hotdice.core.endings import last_lap_problem, leaders
from hotdice.core.errors import IllegalEvent
from hotdice.core.events import Choice, Event, Roll
from hotdice.core.game import Game
from hotdice.core.meaning import Keep, Meaning
from hotdice.core.opening import RollOff
from hotdice.core.view import Blocked, Gauge, Milestone, Mood, Place, Track, View, Wanted
from hotdice.core.words import counted, dice_words, the_dice
from hotdice.games.cockroach.options import CockroachOptions
from hotdice.games.cockroach.scoring import best_sequence, gives_up_better, most_points

DICE = 5
DEAD = 6
Phase = Literal["start", "roll", "drop", "choose", "over"]

_NOT_NOW = {
    "start": ("The players roll for the start.", "C1"),
    "roll": ("Roll the dice.", "C3"),
    "drop": ("Sixes cost dice: say which you give up.", "C7"),
    "choose": ("Re-roll what you like, or stop.", "C3"),
    "over": ("The game is over.", "C5"),
}

STOP = Choice("stop")


class CockroachState(NamedTuple):
    """A position of Cockroach.

    Attributes:
        scores: the recorded points, by seat.
        seat: whose turn it is.
        phase: what happens next.
        play: the dice in play, without those to be rolled.
        dead: the dice placed aside in this turn.
        drop: how many dice in play have to be given up for the sixes just rolled.
        closer: the seat whose score started the last lap; -1 before that.
        contenders: the seats still rolling for the start.
        totals: what the first of them rolled.
    """

    scores: tuple[int, ...]
    seat: int = 0
    phase: Phase = "roll"
    play: Faces = ()
    dead: Faces = ()
    drop: int = 0
    closer: int = -1
    contenders: tuple[int, ...] = ()
    totals: tuple[int, ...] = ()


class Cockroach(Game[CockroachState, CockroachOptions]):
    """The rules of Cockroach under fixed options."""

    slug: ClassVar[str] = "cockroach"
    title: ClassVar[str] = "Cockroach"
    summary: ClassVar[str] = "Re-roll towards 1-2-3-4-5 while every 6 takes a die away."
    min_players: ClassVar[int] = 2
    max_players: ClassVar[int] = 6
    options_type = CockroachOptions
    state_type = CockroachState
    quick: ClassVar[Mapping[str, str]] = {"starts": "seat"}
    verbs: ClassVar[tuple[str, ...]] = ("stop", "reroll", "drop")

    def __init__(self, options: CockroachOptions | None = None) -> None:
        super().__init__(options)
        self._hands = tuple(self.dice * count for count in range(DICE + 1))
        self._most = tuple(most_points(count, self.options) for count in range(DICE + 1))
        self._points: dict[Faces, int] = {}
        self._actions: dict[Faces, tuple[Choice, ...]] = {}
        self._drops: dict[tuple[Faces, int], tuple[Choice, ...]] = {}

    def make_dice(self) -> tuple[Die, ...]:
        """Ordinary dice."""
        return (numbered_die("die", "white"),)

    def begin(self, players: int, first: int) -> CockroachState:
        """Nothing recorded; who starts is rolled for, or the first seat (C1)."""
        scores = (0,) * players
        if self.options.starts == "highest":
            return CockroachState(scores, 0, "start", contenders=tuple(range(players)))
        return CockroachState(scores, first)

    def due(self, state: CockroachState) -> Due:
        """A roll, the choice to re-roll or stop, or the choice of dice to give up."""
        phase = state.phase
        if phase == "roll":
            return ToRoll(state.seat, self._hands[self._rolling(state)])
        if phase in ("choose", "drop"):
            return ToChoose(state.seat)
        if phase == "start":
            return ToRoll(RollOff(state.contenders, state.totals).seat, self._hands[DICE])
        return Over(self._result(state))

    def _rolling(self, state: CockroachState) -> int:
        return DICE - len(state.play) - len(state.dead)

    def points(self, dice: Faces) -> int:
        """What dice in play score if the turn ends with them."""
        points = self._points.get(dice)
        if points is None:
            points = self._points[dice] = best_sequence(dice, self.options).points
        return points

    def players(self, state: CockroachState) -> int:
        """How many seats play."""
        return len(state.scores)

    def score(self, state: CockroachState, seat: int) -> int:
        """The recorded points of a seat."""
        return state.scores[seat]

    def at_stake(self, state: CockroachState, seat: int) -> int:
        """What stopping now would record."""
        can_stop = seat == state.seat and state.phase == "choose"
        return self.points(state.play) if can_stop else 0

    def choices(self, state: CockroachState) -> tuple[Choice, ...]:
        """Stop and every re-roll, or every way to give up the dice the sixes cost."""
        play = state.play
        if state.phase == "choose":
            actions = self._actions.get(play)
            if actions is None:
                rerolls = (Choice("reroll", dice) for dice in selections(play))
                actions = self._actions[play] = (STOP, *rerolls)  # C3
            return actions
        if state.phase == "drop":
            drops = self._drops.get((play, state.drop))
            if drops is None:
                picked = sorted(set(combinations(play, state.drop)))
                drops = tuple(Choice("drop", dice) for dice in picked)  # C7
                self._drops[play, state.drop] = drops
            return drops
        return ()

    def rolled(self, state: CockroachState, faces: Faces) -> CockroachState:
        """Sixes die; with dice still in play the player goes on (C2, C3)."""
        if state.phase == "start":
            return self._rolled_off(state, faces)
        if state.phase != "roll":
            raise IllegalEvent(*_NOT_NOW[state.phase])
        scores, seat, _, play, dead, _, closer, _, _ = state
        if len(faces) != DICE - len(play) - len(dead) or min(faces) < 1 or max(faces) > DEAD:
            raise self._wrong_dice(self._rolling(state))
        sixes = faces.count(DEAD)
        play = tuple(sorted([*play, *(face for face in faces if face != DEAD)]))
        dead += (DEAD,) * sixes
        if sixes and self.options.extra_die:
            if len(play) > sixes:
                return CockroachState(scores, seat, "drop", play, dead, sixes, closer)
            play = ()  # C7: no more dice than the sixes cost
        if not play:
            return self._end_turn(scores, seat, closer, 0)
        return CockroachState(scores, seat, "choose", play, dead, 0, closer)

    def _wrong_dice(self, count: int) -> IllegalEvent:
        return IllegalEvent(
            f"{counted(count, 'die', 'dice').capitalize()} with 1 to 6 have to be rolled.", "C2"
        )

    def _rolled_off(self, state: CockroachState, faces: Faces) -> CockroachState:
        if len(faces) != DICE or min(faces) < 1 or max(faces) > DEAD:
            raise IllegalEvent("Each player rolls five dice for the start.", "C1")
        off, starter = RollOff(state.contenders, state.totals).rolled(sum(faces))
        if starter is not None:
            return CockroachState(state.scores, starter)
        return state._replace(contenders=off.contenders, totals=off.totals)

    def chosen(self, state: CockroachState, choice: Choice) -> CockroachState:
        """Stop and record, re-roll some dice, or give dice up (C3, C4, C7)."""
        scores, seat, phase, play, dead, drop, closer, _, _ = state
        verb, dice, then = choice
        if phase == "choose" and choice == STOP:
            return self._end_turn(scores, seat, closer, self.points(play))
        if then or phase not in ("choose", "drop"):
            raise IllegalEvent(*_NOT_NOW[state.phase])
        if phase == "choose" and verb == "reroll":
            return CockroachState(
                scores, seat, "roll", self._rest(play, dice, "re-roll"), dead, 0, closer
            )
        if phase == "drop" and verb == "drop":
            if len(dice) != drop:
                cost = counted(drop, "die", "dice")
                raise IllegalEvent(f"The sixes cost {cost} in play, no more and no less.", "C7")
            rest = self._rest(play, dice, "give up")
            dead = tuple(sorted(dead + dice))
            return CockroachState(scores, seat, "choose", rest, dead, 0, closer)
        raise IllegalEvent(*_NOT_NOW[phase])

    def _rest(self, play: Faces, dice: Faces, verb: str) -> Faces:
        if not dice:
            raise IllegalEvent(f"Say which dice you {verb}.", "C3")
        try:
            return without(play, dice)
        except ValueError:
            raise IllegalEvent(f"You can only {verb} dice in play.", "C3") from None

    def _end_turn(
        self, scores: tuple[int, ...], seat: int, closer: int, points: int
    ) -> CockroachState:
        """Record the turn; the last lap ends before the seat that started it (C5)."""
        scores = (*scores[:seat], scores[seat] + points, *scores[seat + 1 :])
        if closer < 0 and scores[seat] >= self.options.target:
            closer = seat
        seat = (seat + 1) % len(scores)
        phase: Phase = "over" if seat == closer else "roll"
        return CockroachState(scores, seat, phase, (), (), 0, closer)

    def _result(self, state: CockroachState) -> Result:
        why = f"{self.options.target:,} was reached and everybody else has had a last turn."
        return Result(leaders(state.scores), state.scores, "C5", why)

    def meaning(self, state: CockroachState, choice: Choice) -> Meaning:
        """What stopping scores, or what the remaining dice would score."""
        if choice == STOP:
            sequence = best_sequence(state.play, self.options)
            score = state.scores[state.seat] + sequence.points
            words = f"Stop with {sequence.words}"
            effect = f"Record {sequence.points} → {score:,}"
            return Meaning(sequence.points, 0, words, effect, ends_turn=True)
        rest = without(state.play, choice.dice)
        points = self.points(rest)
        stays = f"{the_dice(self, rest)} {'stays' if len(rest) == 1 else 'stay'}"
        stays = stays if rest else "nothing stays"
        if choice.verb == "drop":
            words = f"Give up {the_dice(self, choice.dice)}"
            return Meaning(points, len(rest), words, stays.capitalize(), ends_turn=False)
        words = f"Re-roll {the_dice(self, choice.dice)}"
        count = len(choice.dice)
        effect = f"Roll {counted(count, 'die', 'dice')}; {stays}"
        return Meaning(points, count, words, effect, ends_turn=False)

    def keeps(self, faces: Faces) -> tuple[Keep, ...]:
        """Every scoring set of live dice, best first; the rest would be re-rolled."""
        if not 1 <= len(faces) <= DICE or not all(1 <= face <= DEAD for face in faces):
            raise IllegalEvent("A roll of Cockroach is one to five dice with 1 to 6.", "C2")
        live = tuple(sorted(face for face in faces if face != DEAD))
        left = len(live) - (len(faces) - len(live) if self.options.extra_die else 0)  # C7
        found = [
            Keep(dice, sequence.points, left - len(dice), sequence.words)
            for dice in selections(live)
            if len(dice) <= left and (sequence := best_sequence(dice, self.options)).points
        ]
        return tuple(sorted(found, key=lambda keep: (-keep.points, len(keep.dice), keep.dice)))

    def blocked(self, state: CockroachState) -> tuple[Blocked, ...]:
        """Stopping and re-rolling, while dice have to be given up."""
        if state.phase != "drop":
            return ()
        return tuple(Blocked(verb, *_NOT_NOW["drop"]) for verb in ("stop", "reroll"))

    def taking(self, state: CockroachState) -> str:
        """As many dice as the sixes cost (C7)."""
        if state.phase != "drop":
            return ""
        return f"The 6s cost {counted(state.drop, 'die', 'dice')}: give up that many."

    def begins_turn(self, state: CockroachState) -> bool:
        """Whether five dice have to be rolled."""
        return state.phase == "roll" and not state.play and not state.dead

    def turn_key(self, state: CockroachState) -> tuple[Faces, int]:
        """The dice in play, and how many are dead."""
        return state.play, len(state.dead)

    def pointless(self, state: CockroachState, choice: Choice) -> bool:
        """A re-roll of dice that make all they can, or that fit better than some that stay."""
        if choice.verb != "reroll":
            return False
        play = state.play
        if self.points(play) == self._most[len(play)]:
            return True
        return not self.options.duplicates and gives_up_better(play, choice.dice, self.options)

    def turn_over(self, before: CockroachState, event: Event, after: CockroachState) -> bool:
        """Re-rolling all five dice looks like a new turn, but is not one."""
        again = isinstance(event, Choice) and event.verb == "reroll"
        return not again and super().turn_over(before, event, after)

    def tell(
        self, before: CockroachState, event: Event, after: CockroachState, names: Sequence[str]
    ) -> str:
        """One sentence saying what happened."""
        if isinstance(event, Roll) and before.phase == "start":
            return RollOff(before.contenders, before.totals).tell(sum(event.faces), names)
        name = names[before.seat]
        gain = after.scores[before.seat] - before.scores[before.seat]
        if isinstance(event, Roll):
            said = f"{name} rolls {dice_words(self, event.faces)}"
            if after.phase == "drop":
                cost = counted(after.drop, "more die", "more dice")
                return f"{said}; {'the 6 costs' if after.drop == 1 else 'the 6s cost'} {cost}."
            if after.phase == "choose" and after.seat == before.seat:
                return f"{said}."
            return f"{said}; no die is left in play, 0 points."
        if event == STOP:
            sequence = best_sequence(before.play, self.options)
            return f"{name} stops with {sequence.words} for {gain:,}."
        verb = "gives up" if event.verb == "drop" else "re-rolls"
        return f"{name} {verb} {the_dice(self, event.dice)}."

    def show(self, state: CockroachState) -> View:
        """Dice in play, dead dice and score tracks."""
        target = self.options.target
        tracks = tuple(
            Track(
                seat,
                score,
                target,
                (Milestone(target, "last lap"),),
                self.at_stake(state, seat),
            )
            for seat, score in enumerate(state.scores)
        )
        last = state.closer >= 0 and state.phase != "over"
        due = self.due(state)
        place = Place.KEPT if state.phase == "roll" else Place.TRAY
        return View(
            seat=None if isinstance(due, Over) else due.seat,
            prompt=due.result.why if isinstance(due, Over) else _NOT_NOW[state.phase][0],
            tracks=tracks,
            dice=self.dice_view(state.play, place) + self.dice_view(state.dead, Place.DEAD),
            gauge=self._gauge(state),
            pattern=self._pattern(state),
            notices=("Last lap: one last turn each.",) if last else (),
            mood=Mood.LAST if last else Mood.CALM,
        )

    def _gauge(self, state: CockroachState) -> Gauge:
        points = self.points(state.play)
        return Gauge(points, "point now" if points == 1 else "points now")

    def _pattern(self, state: CockroachState) -> tuple[Wanted, ...]:
        """The sequence of all five dice, and what the dice in play fill and score of it (C4)."""
        wanted = self.dice_view(tuple(range(1, DEAD)), Place.TRAY)
        scoring = best_sequence(state.play, self.options).numbers
        return tuple(Wanted(die, die.code in state.play, die.code in scoring) for die in wanted)

    def problem(self, state: CockroachState) -> str | None:
        """Why the state cannot occur; ``None`` if it can."""
        players = len(state.scores)
        if not self.min_players <= players <= self.max_players:
            return f"it is for {self.players_text()}"
        if not 0 <= state.seat < players or not -1 <= state.closer < players:
            return "there is no such seat"
        if min(state.scores) < 0:
            return "points are never negative"
        if (state.phase == "start") != bool(state.contenders):
            return "contenders are named during a roll-off and only then"
        return (
            RollOff(state.contenders, state.totals).problem(state.scores)
            or self._dice_problem(state)
            or last_lap_problem(
                state.scores, self.options.target, state.closer, state.seat, state.phase
            )
        )

    def _dice_problem(self, state: CockroachState) -> str | None:
        play, dead, drop = state.play, state.dead, state.drop
        if any(not 1 <= face < DEAD for face in play) or any(not 1 <= f <= DEAD for f in dead):
            return "dice in play show 1 to 5"
        others = len(dead) - dead.count(DEAD)
        if others and not (self.options.extra_die and others <= dead.count(DEAD)):
            return "dead dice are sixes and the dice given up for them"
        if state.phase in ("drop", "choose"):
            if not play or len(play) + len(dead) != DICE:
                return "five dice are in play or dead"
        elif state.phase != "roll" and (play or dead):
            return "no dice are on the table now"
        elif len(play) + len(dead) >= DICE:
            return "no die is left to be rolled"
        if state.phase != "drop":
            return "nothing has to be given up now" if drop else None
        if not (self.options.extra_die and 0 < drop < len(play) and drop <= dead.count(DEAD)):
            return "sixes cost as many dice as there are sixes"
        return None
