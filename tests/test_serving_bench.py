"""``make bench`` fails if serving is too slow, and ``make load`` under much load."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

serving = importlib.import_module("bench.serving")


@pytest.mark.parametrize(
    "ratio, late, wrong", [(0.3, 10.0, 0), (0.29, 10.0, 1), (0.3, 10.1, 1), (0.1, 50.0, 2)]
)
def test_a_server_that_is_too_slow_is_reported(ratio: float, late: float, wrong: int) -> None:
    assert len(serving.too_slow(ratio, late)) == wrong


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """``bench/load.py``, which runs in its own folder."""
    monkeypatch.syspath_prepend(str(Path(serving.__file__ or "").parent))
    monkeypatch.setitem(sys.modules, "serving", serving)
    return importlib.import_module("bench.load")


GOOD: tuple[float, float, float, list[str]] = (0.3, 10.0, 90.0, [])


@pytest.mark.parametrize(
    "changed, wrong",
    [
        ({}, []),
        ({"ratio": 0.14}, ["acts are 0.140 x the echo; they have to be 0.15 x."]),
        ({"late": 25.1}, ["p99 is 25.1 x the echo's; it may be 25 x."]),
        ({"kilobytes": 151.0}, ["a connection takes 151 kB of memory; it may take 150 kB."]),
        ({"trouble": ["A disk is full."]}, ["the servers reported trouble: A disk is full."]),
    ],
)
def test_a_load_that_is_too_much_is_reported(
    load: ModuleType, changed: dict[str, object], wrong: list[str]
) -> None:
    found = load.Measured(*GOOD)._replace(**changed)
    assert load.failures("SQLite", found, load.SQLITE) == [f"SQLite: {what}" for what in wrong]


def test_postgres_is_given_more_than_it_can_take(load: ModuleType) -> None:
    found = load.Measured(0.05, 1000.0, 90.0, [])
    assert load.failures("PostgreSQL", found, load.POSTGRES) == []
    slower = found._replace(ratio=0.02)
    assert len(load.failures("PostgreSQL", slower, load.POSTGRES)) == 1


def test_failed_connections_and_logged_errors_are_reported(
    load: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["info started", "error the database failed: The disk is full."]

    @contextmanager
    def server(_count: int, folder: Path) -> Iterator[tuple[list[str], list[object]]]:
        said = [dict(zip(("level", "message"), line.split(" ", 1), strict=True)) for line in lines]
        (folder / "0.log").write_text("\n".join(map(json.dumps, said)), "utf-8")
        yield [], []

    async def refused(*_given: object) -> None:
        raise ConnectionRefusedError("no server")

    monkeypatch.setattr(load, "ours", server)
    monkeypatch.setattr(load, "compare", refused)
    assert load.judged("SQLite", "", 1, 1, load.SQLITE) == [
        "SQLite: it failed: no server",
        "SQLite, server 0 wrote 1 x: error the database failed: The disk is full. ",
    ]
    lines[:] = [
        "warning open tables could not be compared with the database: The database is slow."
    ]
    assert len(load.judged("SQLite", "", 1, 1, load.SQLITE)) == 1 + 1
    assert load.judged("PostgreSQL", "", 1, 1, load.POSTGRES) == [
        "PostgreSQL: it failed: no server"
    ]
