"""Kernels on all cores."""

from __future__ import annotations

import pytest

from hotdice.solve.cores import THREADS, on_all_cores


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 1000])
def test_every_part_is_done_once_with_all_arguments(count: int) -> None:
    done: list[int] = []
    calls: list[tuple[int, str]] = []

    def kernel(lower: int, upper: int, *words: str) -> None:
        done.extend(range(lower, upper))
        calls.extend((upper - lower, word) for word in words)

    on_all_cores(kernel, count, "word")
    assert sorted(done) == list(range(count))
    assert len(calls) == max(1, min(count, THREADS))
    assert max(calls)[0] - min(calls)[0] <= 1


def test_what_goes_wrong_in_any_part_is_raised() -> None:
    def kernel(lower: int, upper: int) -> None:
        if upper == 1000:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        on_all_cores(kernel, 1000)
