"""The cache of solutions: computed once, kept whole or not at all, loaded by memory map.

A file is a line of JSON that says what follows, then the arrays one after the other. It is written
under a temporary name, which holds the writing process's id, and renamed when it is complete.
Whoever computes a solution holds a lock; a second process waits for the first and reads its result.
The cache has a size limit; the least recently used solutions are deleted first.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
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

VERSION = 2
"""Raised whenever a solver or a rule changes what a solution holds."""

_CACHE = "HOTDICE_CACHE"
_CACHE_SIZE = "HOTDICE_CACHE_SIZE"
_MEGABYTE = 1_000_000
_MOST_MEGABYTES = 2000
_FOLDER = "tables"  # as earlier versions named folder and files, so that they are still found
_SUFFIX = ".table"
_LOCK = ".lock"
_PART = ".part"
_ALIGN = 64
_LONGEST_HEAD = 100_000
_ABANDONED = 3600
_USED_LATELY = 60

Progress = Callable[[float], None]
"""Told the part that is done, from 0 to 1; raising ``Cancelled`` in it stops the work."""

T = TypeVar("T")


class Cancelled(HotDiceError):
    """Somebody stopped the computation; nothing is kept of it."""


def no_progress(_done: float) -> None:
    """Tell nobody."""


def solutions_folder() -> Path:
    """Where solutions are kept; the environment variable HOTDICE_CACHE moves it."""
    if home := os.environ.get(_CACHE):
        return Path(home) / _FOLDER
    from platformdirs import user_cache_path  # noqa: PLC0415 - only where a solution is looked for

    return user_cache_path("hotdice") / _FOLDER


def cache_limit() -> int:
    """The bytes that solutions may take; HOTDICE_CACHE_SIZE says how many megabytes."""
    text = os.environ.get(_CACHE_SIZE, "").strip()
    if not text:
        return _MOST_MEGABYTES * _MEGABYTE
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise HotDiceError(f"{_CACHE_SIZE} is a whole number of megabytes, not {quoted(text)}.")
    return int(text) * _MEGABYTE


@dataclass(frozen=True)
class SolutionFile:
    """A solution on disk.

    Attributes:
        path: its file.
        game: the slug of the game it belongs to.
        what: what was solved.
        options: the options it holds for.
        size: the bytes it takes.
        facts: the numbers that came with it.
        current: whether this version of Hot Dice reads it.
    """

    path: Path
    game: str
    what: str
    options: str
    size: int
    facts: dict[str, float]
    current: bool


def solution_path(game: Game[S, O], what: str) -> Path:
    """The file of a game's solution under its options."""
    key = f"{VERSION}\n{game.slug}\n{what}\n{rules_text(game)}"
    digest = hashlib.sha256(key.encode()).hexdigest()[:20]
    return solutions_folder() / f"{game.slug}-{what}-{digest}{_SUFFIX}"


def rules_text(game: Game[S, O]) -> str:
    """The options that matter once play has begun: who starts does not."""
    return game.options.without_opening().text()


def load_solution(game: Game[S, O], what: str, kind: type[T]) -> T | None:
    """The solution if it is there and whole."""
    return _load(solution_path(game, what), kind)


def obtain_solution(
    game: Game[S, O],
    what: str,
    kind: type[T],
    compute: Callable[[Progress], T],
    progress: Progress = no_progress,
) -> T:
    """The solution from disk, or computed and saved; where nothing can be saved, just computed."""
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
        _make_room(path, most)
    return _load(path, kind) or solution


@contextmanager
def _locked(path: Path, progress: Progress) -> Iterator[None]:
    """Hold the solution's lock; while another process holds it, keep reporting no progress."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - only where a solution is computed

    lock = FileLock(path.with_suffix(_LOCK))
    while True:
        try:
            lock.acquire(timeout=0.2)
        except Timeout:
            progress(0.0)
        except (OSError, NotImplementedError):
            yield  # a file system without locks: two may compute, and the last to finish is kept
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
    """A file's header, and where its arrays begin; nothing if it is not whole."""
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
                data, np.dtype(dtype), count=int(np.prod(shape, dtype=np.int64)), offset=start + at
            ).reshape(shape)
            for name, (dtype, shape, at) in head["arrays"].items()
        }
        return kind(**arrays, **head["facts"])
    except (OSError, ValueError, TypeError):
        return None


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
    """Delete the solutions of a game, or all of them; says which are gone.

    Leftovers of interrupted computations go too.
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
    """Whether there is such a process; assumed where it cannot be told."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)  # asks, and does nothing
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _mark_used(path: Path) -> None:
    """Note in the file's timestamp that a solution is used; at most once a minute."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > _USED_LATELY:
            os.utime(path)


def _make_room(made: Path, most: int) -> None:
    """Delete the least recently used solutions until the rest fits; never the one just made."""
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
