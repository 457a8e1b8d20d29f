"""Go 500, a race against the clock, the limit and the flags."""

from hotdice.games.go500.courses import Course, Segment
from hotdice.games.go500.dice_set import DiceSet
from hotdice.games.go500.game import Go500
from hotdice.games.go500.options import Go500Options
from hotdice.games.go500.state import Go500State

__all__ = ["Course", "DiceSet", "Go500", "Go500Options", "Go500State", "Segment"]
