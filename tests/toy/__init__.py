"""Pig: a toy game for the tests, installed like a third party's."""

from tests.toy.game import Pig, Piglet

__all__ = ["Pig", "Piglet"]
