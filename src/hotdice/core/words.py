"""Small pieces of English that every game needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hotdice.core.dice import Faces

if TYPE_CHECKING:
    from hotdice.core.game import AnyGame

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def counted(count: int, one: str, many: str) -> str:
    """A count in words: ``one die``, ``three dice``, ``12 dice``."""
    number = _NUMBERS[count] if 0 <= count < len(_NUMBERS) else f"{count:,}"
    return f"{number} {one if count == 1 else many}"


def dice_words(game: AnyGame, faces: Faces) -> str:
    """Dice as a sentence says them: ``1-1-5`` or ``black:25, flag:green``."""
    words = [game.tokens[code] for code in faces]
    return ("-" if all(len(word) <= 2 for word in words) else ", ").join(words)


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
