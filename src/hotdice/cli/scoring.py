"""``hotdice score``: the ways to score a roll."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hotdice.cli.output import columns, face_value, print_json, print_lines
from hotdice.core.dice import Faces
from hotdice.core.errors import UnreadableText
from hotdice.core.game import AnyGame
from hotdice.core.registry import game_type
from hotdice.core.words import counted, dice_words


def score(name: str, words: Sequence[str], sets: Sequence[str], *, as_json: bool) -> None:
    """Print every way to use each roll, best first."""
    kind = game_type(name)
    game: AnyGame = kind(kind.options_type.read_pairs(sets, files=True))
    rolls = [game.read_dice(text) for text in _split(game, words)]
    if not rolls:
        raise UnreadableText("There are no dice to score.")
    if as_json:
        print_json(
            {
                "game": game.slug,
                "options": game.options.text(),
                "rolls": [_roll(game, faces) for faces in rolls],
            }
        )
        return
    _print(game, rolls)


def _split(game: AnyGame, words: Sequence[str]) -> Iterator[str]:
    """The text of each roll.

    Words in quotation marks are one roll, and ``/`` separates rolls. If every face is one
    character, a longer word is a roll too, and consecutive single characters are one roll.
    """
    short = all(len(token) == 1 for token in game.codes)
    gathered: list[str] = []
    parts = [part.strip() for text in words for part in re.split("(/)", text) if part.strip()]
    for word in parts:
        whole = (short and len(word) > 1) or " " in word
        if word == "/" or whole:
            if gathered:
                yield " ".join(gathered)
            gathered = []
            if whole:
                yield word
        else:
            gathered.append(word)
    if gathered:
        yield " ".join(gathered)


def _roll(game: AnyGame, faces: Faces) -> dict[str, object]:
    choices = [
        {
            "keep": [face_value(game, code) for code in keep.dice],
            "points": keep.points,
            "left": keep.left,
            "words": keep.words,
        }
        for keep in game.keeps(faces)
    ]
    return {"dice": [face_value(game, code) for code in faces], "choices": choices}


def _print(game: AnyGame, rolls: Sequence[Faces]) -> None:
    for faces in rolls:
        rows = [
            (
                dice_words(game, keep.dice),
                f"{keep.points:,}",
                f"{counted(keep.left, 'die', 'dice')} left",
                keep.words,
            )
            for keep in game.keeps(faces)
        ]
        print_lines(
            [f"{dice_words(game, faces)}:", *columns(rows or [("nothing to keep",)], right=[1])]
        )
