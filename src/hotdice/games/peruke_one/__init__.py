"""Peruke One, the solitaire of six discs."""

from hotdice.games.peruke_one.game import PerukeOne, PerukeOneState
from hotdice.games.peruke_one.options import PerukeOneOptions

__all__ = ["PerukeOne", "PerukeOneOptions", "PerukeOneState"]
