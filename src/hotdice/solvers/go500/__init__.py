"""Solves Go 500."""

from hotdice.solvers.go500.solver import Go500Solver

__all__ = ["Go500Solver"]
