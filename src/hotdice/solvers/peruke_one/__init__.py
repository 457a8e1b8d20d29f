"""Solves Peruke One."""

from hotdice.solvers.peruke_one.solver import PerukeOneSolver

__all__ = ["PerukeOneSolver"]
