"""``make bench`` fails if serving is too slow."""

from __future__ import annotations

import importlib

import pytest

serving = importlib.import_module("bench.serving")


@pytest.mark.parametrize(
    "ratio, late, wrong", [(0.3, 10.0, 0), (0.29, 10.0, 1), (0.3, 10.1, 1), (0.1, 50.0, 2)]
)
def test_a_server_that_is_too_slow_is_reported(ratio: float, late: float, wrong: int) -> None:
    assert len(serving.too_slow(ratio, late)) == wrong
