"""The bots by level; each can play any game, using only the ``Game`` interface.

None of them makes pointless choices (``sensible.py``), unless they win more often that way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import exp
from random import Random
from typing import Any, NamedTuple

from hotdice.bots.sensible import sensible
from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame

Bot = Callable[[AnyGame, Any, Random], Choice]
"""Chooses at a state in which a choice is due; random numbers come from the last argument."""

_EQUAL = 1e-12
_CARE = 10.0
"""The casual bot chooses its worst choice e**-10 times as often as its best."""


class UnknownBot(HotDiceError):
    """No bot has this level."""


class Level(NamedTuple):
    """A level of bots.

    Attributes:
        play: how it chooses.
        about: its character, one sentence.
        plans: whether it plays to win, for which the game has to be solved.
        thinks: whether it computes the values of choices, which may take a while.
        instead: the fallback level for when it cannot play.
    """

    play: Bot
    about: str
    plans: bool = False
    thinks: bool = False
    instead: str = ""


def play_random(game: AnyGame, state: Any, rng: Random) -> Choice:
    """Any sensible choice, all equally likely."""
    return rng.choice(sensible(game, state))


def play_greedy(game: AnyGame, state: Any, rng: Random) -> Choice:
    """The most points at once, banking them if possible; then the most dice."""

    def greed(choice: Choice) -> tuple[int, bool, int]:
        meaning = game.meaning(state, choice)
        home = meaning.ends_turn == (meaning.points > 0)
        return meaning.points, home, len(choice.dice)

    return max(sensible(game, state), key=greed)


def play_casual(game: AnyGame, state: Any, rng: Random) -> Choice:
    """A random choice, weighted by expected points.

    The weight of a choice falls exponentially with what it loses compared with the best one.
    """
    weights = _casual_weights(game, state)
    choices = list(weights)
    if min(weights.values()) == 1.0:
        return rng.choice(choices)
    return rng.choices(choices, list(weights.values()))[0]


def _casual_weights(game: AnyGame, state: Any) -> Mapping[Choice, float]:
    values = _values(game, state, "points")
    best, worst = max(values.values()), min(values.values())
    choices = sensible(game, state)
    if best - worst < _EQUAL:
        return dict.fromkeys(choices, 1.0)
    return {choice: exp(-_CARE * (best - values[choice]) / (best - worst)) for choice in choices}


def play_sharp(game: AnyGame, state: Any, rng: Random) -> Choice:
    """The most points on average, whoever leads."""
    values = _values(game, state, "points")
    return max(sensible(game, state), key=lambda choice: values[choice])


def play_perfect(game: AnyGame, state: Any, rng: Random) -> Choice:
    """The best chance to win; among equals what is not pointless, with the most expected points.

    Fewer points can be better: to reach a target gives everybody else a last turn.
    """
    values = _values(game, state, "win")
    best = max(values.values())
    equal = [choice for choice, value in values.items() if best - value < _EQUAL]
    if len(equal) == 1:
        return equal[0]
    kept = set(sensible(game, state))
    points = _values(game, state, "points")
    return max(equal, key=lambda choice: (choice in kept, points[choice]))


def _values(game: AnyGame, state: Any, objective: str) -> Mapping[Choice, float]:
    """The value of every choice; solves the game if necessary."""
    from hotdice.solve.coach import all_values  # noqa: PLC0415 - simple bots need no solver

    return all_values(game, state, objective)


LEVELS: Mapping[str, Level] = {
    "random": Level(play_random, "Rolls and keeps without a thought."),
    "greedy": Level(play_greedy, "Takes the most points it can and banks them."),
    "casual": Level(
        play_casual,
        "Has a feeling for the odds, and sometimes makes mistakes.",
        thinks=True,
        instead="greedy",
    ),
    "sharp": Level(
        play_sharp,
        "Knows the odds and makes the most points on average.",
        thinks=True,
        instead="greedy",
    ),
    "perfect": Level(
        play_perfect,
        "Plays to win; with two players, nobody beats it in the long run.",
        plans=True,
        thinks=True,
        instead="sharp",
    ),
}
"""From the weakest to the strongest."""


def find_bot(level: str) -> Bot:
    """The bot of this level; raises ``UnknownBot``."""
    if level not in LEVELS:
        raise UnknownBot(f"There is no bot '{level}'; the levels are {', '.join(LEVELS)}.")
    return LEVELS[level].play


def chances(level: str, game: AnyGame, state: Any) -> Mapping[Choice, float]:
    """How likely a bot of this level makes each choice; those it never makes are left out."""
    if level == "random":
        weights: Mapping[Choice, float] = dict.fromkeys(sensible(game, state), 1.0)
    elif level == "casual":
        weights = _casual_weights(game, state)
    else:  # the others do not depend on chance
        return {find_bot(level)(game, state, Random(0)): 1.0}  # noqa: S311 - not used
    total = sum(weights.values())
    return {choice: weight / total for choice, weight in weights.items()}


def without_thinking(level: str) -> str:
    """The fallback level for when there is no time or memory to compute values."""
    while LEVELS[level].thinks:
        level = LEVELS[level].instead
    return level


def is_ready(level: str, game: AnyGame, players: int) -> bool:
    """Whether a bot of this level can play without solving the game first."""
    if level not in LEVELS or not LEVELS[level].plans:
        return True
    from hotdice.solve.coach import ready  # noqa: PLC0415 - simple bots need no solver

    return ready(game, players)
