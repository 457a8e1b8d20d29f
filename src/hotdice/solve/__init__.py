"""Exact values and best play, computed from the rules themselves.

``hotdice.solve.coach`` advises at any state; ``hotdice.solve.solvers`` finds the solver of a game.
"""
