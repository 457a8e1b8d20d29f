"""Pig: a game that lives only in the tests and is found like anybody's."""

from tests.toy.game import Pig, Piglet

__all__ = ["Pig", "Piglet"]
