"""What may be set aside of one roll of Rogue, and its points (R3 to R9)."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hotdice.core.dice import Faces
from hotdice.core.keeping import Worth
from hotdice.core.words import counted, listed
from hotdice.games.rogue.options import RogueOptions

CRITTER = 1
ROGUE = (CRITTER,)
RUN = (1, 2, 3, 4, 5, 6)


def group_points(face: int, count: int, options: RogueOptions) -> int:
    """The chart: ``count`` dice of one face (R3)."""
    if count == 6:
        return options.six_critters if face == CRITTER else options.six_numbers
    rows = {2: options.pairs, 3: options.triplets, 4: options.quads, 5: options.quints}
    return rows[count][face - 2]  # critters are face 1, so they read the row's last entry


def keeps_of(roll: Faces, options: RogueOptions) -> dict[Faces, Worth]:
    """Everything that may be set aside of the roll with its points.

    A single die cannot be kept: a critter doubles the turn (R7), anything else ends it.
    """
    if len(roll) < 2:
        return {}
    counts = sorted(Counter(roll).items())
    rogue = (CRITTER, 1) in counts  # R5: exactly one critter
    found: dict[Faces, Worth] = {}
    if roll == RUN:
        found[RUN] = Worth(options.run, "a run")  # R6: its critter does not double
    if rogue:
        found[ROGUE] = Worth(0, "the rogue alone")  # R8
    ranges = [(0, *range(2, count + 1)) for _, count in counts]
    for taken in product(*ranges):  # R4: one group of two or more per face
        groups = [(face, n) for (face, _), n in zip(counts, taken, strict=True) if n]
        if not groups:
            continue
        dice = tuple(face for face, n in groups for _ in range(n))
        points = sum(group_points(face, n, options) for face, n in groups)
        words = listed([_named(face, n) for face, n in groups])
        found[dice] = Worth(points, words)
        if rogue:
            found[ROGUE + dice] = Worth(2 * points, f"{words} with the rogue")  # R5
    return found


def _named(face: int, count: int) -> str:
    return counted(count, "critter", "critters") if face == CRITTER else f"{_COUNT[count]} {face}s"


_COUNT = ("", "", "two", "three", "four", "five", "six")
