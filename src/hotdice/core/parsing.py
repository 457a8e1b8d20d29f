"""Parsing what people type: dice, and choices in a loose form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hotdice.core.dice import Die, Faces
from hotdice.core.errors import AmbiguousText, HotDiceError, IllegalEvent, UnreadableText
from hotdice.core.events import Choice
from hotdice.core.words import quoted

if TYPE_CHECKING:
    from hotdice.core.game import Game

_SPLIT = re.compile(r"[\s,;+]+|(?<=\w)-(?=\w)")
_LONGEST = 400


def _words(text: str) -> list[str]:
    if len(text) > _LONGEST:
        raise UnreadableText("That is too long to be dice or a choice.")
    return [word for word in _SPLIT.split(_as_typed(text)) if word]


def _as_typed(text: str) -> str:
    """Text as keyboards have it: in lower case, with hyphens for minus signs."""
    return text.lower().replace("\u2212", "-")


def read_choice(text: str, thens: Sequence[str], codes: Mapping[str, int]) -> Choice:
    """Parse a choice from its exact text ``verb [dice] [then]``."""
    verb, *rest = text.split()
    then = rest.pop() if rest and rest[-1] in thens else ""
    if len(rest) > 1:
        raise UnreadableText(f"{quoted(text)} is not a choice; write it as verb, dice, what then.")
    dice: Faces = ()
    if rest:
        words = rest[0].split(",") if "," in rest[0] or rest[0] in codes else list(rest[0])
        if any(word not in codes for word in words):
            raise UnreadableText(f"{quoted(rest[0])} are not dice of this game.")
        dice = tuple(sorted(codes[word] for word in words))
    return Choice(verb, dice, then)


def read_faces(text: str, dice: Sequence[Die], title: str) -> Faces:
    """Parse typed dice, in the order given.

    A die's name goes before its faces (``black 25 10 green flat``); faces with a token of
    their own (``c``, ``r5``, ``black:25``) need none, nor does the only kind of die;
    one-character faces may be run together.
    """
    tokens = {face.token.lower(): face.code for die in dice for face in die.faces}
    names = {die.name.lower(): _labels(die) for die in dice}
    words = [word.replace("(", "").replace(")", "") for word in _words(text)]
    found = _match(words, names, tokens, _labels(dice[0]) if len(dice) == 1 else {})
    if found is None:
        known = {*names, *tokens, *(label for labels in names.values() for label in labels)}
        odd = next((word for word in words if not _codes_of(word, dict.fromkeys(known, 0))), text)
        short = all(1 in (len(face.token), len(face.label)) for die in dice for face in die.faces)
        if short and any(letter in known for letter in odd):  # one of the letters is not a face
            odd = next((letter for letter in odd if letter not in known), odd)
        raise UnreadableText(f"'{odd.strip()}' is not on the dice of {title}; {_faces_help(dice)}.")
    if not found:
        raise UnreadableText(f"There are no dice in '{text.strip()}'; {_faces_help(dice)}.")
    return tuple(found)


def _labels(die: Die) -> dict[str, int]:
    return {_as_typed(face.label): face.code for face in die.faces}


def _match(
    words: Sequence[str],
    names: Mapping[str, Mapping[str, int]],
    tokens: Mapping[str, int],
    labels: Mapping[str, int],
) -> list[int] | None:
    """The faces that the words mean; a word that is both a face and a name is tried as both.

    Matching is exponential without memoising failures.
    """
    failed: set[tuple[int, int]] = set()

    def read(at: int, labels: Mapping[str, int]) -> list[int] | None:
        if at == len(words):
            return []
        if (at, id(labels)) in failed:
            return None
        word = words[at]
        codes = _codes_of(word, labels) or _codes_of(word, tokens)
        found = read(at + 1, labels) if codes else None
        if found is not None:
            return codes + found
        following = words[at + 1] if at + 1 < len(words) else ""
        found = read(at + 1, names[word]) if _codes_of(following, names.get(word, {})) else None
        if found is None:
            failed.add((at, id(labels)))
        return found

    return read(0, labels)


def sort_roll(text: str, due: Sequence[Die], title: str) -> Faces:
    """Parse a typed roll of the dice that are due, by name or by position."""
    kinds = tuple(dict.fromkeys(due))
    try:
        faces = read_faces(text, kinds, title)
    except UnreadableText:
        faces = _by_position(text, due)
        if not faces:
            raise
    shown = Counter(die for code in faces for die in kinds if code in _labels(die).values())
    if shown != Counter(due):
        faces = _by_position(text, due) or faces
    return tuple(sorted(faces))


def _by_position(text: str, due: Sequence[Die]) -> Faces:
    """The faces if the text has exactly one label for each die that is due, in order."""
    words = _words(text)
    if len(words) == 1 and len(words[0]) == len(due):
        words = list(words[0])
    if len(words) != len(due):
        return ()
    codes = [_labels(die).get(word) for word, die in zip(words, due, strict=True)]
    return tuple(code for code in codes if code is not None) if None not in codes else ()


def _codes_of(word: str, known: Mapping[str, int]) -> list[int]:
    if word in known:
        return [known[word]]
    if word and all(letter in known for letter in word):
        return [known[letter] for letter in word]
    return []


def _faces_help(dice: Sequence[Die]) -> str:
    shown = "; ".join(
        (f"{die.name}: " if len(dice) > 1 else "")
        + " ".join(face.label if len(dice) > 1 else face.token for face in die.faces)
        for die in dice
    )
    return f"the faces are {shown}"


def pick_choice(game: Game[Any, Any], state: Any, text: str) -> Choice:
    """The one legal choice that fits the typed text.

    Words may be shortened (``b`` for ``bank``) and in any order; dice need not be sorted.
    Text that fits no legal choice is illegal if it can be parsed, else unreadable.
    """
    legal = game.choices(state)
    if not legal:
        raise IllegalEvent("There is nothing to choose now.", "K2")
    words = _words(text)
    if not words:
        raise UnreadableText("Nothing was entered; type a choice.")
    example = game.event_text(max(legal, key=lambda choice: len(choice.dice)))
    unreadable = UnreadableText(f"'{text.strip()}' is not a choice; try '{example}'.")
    said, dice = _sort_words(game, legal, words)
    if said is None:
        raise unreadable
    fitting = [choice for choice in legal if _fits(choice, said, dice)]
    fitting = [choice for choice in fitting if choice.dice == dice] or fitting
    if len(fitting) > 1:
        raise AmbiguousText(text.strip(), [game.event_text(choice) for choice in fitting])
    if not fitting:
        for blocked in game.blocked(state):
            if not dice and any(blocked.action.startswith(word) for word in said):
                raise IllegalEvent(blocked.reason, blocked.clause)
        game.chosen(state, _best_guess(game, legal, said, dice))
        raise unreadable
    return fitting[0]


def _sort_words(
    game: Game[Any, Any], legal: Sequence[Choice], words: list[str]
) -> tuple[list[str] | None, Faces]:
    """Split words into actions and dice; ``None`` if a word is neither."""
    actions = {*game.verbs, *game.thens} - {""}
    said: list[str] = []
    others: list[str] = []
    for word in words:
        if word in actions or (
            word not in game.codes and any(action.startswith(word) for action in actions)
        ):
            said.append(word)
        else:
            others.append(word)
    if not others:
        return said, ()
    try:
        exact = [game.codes[word] for word in others if word in game.codes]
        if len(exact) == len(others):
            return said, tuple(sorted(exact))
        return said, tuple(sorted(read_faces(" ".join(others), game.dice, game.title)))
    except HotDiceError:
        faces = {code for choice in legal for code in choice.dice}
        labels = {code: _as_typed(game.faces[code].label) for code in faces}
        often = Counter(labels.values())
        known = {label: code for code, label in labels.items() if often[label] == 1}
        if all(word in known for word in others):
            return said, tuple(sorted(known[word] for word in others))
        return None, ()


def _fits(choice: Choice, said: Sequence[str], dice: Faces) -> bool:
    own = [word for word in (choice.verb, choice.then) if word]
    return all(any(part.startswith(word) for part in own) for word in said) and (
        not dice or choice.dice == dice
    )


def _best_guess(
    game: Game[Any, Any], legal: Sequence[Choice], said: Sequence[str], dice: Faces
) -> Choice:
    """The illegal choice that was probably meant, so that the rules can say why not."""
    verb = next((v for v in game.verbs for word in said if v.startswith(word)), legal[0].verb)
    then = next((t for t in game.thens for word in said if t.startswith(word)), "")
    if not then and any(choice.verb == verb and choice.then for choice in legal):
        then = next(choice.then for choice in legal if choice.verb == verb)
    return Choice(verb, dice, then)
