"""The errors of Hot Dice.

Every message is a sentence that a player understands and that says what to do; surfaces print
it unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence


class HotDiceError(Exception):
    """Base of all errors of Hot Dice."""


class UnreadableText(HotDiceError):
    """The text cannot be parsed.

    Args:
        message: what is wrong, as one sentence.
        line: the number of the offending line, if the text is a whole file.
    """

    def __init__(self, message: str, *, line: int | None = None) -> None:
        super().__init__(message if line is None else f"Line {line}: {message}")
        self.message = message
        self.line = line


class AmbiguousText(HotDiceError):
    """The text fits more than one choice."""

    def __init__(self, text: str, candidates: Sequence[str]) -> None:
        shown = ", ".join(f"'{name}'" for name in candidates[:4])
        more = f" and {len(candidates) - 4} more" if len(candidates) > 4 else ""
        super().__init__(f"'{text}' could mean {shown}{more}; say which.")
        self.candidates = tuple(candidates)


class IllegalEvent(HotDiceError):
    """The rules forbid this event here; the state is unchanged (K2)."""

    def __init__(self, reason: str, clause: str) -> None:
        super().__init__(f"{reason} ({clause})")
        self.reason = reason
        self.clause = clause


class IllegalState(HotDiceError):
    """The text is well formed, but the state cannot occur."""


class BadOption(HotDiceError):
    """An option has an unknown name or an invalid value."""


class BadSetup(HotDiceError):
    """The game cannot be set up like this."""


class UnknownGame(HotDiceError):
    """No installed game has this name."""
