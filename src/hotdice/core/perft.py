"""Perft with probability: count everything that can happen, level by level.

Choices are taken to be equally likely, so each level's states carry a total probability
of exactly 1; a rule that loses or invents an outcome shows at once.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from hotdice.core.events import Event
from hotdice.core.game import AnyGame, Over, ToRoll


class Level(NamedTuple):
    """Counts after a number of events; ended games stay where they are.

    Attributes:
        states: distinct states.
        decisions: states in which a seat chooses.
        rolls: states in which dice are due.
        ended: states in which the game is over.
        events: distinct rolls and choices these states offer.
        paths: ways to get here.
        chance: total probability, 1 if all is well.
    """

    states: int
    decisions: int
    rolls: int
    ended: int
    events: int
    paths: int
    chance: Fraction


def perft(game: AnyGame, state: Any, depth: int) -> list[Level]:
    """The levels from a state on, the state itself first."""
    level: dict[Any, tuple[int, Fraction]] = {state: (1, Fraction(1))}
    found = []
    for _ in range(depth + 1):
        following: dict[Any, tuple[int, Fraction]] = {}
        decisions = rolls = ended = events = 0
        for here, (paths, chance) in level.items():
            due = game.due(here)
            decisions += not isinstance(due, (Over, ToRoll))
            rolls += isinstance(due, ToRoll)
            ended += isinstance(due, Over)
            offered = offers(game, here)
            events += len(offered)
            for event, share in offered:
                after = game.apply(here, event)
                known_paths, known_chance = following.get(after, (0, Fraction(0)))
                following[after] = (known_paths + paths, known_chance + chance * share)
            if not offered:
                known_paths, known_chance = following.get(here, (0, Fraction(0)))
                following[here] = (known_paths + paths, known_chance + chance)
        found.append(
            Level(
                len(level),
                decisions,
                rolls,
                ended,
                events,
                sum(paths for paths, _ in level.values()),
                sum((chance for _, chance in level.values()), Fraction(0)),
            )
        )
        level = following
    return found


def offers(game: AnyGame, state: Any) -> list[tuple[Event, Fraction]]:
    """Every event that can happen here: rolls with their chance, choices equally likely."""
    if isinstance(game.due(state), ToRoll):
        return list(game.rolls(state))
    choices = game.choices(state)
    return [(choice, Fraction(1, len(choices))) for choice in choices]


def divide(game: AnyGame, state: Any, depth: int) -> str:
    """The last level's paths under each first event: where to look when a count is off."""
    return "\n".join(
        f"{game.event_text(event)}: {perft(game, game.apply(state, event), depth - 1)[-1].paths}"
        for event, _ in offers(game, state)
    )
