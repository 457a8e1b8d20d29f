"""A stage as it is saved: a few long rows in place of many short ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hotdice.solve.arrays import Floats, Ints
from hotdice.solvers.go500.stage import Flagged, Penalty, Punishment, Stage, Ways


@dataclass(frozen=True)
class PackedStage:
    """A stage as it is kept: what it has of a kind in one row, and how many belong together."""

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


def pack(stage: Stage) -> PackedStage:
    """A stage in rows."""
    green, punishments = stage.green, stage.punishments
    return PackedStage(
        np.array(stage.hands),
        stage.low,
        stage.high,
        stage.black,
        stage.circled,
        np.array([len(ways.total) for ways in green]),
        np.concatenate([ways.total for ways in green]),
        np.concatenate([ways.chance for ways in green]),
        np.concatenate([np.diff(ways.first) for ways in green]),
        np.concatenate([ways.hand for ways in green]),
        np.concatenate([ways.add for ways in green]),
        np.array([len(one.total) for one in stage.yellow]),
        np.concatenate([one.total for one in stage.yellow]),
        np.concatenate([one.chance for one in stage.yellow]),
        np.array([len(one.total) for one in stage.red]),
        np.concatenate([one.total for one in stage.red]),
        np.concatenate([one.chance for one in stage.red]),
        np.array([len(one.chance) for one in punishments]),
        np.concatenate([one.chance for one in punishments]),
        np.concatenate([one.add for one in punishments]),
        np.concatenate([one.to for one in punishments]),
        np.concatenate([one.out for one in punishments]).astype(np.int64),
        [list(name) for name in stage.names],
        stage.unit,
        stage.bonus,
    )


def unpack(kept: PackedStage) -> Stage:
    """The stage that rows were made of."""
    at = np.cumsum(kept.classes)[:-1]
    counts = np.split(kept.ways, at)
    of_hand = np.cumsum([int(count.sum()) for count in counts])[:-1]
    green = tuple(
        Ways(total, chance, np.concatenate([[0], np.cumsum(count)]), hand, add)
        for total, chance, count, hand, add in zip(
            np.split(kept.total, at),
            np.split(kept.chance, at),
            counts,
            np.split(kept.hand, of_hand),
            np.split(kept.add, of_hand),
            strict=True,
        )
    )
    names: dict[Penalty, int] = {
        (str(phase), int(rolls), bool(second), bool(out)): at
        for at, (phase, rolls, second, out) in enumerate(kept.names)
    }
    faces = np.cumsum(kept.faces)[:-1]
    punishments = tuple(
        Punishment(chance, add, to, out.astype(bool))
        for chance, add, to, out in zip(
            np.split(kept.face_chance, faces),
            np.split(kept.face_add, faces),
            np.split(kept.face_to, faces),
            np.split(kept.face_out, faces),
            strict=True,
        )
    )
    return Stage(
        kept.unit,
        tuple((int(blacks), int(greens)) for blacks, greens in kept.hands),
        np.array(kept.low),
        np.array(kept.high),
        green,
        _unpack_flags(kept.yellows, kept.yellow_total, kept.yellow_chance),
        _unpack_flags(kept.reds, kept.red_total, kept.red_chance),
        np.array(kept.black),
        np.array(kept.circled),
        kept.bonus,
        punishments,
        names["yellow", 1, False, False],
        {name[1]: at for name, at in names.items() if name[0] == "red" and not any(name[2:])},
        names,
    )


def _unpack_flags(counts: Ints, total: Ints, chance: Floats) -> tuple[Flagged, ...]:
    at = np.cumsum(counts)[:-1]
    pairs = zip(np.split(total, at), np.split(chance, at), strict=True)
    return tuple(Flagged(*pair) for pair in pairs)
