"""Exact values and best play, computed from the rules themselves.

``hotdice.solve.coach`` advises at any state; ``hotdice.solve.solvers`` finds the solver of a game.
"""

import os

# Idle kernel threads sleep instead of spinning, which would compete with other processes for cores.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
