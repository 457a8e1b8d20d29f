"""Solution files: complete or absent, and computed only once."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotdice import load_game
from hotdice.core.errors import HotDiceError
from hotdice.solve import solutions
from hotdice.solve.solutions import Cancelled, Progress


@dataclass(frozen=True)
class Sums:
    numbers: Any
    table: Any
    seconds: float
    states: int


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path / "cache"))


def compute(progress: Progress) -> Sums:
    progress(0.5)
    return Sums(np.arange(5), np.linspace(0, 1, 6).reshape(2, 3), 1.5, 7)


def never(_progress: Progress) -> Sums:
    raise AssertionError("it is cached already")


GAME = load_game("farkle")


def test_a_solution_is_computed_once_and_then_memory_mapped() -> None:
    told: list[float] = []
    assert solutions.load_solution(GAME, "win", Sums) is None
    made = solutions.obtain_solution(GAME, "win", Sums, compute, told.append)
    again = solutions.obtain_solution(GAME, "win", Sums, never)
    for table in (made, again):
        assert table.numbers.tolist() == [0, 1, 2, 3, 4]
        assert table.table.tolist() == np.linspace(0, 1, 6).reshape(2, 3).tolist()
        assert (table.seconds, table.states) == (1.5, 7)
        assert not table.table.flags.writeable
    assert told == [0.5]


@pytest.mark.parametrize(
    "other", [("rogue", ""), ("farkle", "target=500"), ("farkle", "carry_over=off")]
)
def test_games_and_options_have_their_own_solutions(other: tuple[str, str]) -> None:
    solutions.obtain_solution(GAME, "win", Sums, compute)
    assert solutions.load_solution(load_game(*other), "win", Sums) is None
    assert solutions.load_solution(GAME, "points", Sums) is None


def test_the_option_for_who_starts_makes_no_difference() -> None:
    solutions.obtain_solution(GAME, "win", Sums, compute)
    assert solutions.load_solution(load_game("farkle", "starts=random"), "win", Sums) is not None


def test_a_solution_of_another_version_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    solutions.obtain_solution(GAME, "win", Sums, compute)
    [old] = solutions.solution_files()
    monkeypatch.setattr(solutions, "VERSION", solutions.VERSION + 1)
    assert solutions.load_solution(GAME, "win", Sums) is None
    old.path.rename(solutions.solution_path(GAME, "win"))
    assert solutions.load_solution(GAME, "win", Sums) is None
    assert [file.current for file in solutions.solution_files()] == [False]


@pytest.mark.parametrize("cut", [0, 1, 40, 200, -1, -64])
def test_a_truncated_file_is_recomputed(cut: int) -> None:
    solutions.obtain_solution(GAME, "win", Sums, compute)
    [file] = solutions.solution_files()
    file.path.write_bytes(file.path.read_bytes()[:cut])
    assert solutions.load_solution(GAME, "win", Sums) is None
    assert solutions.obtain_solution(GAME, "win", Sums, compute).states == 7
    assert solutions.load_solution(GAME, "win", Sums) is not None


JUNK = '{"game": "farkle", "what": "win", "options": "", "facts": {}, "arrays": {"a": 1}, "size": 0'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense\n",
        "[]\n",
        "{}\n",
        '{"size": 0}\n',
        '{"size": 0, "facts": [1, 2]}\n',
        '{"size": 0, "version": 2}\n',
        JUNK + "}\n",
        JUNK + ', "version": 2}\n',
    ],
)
def test_damaged_files_are_ignored_and_cleared(text: str) -> None:
    solutions.obtain_solution(GAME, "win", Sums, compute)
    [file] = solutions.solution_files()
    file.path.write_text(text)
    assert solutions.load_solution(GAME, "win", Sums) is None
    (file.path.parent / "folder.table").mkdir()
    assert len(solutions.solution_files()) == 1
    assert len(solutions.clear_solutions()) == 1
    assert solutions.solution_files() == []


def test_a_cancelled_computation_leaves_no_file() -> None:
    def stop(_done: float) -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        solutions.obtain_solution(GAME, "win", Sums, compute, stop)
    assert solutions.solution_files() == []
    assert solutions.obtain_solution(GAME, "win", Sums, compute).states == 7


def test_without_a_cache_folder_solutions_are_still_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOTDICE_CACHE", str(tmp_path / "file"))
    assert solutions.obtain_solution(GAME, "win", Sums, compute).states == 7
    assert solutions.solution_files() == []


def test_solutions_are_cleared_by_game_or_altogether() -> None:
    solutions.obtain_solution(GAME, "win", Sums, compute)
    solutions.obtain_solution(load_game("rogue"), "win", Sums, compute)
    assert [file.game for file in solutions.solution_files()] == ["farkle", "rogue"]
    assert [file.game for file in solutions.clear_solutions("rogue")] == ["rogue"]
    assert [file.game for file in solutions.clear_solutions()] == ["farkle"]
    assert solutions.solution_files() == []


def _slowly(log: str) -> None:
    def work(_progress: Progress) -> Sums:
        with Path(log).open("a") as file:
            file.write("computed\n")
        time.sleep(1.0)
        return compute(solutions.no_progress)

    found = solutions.obtain_solution(GAME, "win", Sums, work)
    assert found.states == 7


def test_concurrent_processes_compute_a_solution_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_slowly, args=(str(log),)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert log.read_text() == "computed\n"


def _ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def _part(writer: int | str, name: str) -> Path:
    path = solutions.solutions_folder() / f".{writer}-{name}.part"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    return path


def test_partial_files_of_dead_processes_are_deleted() -> None:
    ended = _ended_process()
    own, theirs = _part(os.getpid(), "a"), _part(ended, "b")
    solutions.solution_files()
    assert (own.exists(), theirs.exists()) == (True, False)
    theirs, old = _part(ended, "c"), _part(os.getpid(), "d")
    os.utime(old, (0, 0))
    solutions.obtain_solution(GAME, "win", Sums, compute)
    assert (own.exists(), theirs.exists(), old.exists()) == (True, False, False)


def test_partial_files_of_a_given_process_are_deleted() -> None:
    own, theirs = _part(os.getpid(), "a"), _part(12, "b")
    solutions.clear_parts(12)
    assert (own.exists(), theirs.exists()) == (True, False)


def test_the_least_recently_used_solutions_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    def big(_progress: Progress) -> Sums:
        return Sums(np.zeros(100_000), np.zeros(1), 1.0, 1)

    monkeypatch.setenv("HOTDICE_CACHE_SIZE", "2")
    games = [load_game("farkle", f"target={target}") for target in (500, 600, 700)]
    for age, game in zip((300, 200, 100), games, strict=True):
        solutions.obtain_solution(game, "win", Sums, big)  # 0.8 MB each: two fit
        path = solutions.solution_path(game, "win")
        os.utime(path, (time.time() - age,) * 2)
    there = [solutions.solution_path(game, "win").exists() for game in games]
    assert there == [False, True, True]
    assert solutions.load_solution(games[1], "win", Sums) is not None  # which counts as use
    solutions.obtain_solution(games[0], "win", Sums, big)
    there = [solutions.solution_path(game, "win").exists() for game in games]
    assert there == [True, True, False]
    locks = [solutions.solution_path(game, "win").with_suffix(".lock").exists() for game in games]
    assert not locks[2]


def test_the_newest_solution_is_kept_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTDICE_CACHE_SIZE", "0")
    solutions.obtain_solution(GAME, "win", Sums, compute)
    solutions.obtain_solution(GAME, "points", Sums, compute)
    assert [file.what for file in solutions.solution_files()] == ["points"]


@pytest.mark.parametrize("text", ["much", "-1", "1.5", "9" * 10])
def test_a_bad_cache_size_is_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOTDICE_CACHE_SIZE", text)
    with pytest.raises(HotDiceError, match="HOTDICE_CACHE_SIZE must be a whole number"):
        solutions.obtain_solution(GAME, "win", Sums, never)
