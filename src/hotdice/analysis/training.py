"""Positions to learn from: real decisions with one clear answer that is easy to miss.

Bots of several levels play a game from a seed. Of its decisions those are taken where the best
choice is clearly better than the next one, and where a bot would have missed it. The seed is the
name of the position, so that the same name is the same position everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from hotdice.analysis.judging import NOTHING
from hotdice.analysis.valuing import Valuer
from hotdice.bots import LEVELS, chances
from hotdice.core.due import Over, ToChoose
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.solve.lookahead import throw

CLEAR = 0.005
"""How much better than the next choice the best one has to be, in chances to win."""
CLEAR_IN_POINTS = 0.01
"""The same in points, as a part of what is expected before the first turn."""
TEMPTING = 0.1
"""How likely at least one bot above ``random`` has to miss it."""
WEIGHTS: Mapping[str, int] = {"random": 10, "greedy": 20, "casual": 30, "sharp": 20}
"""What it adds to the difficulty if a bot of this level misses the position for certain."""
CLOSE = 20
"""What it adds to the difficulty if the next choice is almost as good as the best one."""
WORDS = (("easy", 0), ("medium", 30), ("hard", 45), ("very hard", 60))
"""What a difficulty is called, and from which number on."""

_PLAYING = ("greedy", "casual", "sharp")
"""The levels of the bots that play the games."""
_MOST_GAMES = 30
_MOST_EVENTS = 400
_MOST_DECISIONS = 60
"""Decisions that are looked at in a game, so that long games do not take longer."""


class NoPosition(HotDiceError):
    """Bots do not come to such a position under these rules."""


class Lesson(NamedTuple):
    """A position to learn from.

    Attributes:
        state: the position; a seat has to choose.
        objective: what values mean: ``win`` or ``points``.
        right: the best choices, all worth the same.
        gap: how much better they are than the next choice.
        misses: how likely a bot of each level would miss it.
        costs: what it would give away on average.
        difficulty: from 0 to 100.
    """

    state: Any
    objective: str
    right: tuple[Choice, ...]
    gap: float
    misses: Mapping[str, float]
    costs: Mapping[str, float]
    difficulty: int


def usual_players(game: AnyGame) -> int:
    """For how many players positions are: two, where the game allows it."""
    return min(game.max_players, max(game.min_players, 2))


def find_lesson(game: AnyGame, name: str, objective: str = "") -> Lesson:
    """The position with this name; raises ``NoPosition`` or ``CannotBeValued``.

    Args:
        game: the rules.
        name: any text, such as a number or a date.
        objective: ``win`` or ``points``; by default what the game is played for, as far as it is
            solved by now.
    """
    valuer = Valuer(game, usual_players(game), objective, progress=None)
    rng = seeded(game, valuer.objective, name)
    for _ in range(_MOST_GAMES):
        found = list(_lessons(valuer, rng))
        if found:
            return rng.choices(found, [one.difficulty**2 for one in found])[0]
    raise NoPosition(f"There is nothing to practise in {game.title} under these rules.")


def seeded(game: AnyGame, *words: str) -> Random:
    """Random numbers that depend only on the rules and on these words."""
    return Random("\n".join((game.slug, game.options.text(), *words)))  # noqa: S311 - reproducible


def _lessons(valuer: Valuer[Any, Any], rng: Random) -> Iterator[Lesson]:
    """Every lesson of one game between bots."""
    states = list(played(valuer.game, valuer.players, rng))
    chosen = [one for one in states if len(valuer.game.choices(one)) > 1]
    some = rng.sample(chosen, min(len(chosen), _MOST_DECISIONS))
    least = _clear(valuer)
    for state in some:
        lesson = _lesson(valuer, state, least)
        if lesson is not None:
            yield lesson


def played(game: AnyGame, players: int, rng: Random) -> Iterator[Any]:
    """The states of a game between bots, broken off after many events."""
    state = game.start(players)
    levels = [rng.choice(_PLAYING) for _ in range(players)]
    for _ in range(_MOST_EVENTS):
        due = game.due(state)
        if isinstance(due, Over):
            return
        yield state
        if isinstance(due, ToChoose):
            state = game.apply(state, LEVELS[levels[due.seat]].play(game, state, rng))
        else:
            state = game.apply(state, throw(due, rng))


def _clear(valuer: Valuer[Any, Any]) -> float:
    """How much better than the next choice the best one has to be."""
    if valuer.objective == "win":
        return CLEAR
    states = played(valuer.game, valuer.players, seeded(valuer.game))
    first = next(state for state in states if valuer.game.begins_turn(state))
    return CLEAR_IN_POINTS * abs(valuer.position(first))


def _lesson(valuer: Valuer[Any, Any], state: Any, least: float) -> Lesson | None:
    """The lesson of a decision; ``None`` if it is not clear, or if nobody would miss it."""
    game, values = valuer.game, valuer.choices(state)
    best, worst = max(values.values()), min(values.values())
    others = [value for value in values.values() if best - value > NOTHING]
    gap = best - max(others, default=best)
    if gap < max(least, NOTHING):
        return None
    ways = {level: chances(level, game, state) for level in WEIGHTS}
    costs = {
        level: sum(chance * (best - values[choice]) for choice, chance in way.items())
        for level, way in ways.items()
    }
    right = tuple(choice for choice, value in values.items() if best - value <= NOTHING)
    misses = {
        level: sum(chance for choice, chance in way.items() if choice not in right)
        for level, way in ways.items()
    }
    if max(misses[level] for level in _PLAYING) < TEMPTING:
        return None
    hard = difficulty(misses, gap / (best - worst))
    return Lesson(state, valuer.objective, right, gap, misses, costs, hard)


def difficulty(misses: Mapping[str, float], gap: float) -> int:
    """The difficulty of a position, from 0 to 100.

    Args:
        misses: how likely a bot of each level misses it.
        gap: how much worse the next choice is than the best one, as a part of what the worst
            choice costs.
    """
    missed = sum(weight * misses[level] for level, weight in WEIGHTS.items())
    return round(missed + CLOSE * (1.0 - gap))


def difficulty_word(hard: int) -> str:
    """A difficulty in words."""
    return next(word for word, least in reversed(WORDS) if hard >= least)
