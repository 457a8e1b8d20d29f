"""Farkle, the local variant with carry-over."""

from hotdice.games.farkle.game import Farkle, FarkleState
from hotdice.games.farkle.options import FarkleOptions

__all__ = ["Farkle", "FarkleOptions", "FarkleState"]
