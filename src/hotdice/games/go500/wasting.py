"""Choices of Go 500 that roll dice for nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hotdice.core.dice import without
from hotdice.core.events import Choice

if TYPE_CHECKING:
    from hotdice.games.go500.game import Go500
    from hotdice.games.go500.state import Go500State


def pointless(game: Go500, state: Go500State, choice: Choice) -> bool:
    """Whether a choice rolls again what cannot be better, or high dice to lock low ones."""
    if state.phase == "judge" and choice.verb == "reroll":
        return _is_mildest(game, state)
    if state.phase != "call" or choice.verb not in ("reroll", "lock"):
        return False
    if choice.verb == "lock" and len(choice.dice) == len(game.roll_result(state.tray).lockable):
        return False  # G8: it completes the segment
    if _makes_the_most(game, state):
        return True
    return choice.verb == "lock" and _locks_low(game, state, choice)


def _is_mildest(game: Go500, state: Go500State) -> bool:
    """Whether the penalty die shows the least it can cost, for good."""
    side = game.sides[state.tray[0]]
    if side.word in ("crash", "x") and not state.second:
        return False
    ends_race = side.word == "x" and state.segment < len(game.limits) - 1
    sides = game.options.dice.numbered(game.kind(state.tray[0]))
    return not ends_race and side.value == max(other.value for _, (other, _) in sides)


def _makes_the_most(game: Go500, state: Go500State) -> bool:
    """Whether no roll of the dice in the tray makes more than they make now."""
    result = game.roll_result(state.tray)
    most = _most(game, "black") * result.blacks + _most(game, "green") * result.greens
    most += sum(game.sides[code].value for code in state.locked)
    outcome, total = game.outcome(state), game.total(state)
    if outcome == "bonus":
        return game.options.all_circled >= most
    if outcome in ("yellow", "red") or (result.blacks, result.greens) == (5, 1):
        return False  # penalties can be avoided; six dice can all be circled (G6)
    if outcome == "black":
        return most <= 0
    if outcome == "speeding":
        limit = game.limits[state.segment] or 0
        return total == most and not game.options.penalties.rolls(total - limit)
    return total == most


def _most(game: Go500, kind: str) -> int:
    return max(side.value for _, (side, _) in game.options.dice.numbered(kind))


def _locks_low(game: Go500, state: Go500State, choice: Choice) -> bool:
    """Whether a higher die of the same kind is rolled again, where no limit can be exceeded."""
    result = game.roll_result(state.tray)
    limit = game.limits[state.segment]
    most = _most(game, "black") * result.blacks + _most(game, "green") * result.greens
    most += sum(game.sides[code].value for code in state.locked)
    if limit is not None and most > limit:
        return False
    value = {code: game.sides[code].value for code in result.lockable}
    rest = without(result.lockable, choice.dice)
    return any(
        game.kind(low) == game.kind(high) and value[low] < value[high]
        for low in choice.dice
        for high in rest
    )
