"""The coach: every legal choice at a state, ranked, with its value, its odds and a reason."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from hotdice.core.due import ToChoose, seat_of
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice, Roll
from hotdice.core.game import Game, O, S
from hotdice.core.meaning import Meaning
from hotdice.core.options import split_words
from hotdice.core.words import counted
from hotdice.solve.finding import find_solver
from hotdice.solve.rollout import estimate
from hotdice.solve.sheet import Odds, Sheet
from hotdice.solve.solutions import Progress, no_progress
from hotdice.solve.solver import Solver, Unsolvable

_EQUAL = 1e-9
_TELLING = 10
"""Where values are so many percent or points apart, tenths say nothing."""


class NothingToAdvise(HotDiceError):
    """There is no advice for this state."""


class Counsel(NamedTuple):
    """A legal choice with its evaluation.

    Attributes:
        choice: the choice.
        meaning: what it does, in numbers and words.
        value: its expected value under best play afterwards.
        cost: how much less it is worth than the best choice.
        odds: chances of notable results of the next roll, if dice are rolled after it.
        why: the explanation, in one sentence.
    """

    choice: Choice
    meaning: Meaning
    value: float
    cost: float
    odds: tuple[Odds, ...]
    why: str


class Advice(NamedTuple):
    """The coach's advice for a state.

    Attributes:
        objective: what values mean: ``win`` for chances to win, ``points`` for expected points.
        exact: whether values are exact or estimated.
        basis: where values come from, in one sentence.
        counsels: every legal choice, best first.
    """

    objective: str
    exact: bool
    basis: str
    counsels: tuple[Counsel, ...]

    @property
    def best(self) -> Counsel:
        """The best choice."""
        return self.counsels[0]

    def named(self, names: Sequence[str]) -> Advice:
        """The same to seats with these names; reasons quote the best choice."""
        best = self.best.meaning
        counsels = [
            one._replace(meaning=one.meaning.named(names), why=best.call(one.why, names))
            for one in self.counsels
        ]
        return self._replace(counsels=tuple(counsels))


def advise(game: Game[S, O], state: S, objective: str = "") -> Advice:
    """Rank every legal choice at a state; raises ``NothingToAdvise``.

    Args:
        game: the rules.
        state: a state in which a seat has to choose.
        objective: one of the solver's objectives, with its goal after a colon (``series:70``);
            by default the solver's ``aim`` if that has been solved, otherwise points.
    """
    if not isinstance(game.due(state), ToChoose):
        raise NothingToAdvise("There is nothing to choose in this state.")
    values, aim, exact, basis = _values(game, state, objective)
    best = max(value for value, _ in values.values())
    found = [
        Counsel(choice, game.meaning(state, choice), value, max(0.0, best - value), odds, "")
        for choice, (value, odds) in values.items()
    ]
    found.sort(key=lambda counsel: -counsel.value)
    return Advice(aim, exact, basis, tuple(_explain(found, aim)))


Values = dict[Choice, tuple[float, tuple[Odds, ...]]]


def all_values(game: Game[S, O], state: S, objective: str) -> dict[Choice, float]:
    """The value of every legal choice; solves the game first if necessary.

    Falls back to points of the turn, and then to an estimate, where the game cannot be solved.
    """
    solver = find_solver(game)
    if not solver.ready(game.players(state)) and solver.sheet(state, objective) is None:
        with suppress(Unsolvable):  # some games only turn out to be too large during enumeration
            solver.prepare(game.players(state))
    sheet = _first_sheet(solver, state, objective, "points")
    if sheet is None:
        return {choice: value for choice, (value, _) in _guesses(game, state).items()}
    return {choice: evaluate(game, sheet, state, choice)[0] for choice in game.choices(state)}


def _first_sheet(solver: Solver[S, O], state: S, *aims: str) -> Sheet[S] | None:
    """The sheet for the first of these objectives that has been solved."""
    sheets = (solver.sheet(state, aim) for aim in aims)
    return next((sheet for sheet in sheets if sheet is not None), None)


def prepare(game: Game[S, O], players: int, progress: Progress = no_progress) -> bool:
    """Compute what playing to win needs; returns whether it needs any solution."""
    return find_solver(game).prepare(players, progress)


def ready(game: Game[S, O], players: int) -> bool:
    """Whether everything that playing to win needs has been computed."""
    return find_solver(game).ready(players)


def solve_command(game: Game[S, O]) -> str:
    """The command that solves a game under its options."""
    sets = "".join(f" --set {shlex.quote(word)}" for word in split_words(game.options.text()))
    return f"hotdice solve {game.slug} --objective win{sets}"


def _guesses(game: Game[S, O], state: S) -> Values:
    seat, choices = seat_of(game.due(state)), game.choices(state)
    return {choice: (estimate(game, state, seat, choice), ()) for choice in choices}


def _values(game: Game[S, O], state: S, objective: str) -> tuple[Values, str, bool, str]:
    solver = find_solver(game)
    sheet = _first_sheet(solver, state, *([objective] if objective else [solver.aim, "points"]))
    if sheet is not None:
        found = {choice: evaluate(game, sheet, state, choice) for choice in game.choices(state)}
        return found, sheet.objective, sheet.exact, sheet.basis
    ready = solver.ready(game.players(state))
    if solver.estimates and (ready or not objective):
        basis = "Estimated from random playouts: this game is not solved."
        return _guesses(game, state), "win", False, basis
    if ready:
        raise NothingToAdvise("These rules cannot be solved exactly; ask for points instead.")
    raise NothingToAdvise(
        f"The chances to win are not solved yet; to solve them, run {solve_command(game)}."
    )


def evaluate(
    game: Game[S, O], sheet: Sheet[S], state: S, choice: Choice
) -> tuple[float, tuple[Odds, ...]]:
    """The value of a choice with best play afterwards, and the odds of a roll right after it."""
    after = game.apply(state, choice)
    if game.turn_over(state, choice, after):
        value, odds = sheet.ending(state, after), sheet.odds_after(state, after)
    elif isinstance(game.due(after), ToChoose):
        return max(evaluate(game, sheet, after, more)[0] for more in game.choices(after)), ()
    else:
        value, odds = sheet.going(after), sheet.odds(after)
    return value, tuple(one for one in odds if one.chance > 0)


def value_after(game: Game[S, O], sheet: Sheet[S], state: S, roll: Roll) -> float:
    """The value of a state of this turn after a roll, with best play."""
    after = game.apply(state, roll)
    if game.turn_over(state, roll, after):
        return sheet.ending(state, after)
    if isinstance(game.due(after), ToChoose):
        return max(evaluate(game, sheet, after, choice)[0] for choice in game.choices(after))
    return sheet.going(after)


def luck_of(game: Game[S, O], sheet: Sheet[S], state: S, roll: Roll) -> float:
    """How much a roll changes the value of a turn; its expectation over all rolls is 0."""
    return value_after(game, sheet, state, roll) - sheet.going(state)


# Explanations -----------------------------------------------------------------------------------


def value_words(value: float, objective: str) -> str:
    """A value as text: ``61.2 %`` or ``314.5 points``."""
    if objective == "points":
        return f"{value:,.1f} points".replace("-", "\N{MINUS SIGN}")
    return f"{100 * value:.1f} %"


def cost_words(cost: float, objective: str) -> str:
    """A cost as text; what is not nothing is not shown as 0."""
    if objective == "points":
        return f"{cost:,.1f} points" if not 0 < cost < 0.05 else "less than 0.1 points"
    return f"{100 * cost:.2f} %" if not 0 < cost < 5e-5 else "less than 0.01 %"


def _explain(found: list[Counsel], objective: str) -> list[Counsel]:
    return [
        counsel._replace(why=_best_why(found, objective) if not at else _why(found, at, objective))
        for at, counsel in enumerate(found)
    ]


def _best_why(found: list[Counsel], objective: str) -> str:
    best = found[0]
    if len(found) == 1:
        return "It is the only choice."
    worth = value_words(best.value, objective)
    if objective != "points":
        worth = f"a {worth} chance to win"
    if best.value - found[-1].value < _EQUAL:
        return f"All choices are worth the same here, {worth}."
    ends = best.meaning.ends_turn
    other = next((c for c in found[1:] if c.meaning.ends_turn != ends), None)
    if other is None or best.value - other.value < _EQUAL:
        second = found[1]
        if best.value - second.value < _EQUAL:
            return f"It is worth {worth}, as is {_name(second)}."
        return f"It is worth {worth}; next best, {_name(second)}, {_short(second, objective)}."
    if ends:
        fear = f", for {_fear(other)}" if _fear(other) else ""
        return f"Ending the turn is worth {worth}; going on, {_short(other, objective)}{fear}."
    fear = f" although {_fear(best)}" if _fear(best) else ""
    return f"Going on is worth {worth}{fear}; ending the turn, {_short(other, objective)}."


def _given_up(found: list[Counsel], cost: float, objective: str) -> str:
    """A cost as exact as pages show these values: in tenths only if they say something."""
    unit = 1 if objective == "points" else 100
    spread = unit * (found[0].value - found[-1].value)
    digits, least = (1, "0.1") if spread < _TELLING else (0, "1")
    size = round(unit * cost, digits)
    text = f"{size:,.{digits}f}" if size else f"less than {least}"
    if unit > 1:
        return f"{text} %"
    return f"{text} {'point' if digits == 0 and size <= 1 else 'points'}"


def _why(found: list[Counsel], at: int, objective: str) -> str:
    best, this = found[0], found[at]
    if this.cost < _EQUAL:
        return "Just as good as the best."
    lost = f"It gives up {_given_up(found, this.cost, objective)}"
    if this.meaning.ends_turn != best.meaning.ends_turn:
        how = "going on" if this.meaning.ends_turn else "ending the turn"
        return f"{lost}; {how} is better here."
    left, better = this.meaning.left, best.meaning.left
    if not this.meaning.ends_turn and left != better:
        instead = counted(better, "die", "dice").split()[0]
        return f"{lost}, with {counted(left, 'die', 'dice')} to roll instead of {instead}."
    return f"{lost}; better: {_name(best)}."


def _name(counsel: Counsel) -> str:
    words = counsel.meaning.words
    return f"{words[0].lower()}{words[1:]}"


def _short(counsel: Counsel, objective: str) -> str:
    return value_words(counsel.value, objective)


def _fear(counsel: Counsel) -> str:
    """The risk of the next roll, as a reason to stop."""
    for odds in counsel.odds:
        if odds.fear:
            return f"the chance of {odds.fear} is {100 * odds.chance:.1f} %"
    return ""
