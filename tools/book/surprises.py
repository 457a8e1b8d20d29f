"""Positions in which the best choice is not the obvious one, found by playing games."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from hotdice.core.due import Over, ToChoose
from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.core.words import dice_words
from hotdice.solve.coach import all_values
from tools.book.words import percent, table

_SHOWN_FROM = 0.0005


class Surprise(NamedTuple):
    """A position, the best choice, the obvious one, and what the obvious one costs."""

    state: Any
    best: Choice
    looks: Choice
    value: float
    cost: float


def costly_points(game: AnyGame, games: int, seed: str) -> list[Surprise]:
    """Where playing for points costs most, before anybody has reached the target."""
    found: dict[Any, Surprise] = {}
    for state in _positions(game, games, seed):
        wins, points = all_values(game, state, "win"), all_values(game, state, "points")
        best, looks = max(wins, key=lambda c: wins[c]), max(points, key=lambda c: points[c])
        cost = wins[best] - wins[looks]
        if cost > _SHOWN_FROM:
            surprise = Surprise(state, best, looks, wins[best], cost)
            _keep(found, (best.verb, best.then, looks.verb, looks.then, len(best.dice)), surprise)
    return sorted(found.values(), key=lambda s: -s.cost)


def fewer_points(game: AnyGame, games: int, seed: str) -> list[Surprise]:
    """Where it is best to end a turn with fewer points than possible."""
    found: dict[Any, Surprise] = {}
    for state in _positions(game, games, seed):
        wins = all_values(game, state, "win")
        best = max(wins, key=lambda c: wins[c])
        meaning = game.meaning(state, best)
        if not meaning.ends_turn:
            continue
        ends = [c for c in wins if game.meaning(state, c).ends_turn]
        looks = max(ends, key=lambda c: game.meaning(state, c).points)
        cost = wins[best] - wins[looks]
        if game.meaning(state, looks).points > meaning.points and cost > _SHOWN_FROM:
            surprise = Surprise(state, best, looks, wins[best], cost)
            _keep(found, (len(best.dice), len(looks.dice)), surprise)
    return sorted(found.values(), key=lambda s: -s.cost)


def _keep(found: dict[Any, Surprise], kind: Any, surprise: Surprise) -> None:
    """Keep the costliest surprise of each kind."""
    if kind not in found or found[kind].cost < surprise.cost:
        found[kind] = surprise


def _positions(game: AnyGame, games: int, seed: str) -> Any:
    """Every decision of games between two perfect players, until the last lap or segment."""
    rng = Random(seed)
    for _ in range(games):
        state = game.start(2)
        while not isinstance(due := game.due(state), Over):
            if not isinstance(due, ToChoose):
                rolls = game.rolls(state)
                chances = [float(chance) for _, chance in rolls]
                state = game.apply(state, rng.choices(rolls, chances)[0][0])
                continue
            if _undecided(game, state):
                yield state
            values = all_values(game, state, "win")
            state = game.apply(state, max(values, key=lambda c: values[c]))


def _undecided(game: AnyGame, state: Any) -> bool:
    """Whether nobody has reached the target or the last segment."""
    if hasattr(state, "scores"):
        return bool(max(state.scores) < game.options.target)
    return bool(state.segment < len(game.options.course.segments) - 1)


def listing(game: AnyGame, found: list[Surprise], shown: int) -> str:
    """The surprises as a table."""
    if not found:
        return "None came up in these games."
    rows = []
    for surprise in found[:shown]:
        state = surprise.state
        best, looks = (game.meaning(state, c) for c in (surprise.best, surprise.looks))
        rows.append(
            (
                _position(game, state),
                f"{best.words}. {best.effect}.",
                f"{looks.words}. {looks.effect}.",
                percent(surprise.value),
                percent(surprise.cost, 2),
            )
        )
    return table(("position", "best", "obvious", "wins", "cost of the obvious"), rows)


def _position(game: AnyGame, state: Any) -> str:
    own = state.seat
    if hasattr(state, "scores"):
        scores = f"{state.scores[own]:,} to {state.scores[1 - own]:,}"
    else:
        totals = [sum(raced) for raced in state.card]
        scores = f"{totals[own]} to {totals[1 - own]}, segment {state.segment + 1}"
    dice = state.tray if hasattr(state, "tray") else state.play
    parts = [scores]
    if getattr(state, "total", 0):
        parts.append(f"{state.total:,} at stake")
    if dice:
        parts.append(f"dice {dice_words(game, dice)}")
    locked = getattr(state, "locked", ())
    if locked:
        parts.append(f"locked {dice_words(game, locked)}")
    if getattr(state, "dead", ()):
        parts.append(f"{len(state.dead)} dead")
    return "; ".join(parts)
