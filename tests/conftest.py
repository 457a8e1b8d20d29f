"""Fixtures and hooks for all tests."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from hotdice.server.hub import Hub
from tests.covering import advice, is_measured, untraced
from tests.databases import _migrated, _shared, database, empty_database, postgres, proxy, store

# Imported only here, or each module would start its own server.
__all__ = ["_migrated", "_shared", "database", "empty_database", "postgres", "proxy", "store"]

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("steady")


gc.set_threshold(100_000, 20, 50)
"""Brute force makes millions of tuples; looking for cycles among them takes a tenth of the time."""

_FIRST = ("web", "server", "soak", "storage", "cli/test_serving")
_LAST = (
    "analysis",
    "bots",
    "cli/test_analysing",
    "cli/test_solving",
    "server/test_analysing",
    "server/test_learning",
    "server/test_mistakes",
    "server/test_ratings",
    "server/test_reports",
    "server/test_thinking",
    "solve",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests that mostly wait first, and solve last.

    By then ``make test`` has compiled the kernels, once for all workers. Workers get their tests
    one by one, so that none is left with all that take long.
    """

    def rank(item: pytest.Item) -> int:
        place = item.path.relative_to(Path(__file__).parent).as_posix()
        if place.startswith(_LAST) or "thinking" in getattr(item, "fixturenames", ()):
            return len(_FIRST) + 1
        for at, name in enumerate(_FIRST):
            if place.startswith(name):
                return at
        return len(_FIRST)

    items.sort(key=rank)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Do not trace tests left out of coverage; without coverage, leave debuggers alone."""
    if is_measured(item.nodeid) or not item.config.pluginmanager.has_plugin("_cov"):
        yield
        return
    with untraced():
        yield


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say when to raise the coverage floor, after pytest-cov's own report."""
    measuring = terminalreporter.config.pluginmanager.get_plugin("_cov")
    if measuring is None or measuring.cov_total is None:
        return
    if said := advice(measuring.cov_total, measuring.options.cov_fail_under):
        terminalreporter.line(said, yellow=True)


@pytest.fixture(scope="session", autouse=True)
def _shared_cache(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[None]:
    """Cache solutions in a folder of this run, shared by all its workers."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOTDICE_CACHE", str(shared / "cache"))
        yield


@pytest.fixture(autouse=True)
def _fixed_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables served by this process roll the same dice in every run; the first roll scores."""
    monkeypatch.setitem(Hub.__init__.__kwdefaults__ or {}, "seeds", lambda _setup: "a table")


PATIENT = (
    "hotdice.server.thinking._LEAST_PATIENCE",
    "hotdice.storage.store._CHECK_TIMEOUT",
    "hotdice.storage.store.READ_TIMEOUT",
    "hotdice.storage.writing._TIMEOUT",
)
"""Limits of workers, whose CPU time is limited, and databases: a busy machine would exceed them."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything has as long as it needs, unless a test says otherwise."""
    for limit in PATIENT:
        monkeypatch.setattr(limit, 1e6)


@pytest.fixture(autouse=True)
def _untuned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server does not tune the interpreter for itself, since all tests of a worker share it."""
    monkeypatch.setattr("hotdice.server.app._tune_interpreter", lambda: None)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Install the toy game as a third party's package would be: by its entry point."""
    info = tmp_path / "site" / "hotdice_pig-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hotdice-pig\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hotdice.games]\npig = tests.toy:Pig\n")
    monkeypatch.syspath_prepend(str(info.parent))
    return "pig"


@pytest.fixture
def painted_toy(toy: str, tmp_path: Path) -> str:
    """The toy game with a look, installed beside the one without."""
    entries = tmp_path / "site" / "hotdice_pig-1.0.dist-info" / "entry_points.txt"
    with entries.open("a") as file:
        file.write("painted_pig = tests.toy.painted:PaintedPig\n")
    return "painted_pig"


@pytest.fixture
def solved_toy(toy: str, tmp_path: Path) -> str:
    """The toy game with its own solver, as its package would install it."""
    entries = tmp_path / "site" / "hotdice_pig-1.0.dist-info" / "entry_points.txt"
    with entries.open("a") as file:
        file.write("[hotdice.solvers]\npig = tests.toy.solver:PigSolver\n")
    return toy
