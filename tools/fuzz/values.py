"""What all fuzz targets need: decoding inputs, and comparing values after a round trip."""

from __future__ import annotations

from typing import Any


class Unfaithful(Exception):
    """A value does not round-trip."""


def same(read: Any, again: Any) -> None:
    """Check that a value is the same after a round trip."""
    if read != again:
        raise Unfaithful(f"{read!r} becomes {again!r} after a round trip")


def text_of(data: bytes) -> str:
    """Decode as Python does for command-line arguments."""
    return data.decode("utf-8", "surrogateescape")


def split(data: bytes, heads: int) -> list[str]:
    """The first lines, and the rest of the input."""
    return (text_of(data).split("\n", heads) + [""] * heads)[: heads + 1]
