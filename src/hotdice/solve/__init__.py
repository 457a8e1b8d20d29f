"""Exact values and best play, computed from the rules themselves.

``hotdice.solve.coach`` advises at any state; ``hotdice.solve.solvers`` finds the solver of a game.
"""

import os

# Threads of the kernels sleep while they wait, so that a busy machine does not slow them down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
