"""The dice that lie aside, in the sets in which they were put there.

A state only knows which dice lie aside; the moves say which of them were scored together.
"""

from __future__ import annotations

from hotdice.core.events import Choice
from hotdice.core.game import AnyGame
from hotdice.core.view import Group, Place
from hotdice.table.growing import Growing
from hotdice.table.sitting import Move


def groups_of(game: AnyGame, moves: Growing[Move], length: int) -> tuple[Group, ...]:
    """The sets of dice that lie aside after the first ``length`` moves, the oldest first."""
    if not length:
        return ()
    left = len(game.set_aside(moves[length - 1].after))
    found: list[Group] = []
    for at in range(length - 1, -1, -1):
        if left <= 0:
            break
        before, event, after, _ = moves[at]
        if not isinstance(event, Choice) or not event.dice:
            continue
        if len(game.set_aside(after)) != len(game.set_aside(before)) + len(event.dice):
            continue
        meaning = game.meaning(before, event)
        found.append(Group(game.dice_view(event.dice, Place.KEPT), meaning.points, meaning.words))
        left -= len(event.dice)
    return tuple(reversed(found)) if left == 0 else ()
