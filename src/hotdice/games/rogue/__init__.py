"""Rogue, the game with critters, doubling and war."""

from hotdice.games.rogue.game import Rogue, RogueState
from hotdice.games.rogue.options import RogueOptions

__all__ = ["Rogue", "RogueOptions", "RogueState"]
