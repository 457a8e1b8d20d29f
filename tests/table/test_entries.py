"""Entries in the form they are stored."""

from __future__ import annotations

import pytest

from hotdice.core.errors import UnreadableText
from hotdice.table.entries import PLAYED, Entry, Kind


def test_stored_kinds_stay_what_they_are() -> None:
    """Logs of former versions are made of these words."""
    words = ("roll", "choose", "undo", "join", "sit", "late", "game", "say")
    assert tuple(Kind) == words
    assert {"roll", "choose"} == PLAYED


@pytest.mark.parametrize("kind", Kind)
def test_an_entry_is_read_as_it_was_written(kind: Kind) -> None:
    entry = Entry.read(3, str(kind), 1, "text", 2.5)
    assert entry == Entry(3, kind, 1, "text", 2.5)
    assert entry.kind is kind


def test_an_unknown_kind_is_told() -> None:
    with pytest.raises(UnreadableText, match="no entries of kind 'wave'"):
        Entry.read(3, "wave", 1, "", 2.5)
