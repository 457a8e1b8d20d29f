"""Courses: segments with or without a speed limit, for good and perhaps poor weather (G1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Self

from hotdice.core.errors import UnreadableText
from hotdice.core.words import quoted
from hotdice.games.go500.keyed_text import (
    KeyedLine,
    KeyedText,
    check_keys,
    check_name,
    read_lines,
    shipped,
    single,
)

WEATHERS = ("good", "poor")
_MOST_SEGMENTS = 100
_HIGHEST_LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of the course with a limit for each weather; ``None`` is no limit."""

    name: str
    limits: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Course(KeyedText):
    """A course: its segments in racing order."""

    kind: ClassVar[str] = "course"

    name: str
    about: str
    segments: tuple[Segment, ...]

    @property
    def weathers(self) -> tuple[str, ...]:
        """The weathers it has limits for."""
        return WEATHERS[: len(self.segments[0].limits)]

    def pairs(self) -> list[str]:
        """Name, what it is, its weathers, and every segment with its limits."""
        found = [f"name: {self.name}"]
        found += [f"about: {self.about}"] if self.about else []
        found += [f"weather: {' '.join(self.weathers)}"] if len(self.weathers) > 1 else []
        for segment in self.segments:
            limits = ("none" if limit is None else str(limit) for limit in segment.limits)
            found.append(f"segment: {segment.name} = {' / '.join(limits)}")
        return found

    @classmethod
    def shipped(cls) -> Mapping[str, Self]:
        """The courses that come with Hot Dice, by name."""
        return shipped_courses()  # type: ignore[return-value]  # there are no subclasses

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a course."""
        lines = read_lines(text)
        check_keys(lines, ("name", "about", "weather", "segment"))
        name = check_name(single(lines, "name"), "name")
        about = check_about(single(lines, "about", default=""))
        weather = single(lines, "weather", default="good")
        weathers = tuple(weather.value.lower().split())
        if weathers not in (WEATHERS[:1], WEATHERS):
            raise UnreadableText("Weather is 'good' or 'good poor'.", line=weather.number)
        segments = tuple(_segment(line, len(weathers)) for line in lines if line.key == "segment")
        if not 1 <= len(segments) <= _MOST_SEGMENTS:
            raise UnreadableText(f"A course has 1 to {_MOST_SEGMENTS} segments.")
        return cls(name, about, segments)


def check_about(line: KeyedLine) -> str:
    """Validate a sentence about a course; it must not break the one-line form."""
    if len(line.value) > 200 or ";" in line.value:
        raise UnreadableText("About is at most 200 characters without ;.", line=line.number)
    return line.value


def _segment(line: KeyedLine, weathers: int) -> Segment:
    name, equals, limits = line.value.partition("=")
    if not equals:
        raise UnreadableText("A segment is written 'segment: Name = limit'.", line=line.number)
    read = tuple(_limit(word.strip(), line) for word in limits.split("/"))
    if len(read) != weathers:
        needed = "one limit" if weathers == 1 else "two limits, good / poor"
        raise UnreadableText(f"The segment needs {needed}, after '='.", line=line.number)
    good, poor = (limit or _HIGHEST_LIMIT + 1 for limit in (read[0], read[-1]))
    if poor > good:
        raise UnreadableText("Poor weather has no higher limit than good.", line=line.number)
    return Segment(check_name(line._replace(value=name.strip()), "segment's name"), read)


def _limit(word: str, line: KeyedLine) -> int | None:
    if word.lower() == "none":
        return None
    plain = word.isascii() and word.isdigit() and len(word) < 5
    if not plain or not 0 < int(word) <= _HIGHEST_LIMIT:
        raise UnreadableText(
            f"{quoted(word)} is not a limit; write 1 to {_HIGHEST_LIMIT} or none.", line=line.number
        )
    return int(word)


@cache
def shipped_courses() -> dict[str, Course]:
    """The courses Hot Dice comes with, by name."""
    return {name: Course.parse(text) for name, text in shipped("courses").items()}
