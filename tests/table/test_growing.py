"""Versions of one list that share their storage."""

from __future__ import annotations

import pytest

from hotdice.table.growing import Growing


def test_versions_do_not_see_each_other() -> None:
    start = Growing.of("ab")
    one, other = start.grown("c"), start.grown("d")
    assert (list(start), list(one), list(other)) == (["a", "b"], ["a", "b", "c"], ["a", "b", "d"])
    assert one.grown("e")[:] == ["a", "b", "c", "e"]
    assert other.cut(1).grown("f")[:] == ["a", "f"]
    assert other[:] == ["a", "b", "d"]
    assert other.cut(9) == other


def test_a_version_is_a_sequence_of_its_own_length() -> None:
    start = Growing.of(range(5))
    start.grown(5).grown(6)
    assert (len(start), start[-1], start[2:], start[::2]) == (5, 4, [2, 3, 4], [0, 2, 4])
    for at in (5, -6):
        with pytest.raises(IndexError):
            start[at]
    assert start == Growing.of(range(5))
    assert start != Growing.of(range(4))
    assert start != [0, 1, 2, 3, 4]
