"""Helpers for texts in English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hotdice.core.caching import put
from hotdice.core.dice import Faces

if TYPE_CHECKING:
    from hotdice.core.due import ToRoll
    from hotdice.core.game import AnyGame

_JOINERS = "\u200c\u200d"
"""Zero-width joiners: invisible, but part of many names and emoji."""
_MOST_QUOTED = 40
_CACHE_SIZE = 5000
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def is_shown(letter: str) -> bool:
    """Whether a character is allowed in text from players."""
    return letter.isprintable() or letter in _JOINERS


def name_key(name: str) -> str:
    """A key that is equal for names that look the same."""
    return "".join(letter for letter in name if letter not in _JOINERS).casefold()


def signed(value: int) -> str:
    """A number for a sentence: ``1,812``, with a true minus sign."""
    return f"{value:,}".replace("-", "\u2212")


def seat_name(seat: int) -> str:
    """What a seat is called where nobody's name is known: ``Seat 1``."""
    return f"Seat {seat + 1}"


def counted(count: int, one: str, many: str) -> str:
    """A count in words: ``one die``, ``three dice``, ``12 dice``."""
    number = _NUMBERS[count] if 0 <= count < len(_NUMBERS) else f"{count:,}"
    return f"{number} {one if count == 1 else many}"


def die_name(game: AnyGame, code: int) -> str:
    """One die as players call it: ``red 4``, ``green flag``."""
    face = game.faces[code]
    kind = next(die for die in game.dice if face in die.all_faces())
    return face.name or f"{kind.called} {face.label}".strip()


def dice_words(game: AnyGame, faces: Faces) -> str:
    """Dice in a sentence, in the order in which they lie: ``1-1-5``, ``black 20-25, red flag``."""
    faces = tuple(sorted(faces))
    words = game.words_cache.get(faces)
    if words is None:
        words = _dice_words(game, faces)
        put(game.words_cache, faces, words, _CACHE_SIZE)
    return words


def _dice_words(game: AnyGame, faces: Faces) -> str:
    if all(len(game.tokens[code]) == 1 for code in faces):
        return "-".join(game.faces[code].label for code in faces)
    shown = []
    for die in game.dice:
        own = {face.code: face for face in die.faces}
        here = [own[code] for code in faces if code in own]
        labels = [face.label for face in here if not face.name]
        shown += [f"{die.name} {'-'.join(labels)}"] if labels else []
        shown += [face.name for face in here if face.name]
    return ", ".join(shown)


def the_dice(game: AnyGame, faces: Faces) -> str:
    """Dice that lie on the table, for a sentence: ``the 5``, ``1-1-5``."""
    words = dice_words(game, faces)
    return f"the {words}" if len(faces) == 1 else words


def quoted(text: str, most: int = _MOST_QUOTED) -> str:
    """Text from a player for a sentence: in quotation marks, and shortened."""
    shown = text if len(text) <= most else f"{text[: most - 1]}…"
    return f"'{shown}'"


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def dice_due(due: ToRoll) -> str:
    """The dice to roll: ``six dice``, or by kind: ``two black dice, the flag die``."""
    kinds = Counter(die.name for die in due.dice)
    if set(kinds) == {"die"}:
        return counted(len(due.dice), "die", "dice")
    return listed(
        [
            f"the {name} die" if count == 1 else counted(count, f"{name} die", f"{name} dice")
            for name, count in kinds.items()
        ]
    )
