"""Perft with probability: count everything that can happen, level by level.

Choices are equally likely, so the probabilities of each level sum to exactly 1 unless a rule
loses or invents an outcome.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from hotdice.core.dice import chances
from hotdice.core.due import Over, ToRoll
from hotdice.core.events import Event
from hotdice.core.game import AnyGame

_States = dict[Any, tuple[int, Fraction]]


class DepthCount(NamedTuple):
    """Counts after a number of events; ended games stay where they are.

    Attributes:
        states: distinct states.
        decisions: states in which a seat chooses.
        rolls: states in which dice are due.
        ended: states in which the game is over.
        events: distinct rolls and choices these states offer.
        paths: ways to get here.
        chance: the total probability, 1 if the rules are sound.
    """

    states: int
    decisions: int
    rolls: int
    ended: int
    events: int
    paths: int
    chance: Fraction


def perft(game: AnyGame, state: Any, depth: int) -> list[DepthCount]:
    """The levels from a state on, the state itself first."""
    level: _States = {state: (1, Fraction(1))}
    found = [_count(game, level)]
    for _ in range(depth):
        level = _next(game, level)
        found.append(_count(game, level))
    return found


def _next(game: AnyGame, level: _States) -> _States:
    """The states one event later, with their numbers of paths and probabilities."""
    following: _States = {}
    for here, (paths, chance) in level.items():
        offered = offers(game, here)
        steps = [(game.apply(here, event), share) for event, share in offered]
        for after, share in steps or [(here, Fraction(1))]:
            known_paths, known_chance = following.get(after, (0, Fraction(0)))
            following[after] = (known_paths + paths, known_chance + chance * share)
    return following


def _count(game: AnyGame, level: _States) -> DepthCount:
    dues = [game.due(state) for state in level]
    rolls = sum(isinstance(due, ToRoll) for due in dues)
    ended = sum(isinstance(due, Over) for due in dues)
    events = sum(
        len(chances(due.dice)) if isinstance(due, ToRoll) else len(game.choices(state))
        for state, due in zip(level, dues, strict=True)
    )
    paths = sum(paths for paths, _ in level.values())
    chance = sum((chance for _, chance in level.values()), Fraction(0))
    return DepthCount(len(level), len(level) - rolls - ended, rolls, ended, events, paths, chance)


def offers(game: AnyGame, state: Any) -> list[tuple[Event, Fraction]]:
    """Every event that can happen here: rolls with their chance, choices equally likely."""
    if isinstance(game.due(state), ToRoll):
        return list(game.rolls(state))
    choices = game.choices(state)
    return [(choice, Fraction(1, len(choices))) for choice in choices]


def divide(game: AnyGame, state: Any, depth: int) -> str:
    """The last level's paths by first event, to locate a wrong count."""
    return "\n".join(
        f"{game.event_text(event)}: {perft(game, game.apply(state, event), depth - 1)[-1].paths}"
        for event, _ in offers(game, state)
    )
