"""The coach: every legal choice at a state, ranked, with its value, its odds and a reason."""

from __future__ import annotations

import shlex
from contextlib import suppress
from typing import Any, NamedTuple

from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice, Roll
from hotdice.core.game import AnyGame, Meaning, ToChoose
from hotdice.core.options import split_words
from hotdice.core.words import counted
from hotdice.solve.rollout import estimate
from hotdice.solve.solver import Odds, Sheet, Unsolvable
from hotdice.solve.solvers import find_solver
from hotdice.solve.store import Progress, no_progress

_EQUAL = 1e-9


class NothingToAdvise(HotDiceError):
    """Nobody has to choose here."""


class Counsel(NamedTuple):
    """A legal choice, weighed.

    Attributes:
        choice: the choice.
        meaning: what it does, in numbers and words.
        value: what it is worth if everything after it is played as well as possible.
        cost: how much less than the best choice.
        odds: what the next roll may bring, where dice are rolled after it.
        why: one sentence.
    """

    choice: Choice
    meaning: Meaning
    value: float
    cost: float
    odds: tuple[Odds, ...]
    why: str


class Advice(NamedTuple):
    """What the coach says.

    Attributes:
        objective: what values are: ``win`` for chances to win, ``points`` for expected points.
        exact: whether they are exact or estimated.
        basis: where they come from, in one sentence.
        counsels: every legal choice, the best first.
    """

    objective: str
    exact: bool
    basis: str
    counsels: tuple[Counsel, ...]

    @property
    def best(self) -> Counsel:
        """The best choice."""
        return self.counsels[0]


def advise(game: AnyGame, state: Any, objective: str = "") -> Advice:
    """Rank every legal choice at a state; raises ``NothingToAdvise``.

    Args:
        game: the rules.
        state: a state in which a seat has to choose.
        objective: one of the solver's objectives, a goal after a colon (``series:70``); without
            one, what players of the game want first of all, if the tables for that are there.
    """
    if not isinstance(game.due(state), ToChoose):
        raise NothingToAdvise("There is nothing to choose here; the coach speaks when there is.")
    values, aim, exact, basis = _values(game, state, objective)
    best = max(value for value, _ in values.values())
    found = [
        Counsel(choice, game.meaning(state, choice), value, max(0.0, best - value), odds, "")
        for choice, (value, odds) in values.items()
    ]
    found.sort(key=lambda counsel: -counsel.value)
    return Advice(aim, exact, basis, tuple(_explain(found, aim)))


Values = dict[Choice, tuple[float, tuple[Odds, ...]]]


def all_values(game: AnyGame, state: Any, objective: str) -> dict[Choice, float]:
    """The value of every legal choice, solving first what has to be solved for it.

    Where there is nothing to solve, or too much, the next best thing: points of the turn, or an
    estimate.
    """
    solver = find_solver(game)
    if solver is None:
        return {choice: value for choice, (value, _) in _guesses(game, state).items()}
    sheet = solver.sheet(state, objective)
    if sheet is None:
        with suppress(Unsolvable):  # it turned out only while it was solved
            solver.prepare(_players(state))
        sheet = solver.sheet(state, objective)
    if sheet is None:
        sheet = solver.sheet(state, "points")
    if sheet is None:
        raise AssertionError("points need no table")
    return {choice: _weigh(game, sheet, state, choice)[0] for choice in game.choices(state)}


def prepare(game: AnyGame, players: int, progress: Progress = no_progress) -> bool:
    """Have the tables for playing to win; says whether there are any to have."""
    solver = find_solver(game)
    return solver is not None and solver.prepare(players, progress)


def ready(game: AnyGame, players: int) -> bool:
    """Whether playing to win needs no table that is not there."""
    solver = find_solver(game)
    return solver is None or solver.ready(players)


def solve_command(game: AnyGame) -> str:
    """The command that solves a game under its options."""
    sets = "".join(f" --set {shlex.quote(word)}" for word in split_words(game.options.text()))
    return f"hotdice solve {game.slug} --objective win{sets}"


def _players(state: Any) -> int:
    return len(getattr(state, "scores", None) or getattr(state, "card", None) or (0,))


def _guesses(game: AnyGame, state: Any) -> Values:
    seat = game.due(state).seat  # type: ignore[union-attr]
    return {choice: (estimate(game, state, seat, choice), ()) for choice in game.choices(state)}


def _values(game: AnyGame, state: Any, objective: str) -> tuple[Values, str, bool, str]:
    solver = find_solver(game)
    if solver is None:
        basis = "Estimated from games played on at random: this game has no solver."
        return _guesses(game, state), "win", False, basis
    for aim in [objective] if objective else [solver.aim, "points"]:
        sheet = solver.sheet(state, aim)
        if sheet is not None:
            break
    else:
        if solver.ready(_players(state)):
            raise NothingToAdvise("These rules cannot be solved exactly; ask for points instead.")
        raise NothingToAdvise(
            f"The chances to win are not solved yet; {solve_command(game)} does it."
        )
    found = {choice: _weigh(game, sheet, state, choice) for choice in game.choices(state)}
    return found, sheet.objective, sheet.exact, sheet.basis


def _weigh(
    game: AnyGame, sheet: Sheet, state: Any, choice: Choice
) -> tuple[float, tuple[Odds, ...]]:
    after = game.apply(state, choice)
    if game.turn_over(state, choice, after):
        value, odds = sheet.ending(state, after), sheet.odds_after(state, after)
    elif isinstance(game.due(after), ToChoose):
        ways = (_weigh(game, sheet, after, more) for more in game.choices(after))
        return max(ways, key=lambda way: way[0])
    else:
        value, odds = sheet.going(after), sheet.odds(after)
    return value, tuple(one for one in odds if one.chance > 0)


def luck_of(game: AnyGame, sheet: Sheet, state: Any, roll: Roll) -> float:
    """How much a roll changes the value of a turn: over all rolls it adds up to nothing."""
    after = game.apply(state, roll)
    if game.turn_over(state, roll, after):
        value = sheet.ending(state, after)
    elif isinstance(game.due(after), ToChoose):
        value = max(_weigh(game, sheet, after, choice)[0] for choice in game.choices(after))
    else:
        value = sheet.going(after)
    return value - sheet.going(state)


# Words ------------------------------------------------------------------------------------------


def value_words(value: float, objective: str) -> str:
    """A value for people: ``61.2 %`` or ``314.5 points``."""
    if objective == "points":
        return f"{value:,.1f} points"
    return f"{100 * value:.1f} %"


def cost_words(cost: float, objective: str) -> str:
    """A cost for people."""
    if objective == "points":
        return f"{cost:,.1f} points"
    return f"{100 * cost:.2f} %"


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
    if best.value - found[-1].value < _EQUAL:
        return f"All choices come to the same here, {worth}."
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


def _why(found: list[Counsel], at: int, objective: str) -> str:
    best, this = found[0], found[at]
    if this.cost < _EQUAL:
        return "Just as good as the best."
    lost = f"It gives up {cost_words(this.cost, objective)}"
    if this.meaning.ends_turn != best.meaning.ends_turn:
        how = "going on" if this.meaning.ends_turn else "ending the turn"
        return f"{lost}; {how} is better here."
    left, better = this.meaning.left, best.meaning.left
    if not this.meaning.ends_turn and left != better:
        instead = counted(better, "die", "dice").split()[0]
        return f"{lost}, with {counted(left, 'die', 'dice')} to roll instead of {instead}."
    return f"{lost} against {_name(best)}."


def _name(counsel: Counsel) -> str:
    words = counsel.meaning.words
    return f"{words[0].lower()}{words[1:]}"


def _short(counsel: Counsel, objective: str) -> str:
    return value_words(counsel.value, objective)


def _fear(counsel: Counsel) -> str:
    """What there is to be afraid of, as a reason to stop."""
    for name, chance in counsel.odds:
        if name in _FEARS:
            return f"the chance of {_FEARS[name]} is {100 * chance:.1f} %"
    return ""


_FEARS = {
    "bust": "losing the turn",
    "black flag": "a black flag",
}
