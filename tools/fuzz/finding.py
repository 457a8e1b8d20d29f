"""What fuzzing is after."""

from __future__ import annotations


class Finding(Exception):
    """Something that must not be, with the input that shows it again."""

    def __init__(self, what: str, again: str) -> None:
        super().__init__(f"{what}\n{again}")
        self.what = what
        self.again = again
