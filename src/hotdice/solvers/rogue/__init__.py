"""Solves Rogue."""

from hotdice.solvers.rogue.solver import RogueSolver

__all__ = ["RogueSolver"]
