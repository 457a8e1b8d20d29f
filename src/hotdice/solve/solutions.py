"""The disk cache of solutions, which are memory-mapped when loaded.

A file is a JSON header line followed by the arrays. It is written under a temporary name that
contains the process id and then renamed, so readers never see a partial file. Computing a solution
takes a file lock; a second process waits for the first and loads its result. The cache has a size
limit; the least recently used solutions are deleted first.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hotdice.core.errors import HotDiceError
from hotdice.core.game import Game, O, S
from hotdice.core.words import quoted

_NUMBERS = re.compile(r"[<>|=]?[biuf]\d{1,2}")
VERSION = 2
"""Incremented whenever a solver or rule change alters the contents of solutions."""

_CACHE = "HOTDICE_CACHE"
_SIZE_VARIABLE = "HOTDICE_CACHE_SIZE"
_MEGABYTE = 1_000_000
_MOST_MEGABYTES = 2000
_FOLDER = "tables"  # folder and file names of earlier versions, kept so that their files are found
_SUFFIX = ".table"
_LOCK = ".lock"
_PART = ".part"
_ALIGN = 64
_LONGEST_HEAD = 100_000
_ABANDONED = 3600
_USED_LATELY = 60

Progress = Callable[[float], None]
"""Called with the fraction done, from 0 to 1; may raise ``Cancelled`` to stop the computation."""

T = TypeVar("T")


class Cancelled(HotDiceError):
    """The computation was cancelled; its partial results are discarded."""


def no_progress(_done: float) -> None:
    """Ignore progress."""


def solutions_folder() -> Path:
    """The folder of solutions; the environment variable HOTDICE_CACHE overrides its parent."""
    if home := os.environ.get(_CACHE):
        return Path(home) / _FOLDER
    from platformdirs import user_cache_path  # noqa: PLC0415 - only where a solution is looked for

    return user_cache_path("hotdice") / _FOLDER


def cache_limit() -> int:
    """The size limit of the cache in bytes; HOTDICE_CACHE_SIZE sets it in megabytes."""
    text = os.environ.get(_SIZE_VARIABLE, "").strip()
    if not text:
        return _MOST_MEGABYTES * _MEGABYTE
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HotDiceError(
            f"{_SIZE_VARIABLE} must be a whole number of megabytes, not {quoted(text)}."
        )
    return int(text) * _MEGABYTE


@dataclass(frozen=True)
class SolutionFile:
    """A solution on disk.

    Attributes:
        path: its file.
        game: the slug of the game it belongs to.
        what: what was solved.
        options: the options it was solved for.
        size: its size in bytes.
        facts: the solution's plain numbers.
        current: whether this version of Hot Dice can load it.
    """

    path: Path
    game: str
    what: str
    options: str
    size: int
    facts: dict[str, float]
    current: bool


def solution_path(game: Game[S, O], what: str) -> Path:
    """The path of a game's solution under its options."""
    key = f"{VERSION}\n{game.slug}\n{what}\n{rules_text(game)}"
    digest = hashlib.sha256(key.encode()).hexdigest()[:20]
    return solutions_folder() / f"{game.slug}-{what}-{digest}{_SUFFIX}"


def rules_text(game: Game[S, O]) -> str:
    """The options that affect play; who starts does not."""
    return game.options.without_opening().text()


def load_solution(game: Game[S, O], what: str, kind: type[T]) -> T | None:
    """The cached solution, if there is a complete one."""
    return _load(solution_path(game, what), kind)


def obtain_solution(
    game: Game[S, O],
    what: str,
    kind: type[T],
    compute: Callable[[Progress], T],
    progress: Progress = no_progress,
) -> T:
    """Load a solution, or compute it and save it if possible."""
    path = solution_path(game, what)
    found = _load(path, kind)
    if found is not None:
        return found
    most = cache_limit()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError:
        return compute(progress)
    with _locked(path, progress):
        found = _load(path, kind)
        if found is not None:
            return found
        solution = compute(progress)
        with suppress(OSError):
            _save(path, solution, {"game": game.slug, "what": what, "options": rules_text(game)})
    with suppress(OSError):
        _evict(path, most)
    return _load(path, kind) or solution


@contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[None]:
    """Hold the solution's lock; while waiting for it, report 0 so that cancelling still works."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only where a solution is computed

    lock = FileLock(path.with_suffix(_LOCK))
    while True:
        try:
            lock.acquire(timeout=0.2)
        except Timeout:
            progress(0.0)
        except (OSError, NotImplementedError):
            yield  # a file system without locks: two processes may compute, and the last one wins
            return
        else:
            break
    try:
        yield
    finally:
        lock.release()


def _save(path: Path, solution: object, about: dict[str, str]) -> None:
    arrays: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    for field in fields(solution):  # type: ignore[arg-type] # solutions are dataclasses
        value = getattr(solution, field.name)
        (arrays if isinstance(value, np.ndarray) else facts)[field.name] = value
    shapes, size = {}, 0
    for name, array in arrays.items():
        shapes[name] = [array.dtype.str, list(array.shape), size]
        size += -(-array.nbytes // _ALIGN) * _ALIGN
    head = json.dumps({**about, "version": VERSION, "facts": facts, "arrays": shapes, "size": size})
    line = head.encode()
    line += b" " * (-(len(line) + 1) % _ALIGN) + b"\n"
    _clear_abandoned()
    prefix = f".{os.getpid()}-"
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=_PART)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(line)
            for array in arrays.values():
                data = np.ascontiguousarray(array)
                file.write(data.data)  # no copy: solutions are large
                file.write(b"\0" * (-data.nbytes % _ALIGN))
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _head(path: Path) -> tuple[dict[str, Any], int] | None:
    """A file's header and the offset of its arrays; ``None`` if the file is damaged."""
    try:
        with path.open("rb") as file:
            line = file.readline(_LONGEST_HEAD)
        head = json.loads(line)
        texts = [head[name] for name in ("game", "what", "options")]
        dicts = [head[name] for name in ("facts", "arrays")]
        whole = (
            all(isinstance(value, str) for value in texts)
            and all(isinstance(value, dict) for value in dicts)
            and path.stat().st_size == len(line) + head["size"]
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return (head, len(line)) if whole else None


def _load(path: Path, kind: type[T]) -> T | None:
    found = _head(path)
    if found is None or found[0].get("version") != VERSION:
        return None
    head, start = found
    try:
        with path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        _mark_used(path)
        arrays = {
            name: np.frombuffer(
                data, _dtype(dtype), count=int(np.prod(shape, dtype=np.int64)), offset=start + at
            ).reshape(shape)
            for name, (dtype, shape, at) in head["arrays"].items()
        }
        return kind(**arrays, **head["facts"])
    except (OSError, ValueError, TypeError):
        return None


def _dtype(text: str) -> np.dtype[np.generic]:
    """The type of numbers that a text names; NumPy would parse some texts as Python."""
    if not _NUMBERS.fullmatch(text):
        raise ValueError(f"{text!r} is not a type of numbers")
    return np.dtype(text)


def solution_files() -> list[SolutionFile]:
    """Every solution on disk."""
    _clear_abandoned()
    found = []
    for path in sorted(solutions_folder().glob(f"*{_SUFFIX}")):
        try:
            size = path.stat().st_size
        except OSError:
            continue
        if not path.is_file():
            continue
        read = _head(path)
        if read is None:
            found.append(
                SolutionFile(path, path.stem.partition("-")[0], "unreadable", "", size, {}, False)
            )
            continue
        head = read[0]
        facts = {k: v for k, v in head["facts"].items() if isinstance(v, int | float)}
        current = head.get("version") == VERSION
        texts = head["game"], head["what"], head["options"]
        found.append(SolutionFile(path, *texts, size, facts, current))
    return found


def clear_solutions(slug: str = "") -> list[SolutionFile]:
    """Delete the solutions of a game, or all of them, and return what was deleted.

    Also deletes what interrupted computations left behind.
    """
    gone = [file for file in solution_files() if not slug or file.game == slug]
    for file in gone:
        file.path.unlink(missing_ok=True)
    for path in solutions_folder().glob(f"{slug}*{_LOCK}"):
        _clear_lock(path)
    return gone


def clear_parts(pid: int) -> None:
    """Delete the unfinished files of a process that has ended."""
    for path in solutions_folder().glob(f".{pid}-*{_PART}"):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _clear_abandoned() -> None:
    """Delete the unfinished files of processes that have ended, and very old ones."""
    for path in solutions_folder().glob(f".*{_PART}"):
        writer = path.name[1:].partition("-")[0]
        with suppress(OSError):
            old = time.time() - path.stat().st_mtime > _ABANDONED
            if old or (writer.isdecimal() and not _is_running(int(writer))):
                path.unlink(missing_ok=True)


def _is_running(pid: int) -> bool:
    """Whether a process exists; assumed where it cannot be checked."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)  # signal 0 only checks
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _mark_used(path: Path) -> None:
    """Touch a solution for LRU eviction, at most once a minute."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _USED_LATELY:
            os.utime(path)


def _evict(made: Path, most: int) -> None:
    """Delete the least recently used solutions beyond the size limit, but never the new one."""
    found = []
    for path in solutions_folder().glob(f"*{_SUFFIX}"):
        with suppress(OSError):
            state = path.stat()
            found.append((state.st_mtime, state.st_size, path))
    whole = sum(size for _, size, _ in found)
    for _, size, path in sorted(found):
        if whole <= most:
            break
        if path == made:
            continue
        with suppress(OSError):
            path.unlink(missing_ok=True)
            whole -= size
        _clear_lock(path.with_suffix(_LOCK))


def _clear_lock(path: Path) -> None:
    """Delete a lock that nobody holds."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only where solutions are cleared

    if not path.exists():
        return
    lock = FileLock(path)
    with suppress(Timeout, OSError, NotImplementedError):
        lock.acquire(timeout=0)
        path.unlink(missing_ok=True)
        lock.release()
