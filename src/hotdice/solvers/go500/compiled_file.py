"""Packs a compiled segment into a few long arrays for the solution cache."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hotdice.solve.arrays import Floats, Ints
from hotdice.solvers.go500.compiling import CompiledSegment, Flagged, Penalty, Punishment, Ways


@dataclass(frozen=True)
class PackedSegment:
    """A compiled segment with all arrays of a kind concatenated, and the lengths to split them."""

    hands: Ints
    low: Ints
    high: Ints
    black: Floats
    circled: Floats
    classes: Ints
    total: Ints
    chance: Floats
    ways: Ints
    hand: Ints
    add: Ints
    yellows: Ints
    yellow_total: Ints
    yellow_chance: Floats
    reds: Ints
    red_total: Ints
    red_chance: Floats
    faces: Ints
    face_chance: Floats
    face_add: Ints
    face_to: Ints
    face_out: Ints
    names: list[list[str | int | bool]]
    unit: int
    bonus: int


def pack(compiled: CompiledSegment) -> PackedSegment:
    """Concatenate the arrays of a compiled segment."""
    green, punishments = compiled.green, compiled.punishments
    return PackedSegment(
        np.array(compiled.hands),
        compiled.low,
        compiled.high,
        compiled.black,
        compiled.circled,
        np.array([len(ways.total) for ways in green]),
        np.concatenate([ways.total for ways in green]),
        np.concatenate([ways.chance for ways in green]),
        np.concatenate([np.diff(ways.first) for ways in green]),
        np.concatenate([ways.hand for ways in green]),
        np.concatenate([ways.add for ways in green]),
        np.array([len(one.total) for one in compiled.yellow]),
        np.concatenate([one.total for one in compiled.yellow]),
        np.concatenate([one.chance for one in compiled.yellow]),
        np.array([len(one.total) for one in compiled.red]),
        np.concatenate([one.total for one in compiled.red]),
        np.concatenate([one.chance for one in compiled.red]),
        np.array([len(one.chance) for one in punishments]),
        np.concatenate([one.chance for one in punishments]),
        np.concatenate([one.add for one in punishments]),
        np.concatenate([one.to for one in punishments]),
        np.concatenate([one.out for one in punishments]).astype(np.int64),
        [list(name) for name in compiled.names],
        compiled.unit,
        compiled.bonus,
    )


def unpack(packed: PackedSegment) -> CompiledSegment:
    """Split the arrays of a packed segment."""
    at = np.cumsum(packed.classes)[:-1]
    counts = np.split(packed.ways, at)
    of_hand = np.cumsum([int(count.sum()) for count in counts])[:-1]
    green = tuple(
        Ways(total, chance, np.concatenate([[0], np.cumsum(count)]), hand, add)
        for total, chance, count, hand, add in zip(
            np.split(packed.total, at),
            np.split(packed.chance, at),
            counts,
            np.split(packed.hand, of_hand),
            np.split(packed.add, of_hand),
            strict=True,
        )
    )
    names: dict[Penalty, int] = {
        (str(phase), int(rolls), bool(second), bool(out)): at
        for at, (phase, rolls, second, out) in enumerate(packed.names)
    }
    faces = np.cumsum(packed.faces)[:-1]
    punishments = tuple(
        Punishment(chance, add, to, out.astype(bool))
        for chance, add, to, out in zip(
            np.split(packed.face_chance, faces),
            np.split(packed.face_add, faces),
            np.split(packed.face_to, faces),
            np.split(packed.face_out, faces),
            strict=True,
        )
    )
    return CompiledSegment(
        packed.unit,
        tuple((int(blacks), int(greens)) for blacks, greens in packed.hands),
        np.array(packed.low),
        np.array(packed.high),
        green,
        _unpack_flags(packed.yellows, packed.yellow_total, packed.yellow_chance),
        _unpack_flags(packed.reds, packed.red_total, packed.red_chance),
        np.array(packed.black),
        np.array(packed.circled),
        packed.bonus,
        punishments,
        names["yellow", 1, False, False],
        {name[1]: at for name, at in names.items() if name[0] == "red" and not any(name[2:])},
        names,
    )


def _unpack_flags(counts: Ints, total: Ints, chance: Floats) -> tuple[Flagged, ...]:
    at = np.cumsum(counts)[:-1]
    pairs = zip(np.split(total, at), np.split(chance, at), strict=True)
    return tuple(Flagged(*pair) for pair in pairs)
