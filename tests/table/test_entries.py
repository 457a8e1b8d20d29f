"""Entries in the form they are stored."""

from __future__ import annotations

import pytest

from hotdice.core.errors import UnreadableText
from hotdice.table.entries import PLAYED, Entry, Kind


def test_stored_kinds_do_not_change() -> None:
    """Logs of older versions contain these words."""
    words = ("roll", "choose", "undo", "join", "sit", "late", "game", "say")
    assert tuple(Kind) == (*words, "chain", "ask", "link", "draw")
    assert {"roll", "choose"} == PLAYED


@pytest.mark.parametrize("kind", Kind)
def test_entries_of_every_kind_are_read(kind: Kind) -> None:
    entry = Entry.read(3, str(kind), 1, "text", 2.5)
    assert entry == Entry(3, kind, 1, "text", 2.5)
    assert entry.kind is kind


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(UnreadableText, match="no entries of kind 'wave'"):
        Entry.read(3, "wave", 1, "", 2.5)
