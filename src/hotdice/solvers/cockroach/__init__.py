"""Solves Cockroach."""

from hotdice.solvers.cockroach.solver import CockroachSolver

__all__ = ["CockroachSolver"]
