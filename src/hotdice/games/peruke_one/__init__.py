"""Peruke One, the solitaire of six discs."""

from hotdice.games.peruke_one.game import PerukeOne
from hotdice.games.peruke_one.options import PerukeOneOptions
from hotdice.games.peruke_one.state import PerukeOneState

__all__ = ["PerukeOne", "PerukeOneOptions", "PerukeOneState"]
