"""Luck and skill: what every event of a game was worth, and what that says about its players.

The luck of a roll is the value after it less the value before it. The cost of a choice is the value
of the best one less its own. From the first seat's side of a game between two, or in the points of
a lone game,

    start + luck - its costs + the other's costs = result

holds exactly, because each value is the one that the event before it has led to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist
from typing import Any

from hotdice.analysis.busts import is_bust, standing
from hotdice.analysis.judging import NOTHING, Fortune, Verdict, fortune, verdict
from hotdice.analysis.valuing import Valuer
from hotdice.core.due import Over, seat_of
from hotdice.core.events import Choice, Roll
from hotdice.core.record import Record, Step
from hotdice.solve.solutions import Progress, no_progress


@dataclass(frozen=True)
class Assessment:
    """What an event was worth.

    Attributes:
        seat: who rolled or chose.
        event: the roll or the choice, as text.
        state: the state before it, as text.
        told: what happened, in a sentence.
        value: the value after it, from the side that counts.
        luck: the luck of a roll, from the side that counts; 0 for a choice.
        cost: what a choice gave away; 0 for a roll.
        best: the best choice; empty for a roll.
        choices: between how many choices there was one; 0 for a roll.
        spread: what choosing at random would have cost on average.
        variance: the variance of the luck of a roll.
        word: the verdict on a choice, or how lucky a roll was for who rolled.
        risk: the chance that the roll would end the turn with nothing made; 0 for a choice.
        bust: whether it did.
    """

    seat: int
    event: str
    state: str
    told: str
    value: float
    luck: float = 0.0
    cost: float = 0.0
    best: str = ""
    choices: int = 0
    spread: float = 0.0
    variance: float = 0.0
    word: Verdict | Fortune = Fortune.PLAIN
    risk: float = 0.0
    bust: bool = False

    @property
    def is_real(self) -> bool:
        """Whether it was a decision: neither forced nor indifferent."""
        return self.choices > 1 and self.spread > NOTHING


@dataclass(frozen=True)
class SeatReport:
    """The luck and the skill of one seat.

    Attributes:
        name: the seat's name.
        result: its share of the win, or its points; ``None`` if the game is not over.
        rolls: how many rolls it made.
        luck: the luck of these rolls, for this seat.
        deviation: the standard deviation of that luck in such a game.
        decisions: how many real decisions it took.
        cost: what its choices gave away.
        spread: what choosing at random would have cost.
        verdicts: how many of its decisions were perfect, slips, mistakes and blunders.
        busts: how many of its turns a roll ended with nothing made.
        risk: how many were to be expected: the sum of the chances of all its rolls.
        risk_deviation: the standard deviation of that number.
    """

    name: str
    result: float | None
    rolls: int
    luck: float
    deviation: float
    decisions: int
    cost: float
    spread: float
    verdicts: dict[str, int]
    busts: int
    risk: float
    risk_deviation: float

    @property
    def percentile(self) -> float:
        """The share of such games in which it would have had less luck."""
        if self.deviation <= NOTHING:
            return 0.5
        return NormalDist(0.0, self.deviation).cdf(self.luck)

    @property
    def accuracy(self) -> float | None:
        """How much of what a random player gives away it kept; ``None`` without a decision."""
        if not self.decisions:
            return None
        return max(0.0, 1.0 - self.cost / self.spread)

    @property
    def mean_cost(self) -> float | None:
        """What it gave away per decision; ``None`` without one."""
        return self.cost / self.decisions if self.decisions else None


@dataclass(frozen=True)
class Report:
    """A game analysed.

    Attributes:
        record: the game.
        objective: ``win`` if values are chances to win, ``points`` if they are expected points.
        exact: whether they are exact, so that luck, costs and result add up.
        basis: where they come from, in one sentence.
        start: the value before the first event.
        seats: the seats.
        events: every event.
    """

    record: Record
    objective: str
    exact: bool
    basis: str
    start: float
    seats: tuple[SeatReport, ...]
    events: tuple[Assessment, ...]

    @property
    def value(self) -> float:
        """The value after the last event; the result, if the game is over."""
        return self.events[-1].value if self.events else self.start


def analyse(record: Record, objective: str = "", progress: Progress | None = no_progress) -> Report:
    """Analyse a game; raises ``CannotBeValued``.

    Args:
        record: a game, finished or not.
        objective: ``win`` or ``points``; by default the chance to win, or the points of who plays
            alone.
        progress: called with the fraction done while the game has to be solved first; ``None`` to
            do without what is not solved yet.
    """
    return analyse_by(Valuer(record.game, len(record.names), objective, progress), record)


def analyse_by(valuer: Valuer[Any, Any], record: Record) -> Report:
    """Analyse one of many games with the same rules and as many players."""
    run = _Run(valuer, record)
    found = list(run.assessments())
    scale = 1.0 if valuer.objective == "win" else 2.0 * _deviation(found)
    events = tuple(replace(one, word=_word(one, valuer, scale)) for one in found)
    return Report(
        record,
        valuer.objective,
        valuer.exact,
        valuer.basis,
        run.start,
        tuple(_seat(record, valuer, seat, events) for seat in range(len(record.names))),
        events,
    )


class _Run:
    """One pass over a record; ``now`` is the value that the last event has led to."""

    def __init__(self, valuer: Valuer[Any, Any], record: Record) -> None:
        self._valuer, self._record = valuer, record
        self._game = record.game
        state = self._game.start(len(record.names), record.first)
        self._opening = not self._game.begins_turn(state)
        self._began = state
        self.start = self.now = self._first(state)

    def _first(self, state: Any) -> float:
        valuer = self._valuer
        if self._opening:
            return valuer.opening(state) if valuer.exact else 1.0 / valuer.players
        return valuer.position(state)

    def assessments(self) -> Iterator[Assessment]:
        """What each event was worth."""
        for step in self._record.steps():
            self._opening = self._opening and not self._game.begins_turn(step.before)
            if not self._valuer.exact and not self._opening:
                self.now = self._valuer.position(step.before)
            event = step.event
            if isinstance(event, Roll):
                yield self._rolled(step, event)
            else:
                yield self._chosen(step, event)
            if self._game.turn_over(*step):
                self._began = step.after

    def _rolled(self, step: Step, roll: Roll) -> Assessment:
        game, valuer = self._game, self._valuer
        seat = seat_of(game.due(step.before))
        variance = risk = 0.0
        bust = False
        if self._opening:
            after = self.now
            if valuer.exact:
                after, variance = valuer.opening(step.after), valuer.opening_variance(step.before)
        else:
            variance = valuer.variance(step.before)
            after = valuer.side(valuer.after(step.before, roll), seat)
            began = standing(game, self._began, seat)
            risk = valuer.bust(step.before, began)
            bust = is_bust(game, step.before, roll, step.after, began)
        luck, self.now = after - self.now, after
        return Assessment(
            seat,
            game.event_text(roll),
            game.state_text(step.before),
            game.tell(*step, self._record.names),
            self.now,
            luck=luck,
            variance=variance,
            risk=risk,
            bust=bust,
        )

    def _chosen(self, step: Step, choice: Choice) -> Assessment:
        game, valuer = self._game, self._valuer
        seat = seat_of(game.due(step.before))
        values = valuer.choices(step.before)
        best = max(values, key=lambda one: values[one])
        cost = values[best] - values[choice]
        if cost <= NOTHING:
            cost, best = 0.0, choice
        self.now = valuer.side(values[choice], seat)
        return Assessment(
            seat,
            game.event_text(choice),
            game.state_text(step.before),
            game.tell(*step, self._record.names),
            self.now,
            cost=cost,
            best=game.event_text(best),
            choices=len(values),
            spread=values[best] - sum(values.values()) / len(values),
        )


def _word(one: Assessment, valuer: Valuer[Any, Any], scale: float) -> Verdict | Fortune:
    if one.choices:
        return verdict(one.cost, scale)
    return fortune(valuer.sign(one.seat) * one.luck, scale)


def _deviation(rolls: Sequence[Assessment]) -> float:
    """The standard deviation of the luck of these rolls together."""
    return sqrt(sum(one.variance for one in rolls))


def _seat(
    record: Record, valuer: Valuer[Any, Any], seat: int, events: tuple[Assessment, ...]
) -> SeatReport:
    own = [one for one in events if one.seat == seat]
    rolls = [one for one in own if not one.choices]
    real = [one for one in own if one.is_real]
    words = [one.word for one in real]
    return SeatReport(
        record.names[seat],
        _result(record, valuer, seat),
        len(rolls),
        valuer.sign(seat) * sum(one.luck for one in rolls),
        _deviation(rolls),
        len(real),
        sum(one.cost for one in own),
        sum(one.spread for one in real),
        {word.value: words.count(word) for word in Verdict},
        sum(one.bust for one in rolls),
        sum(one.risk for one in rolls),
        sqrt(sum(one.risk * (1.0 - one.risk) for one in rolls)),
    )


def _result(record: Record, valuer: Valuer[Any, Any], seat: int) -> float | None:
    due = record.game.due(record.state())
    if not isinstance(due, Over):
        return None
    return valuer.result_of(due.result, seat)
