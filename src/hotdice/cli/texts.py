"""Texts for games in the terminal: labels of choices, and dice in words."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

from hotdice.core.due import ToRoll
from hotdice.core.view import DieView


def choice_labels() -> Iterator[str]:
    """Labels for listed choices: a, b, c, …, without the letters that are commands."""
    letters = [letter for letter in ascii_lowercase if letter not in "hqu"]
    yield from letters
    for first in letters:
        for second in letters:
            yield first + second


def example_roll(due: ToRoll) -> str:
    """An example of how the dice may be typed: ``112345``, or by name."""
    by_kind: dict[str, list[str]] = {}
    for at, die in enumerate(due.dice):
        by_kind.setdefault(die.name, []).append(die.faces[at % len(die.faces)].token)
    if len(by_kind) == 1 and all(len(f.token) == 1 for die in due.dice for f in die.faces):
        return "".join(token for tokens in by_kind.values() for token in tokens)
    labels = {face.token: face.label for die in due.dice for face in die.faces}
    return " ".join(
        f"{name} {' '.join(labels[token] for token in tokens)}" for name, tokens in by_kind.items()
    )


def die_text(die: DieView) -> str:
    """A die as text: ``[5]``, ``[red 5]``, ``[black (25)]``."""
    label = f"({die.label})" if die.ring else die.label
    shown = " ".join(word for word in ("" if die.kind == "die" else die.kind, label) if word)
    return f"[{shown}]"
