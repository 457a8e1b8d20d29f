"""The bots there are, by level; each plays every game from the contract alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from hotdice.core.errors import HotDiceError
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame

Bot = Callable[[AnyGame, Any, Random], Choice]
"""Chooses at a state in which a seat has to choose; chance comes from the last argument."""


class UnknownBot(HotDiceError):
    """No bot has this level."""


def play_random(game: AnyGame, state: Any, rng: Random) -> Choice:
    """Any legal choice, all equally likely."""
    return rng.choice(game.choices(state))


def play_greedy(game: AnyGame, state: Any, rng: Random) -> Choice:
    """The most points right now, safely home if there are any, else as many dice as possible."""

    def greed(choice: Choice) -> tuple[int, bool, int]:
        meaning = game.meaning(state, choice)
        home = meaning.ends_turn == (meaning.points > 0)
        return meaning.points, home, len(choice.dice)

    return max(game.choices(state), key=greed)


LEVELS: Mapping[str, Bot] = {"random": play_random, "greedy": play_greedy}
"""From the weakest to the strongest."""


def find_bot(level: str) -> Bot:
    """The bot of this level; raises ``UnknownBot``."""
    if level not in LEVELS:
        raise UnknownBot(f"There is no bot '{level}'; the levels are {', '.join(LEVELS)}.")
    return LEVELS[level]
