"""The views of dice, and why some of them cannot be taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from hotdice.core.events import Choice
from hotdice.core.view import DieView, Place, Unused, View

if TYPE_CHECKING:
    from hotdice.core.game import AnyGame

_DICE = attrgetter("dice")


def die_views(game: AnyGame) -> Mapping[Place, Mapping[int, DieView]]:
    """The view of every face in every place."""
    return {
        place: {
            face.code: DieView(
                face.code,
                face.token,
                face.label,
                die.name,
                die.colour,
                place,
                face.ring,
                face.drawn,
                face.pips,
                face.flag,
                die.called,
                face.name,
            )
            for die in reversed(game.dice)
            for face in die.all_faces()
        }
        for place in Place
    }


def unused(game: AnyGame, state: Any, shown: View, choices: Sequence[Choice]) -> tuple[Unused, ...]:
    """The dice in the tray that no choice takes, and why."""
    idle = game.idle(state)  # fast; this runs for every event of every table
    if idle is None:
        idle = idle_dice(shown, choices)
    return tuple([Unused(code, game.why_unused(state, code)) for code in idle])


def idle_dice(shown: View, choices: Sequence[Choice]) -> tuple[int, ...]:
    """The dice in the tray that no choice takes, sorted."""
    left = {die.code for die in shown.dice if die.place is Place.TRAY}
    left.difference_update(*map(_DICE, choices))
    return tuple(sorted(left))
