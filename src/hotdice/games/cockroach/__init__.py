"""Cockroach, the game of sequences and dead sixes."""

from hotdice.games.cockroach.game import Cockroach, CockroachState
from hotdice.games.cockroach.options import CockroachOptions

__all__ = ["Cockroach", "CockroachOptions", "CockroachState"]
