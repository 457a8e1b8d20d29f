"""The clauses of each game's rules; every one needs a golden."""

CLAUSES: dict[str, tuple[str, ...]] = {
    "farkle": tuple(f"F{number}" for number in range(1, 12)),
    "rogue": tuple(f"R{number}" for number in range(1, 14)),
    "cockroach": tuple(f"C{number}" for number in range(1, 9)),
    "peruke": tuple(f"P{number}" for number in range(1, 10)),
    "go500": tuple(f"G{number}" for number in range(1, 13)),
}

COMMON = ("K1", "K2", "K3")
"""Clauses that all games share; a golden of any game will do."""

SAMPLES = {
    "farkle": ("F-sample-turn",),
    "rogue": ("R-sample-16", "R-sample-rogue-choice", "R7-five-critters"),
}
"""The worked examples of the rules page."""
