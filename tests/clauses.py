"""The clauses of the rules, by game: what a golden must exist for."""

CLAUSES: dict[str, tuple[str, ...]] = {
    "farkle": tuple(f"F{number}" for number in range(1, 12)),
    "rogue": tuple(f"R{number}" for number in range(1, 14)),
    "cockroach": tuple(f"C{number}" for number in range(1, 9)),
    "peruke": tuple(f"P{number}" for number in range(1, 10)),
    "go500": tuple(f"G{number}" for number in range(1, 13)),
}

COMMON = ("K1", "K2", "K3")
"""Clauses of every game; their goldens may lie with any of them."""

SAMPLES = {
    "farkle": ("F-sample-turn",),
    "rogue": ("R-sample-16", "R-sample-rogue-choice", "R7-five-critters"),
}
"""The worked examples of the rules page."""
