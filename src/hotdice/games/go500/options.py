"""The options of Go 500."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from hotdice.core.errors import BadOption, UnreadableText
from hotdice.core.options import Options, option
from hotdice.games.go500.courses import WEATHERS, Course, shipped_courses
from hotdice.games.go500.dice_set import DiceSet, shipped_sets


@dataclass(frozen=True, slots=True)
class Penalties:
    """How many rolls of the red die an excess over the limit costs (G9)."""

    bands: tuple[tuple[int, int], ...]
    """Pairs of the least excess of a band and its rolls, in rising order."""

    def rolls(self, excess: int) -> int:
        """The rolls due for this excess."""
        band = bisect_right(self.bands, (excess, 1000))
        return self.bands[band - 1][1] if band else 0

    def text(self) -> str:
        """``20:1,40:2,…``: pairs of the least excess and the rolls."""
        return ",".join(f"{excess}:{rolls}" for excess, rolls in self.bands)

    @classmethod
    def read(cls, text: str) -> Self:
        """Parse ``excess:rolls`` pairs."""
        pairs = []
        for word in text.split(","):
            excess, _, rolls = word.strip().partition(":")
            if not all(w.isascii() and w.isdigit() and len(w) < 5 for w in (excess, rolls)):
                raise UnreadableText("write it as excess:rolls pairs such as 20:1,40:2.")
            pairs.append((int(excess), int(rolls)))
        if pairs != sorted(set(pairs)) or len({excess for excess, _ in pairs}) < len(pairs):
            raise UnreadableText("the excesses have to rise.")
        if [rolls for _, rolls in pairs] != sorted(rolls for _, rolls in pairs):
            raise UnreadableText("a higher excess costs no fewer rolls.")
        if any(excess < 1 or rolls > 99 for excess, rolls in pairs):
            raise UnreadableText("an excess is at least 1 and costs at most 99 rolls.")
        return cls(tuple(pairs))

    @classmethod
    def read_file(cls, path: Path) -> Self:
        """Always raises ``UnreadableText``: penalties are too short for a file."""
        raise UnreadableText(f"it is written out, not in a file such as {path}.")

    @classmethod
    def values_text(cls) -> str:
        """The form in which penalties are written."""
        return "excess:rolls pairs"

    def written(self) -> str:
        """The same as the text."""
        return self.text()

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Always empty: penalties have no names."""
        return ()


_PRINTED = Penalties(((20, 1), (40, 2), (60, 4), (80, 7), (100, 11), (120, 16)))


@dataclass(frozen=True, kw_only=True)
class Go500Options(Options):
    """The options of Go 500; the defaults are the printed rules on the first shipped course."""

    course: Course = option(
        shipped_courses()["oval"], "Where you race: one of ours, or a course of your own.", "G1"
    )
    weather: str = option(
        "good", "Poor weather lowers the limits; not every course has it.", "G1", among=WEATHERS
    )
    rerolls: int = option(
        2, "How many rerolls each player has for the whole race.", "G2", low=0, high=1000
    )
    dice: DiceSet = option(
        shipped_sets()["house"], "The faces of the dice: ours, or those of your own set.", "G12"
    )
    all_circled: int = option(
        175, "Points if all six dice come up circled in one roll.", "G6", low=0, high=10_000
    )
    penalties: Penalties = option(
        _PRINTED, "How often you roll the red die, by how far you are over the limit.", "G9"
    )

    def always_told(self) -> tuple[str, ...]:
        """The course, and the weather where there is a choice."""
        return ("course", "weather") if len(self.course.weathers) > 1 else ("course",)

    def check(self) -> None:
        """The course must have limits for the weather."""
        if self.weather not in self.course.weathers:
            raise BadOption(
                f"The course '{self.course.name}' has only good weather; leave the option out."
            )
