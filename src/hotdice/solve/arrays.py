"""Array types of the solvers, and how much memory objects take."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_DEEPEST = 4


def weigh(thing: object) -> int:
    """The bytes taken by an object's arrays, lists and dicts; memory-mapped arrays count as 0."""
    roots: dict[int, int] = {}
    _collect(thing, roots, _DEEPEST)
    return sum(roots.values())


def _collect(thing: object, roots: dict[int, int], depth: int) -> None:
    if isinstance(thing, np.ndarray):
        root = thing
        while isinstance(root.base, np.ndarray):
            root = root.base
        roots[id(root)] = root.nbytes if root.base is None else 0
    elif isinstance(thing, dict):
        roots[id(thing)] = 100 * len(thing)
        for part in thing.values() if depth else ():
            _collect(part, roots, depth - 1)
    elif isinstance(thing, list | tuple):
        roots[id(thing)] = 8 * len(thing)
        if thing and isinstance(thing[0], int | float):
            roots[id(thing)] = 32 * len(thing)
        elif depth:
            for part in thing:
                _collect(part, roots, depth - 1)
    elif depth and isinstance(thing, Weighed):
        for part in vars(thing).values():
            if not isinstance(part, Weighed) or not part.shared:
                _collect(part, roots, depth - 1)


class Weighed:
    """An object that ``weigh`` looks into."""

    shared = False
    """Whether it has other owners, and so does not count as part of an object that refers to it."""
