"""The toy game with a look of its own, for tests of looks from outside."""

from tests.toy.painted.game import PaintedPig

__all__ = ["PaintedPig"]
