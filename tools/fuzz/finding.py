"""A bug found by fuzzing."""

from __future__ import annotations


class Finding(Exception):
    """A bug, with the input or command that reproduces it."""

    def __init__(self, what: str, again: str) -> None:
        super().__init__(f"{what}\n{again}")
        self.what = what
        self.again = again
