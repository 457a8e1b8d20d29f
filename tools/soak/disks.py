"""A small disk to be filled: a tmpfs where mounting is allowed, else a limit on file sizes."""

from __future__ import annotations

import resource
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SIZE = 32 * 2**20
_BLOCK = 4096


class Disk(ABC):
    """Where a database lies that will have no room."""

    @abstractmethod
    def fill(self, pid: int) -> None:
        """Leave no room for what a process writes."""

    @abstractmethod
    def empty(self, pid: int) -> None:
        """Make room again."""


class Mounted(Disk):
    """A file system of its own."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    def fill(self, pid: int) -> None:
        """Write until there is no room."""
        block = bytes(_BLOCK)
        with self._filler.open("wb", buffering=0) as file:
            try:
                while file.write(block) == _BLOCK:
                    pass
            except OSError:
                return

    def empty(self, pid: int) -> None:
        """Take away what fills it."""
        self._filler.unlink(missing_ok=True)


class Limited(Disk):
    """No file of the process may grow; what it logs meanwhile is lost as well."""

    def fill(self, pid: int) -> None:
        """Let no file grow."""
        self._limit(pid, _BLOCK)

    def empty(self, pid: int) -> None:
        """Let files grow."""
        self._limit(pid, resource.RLIM_INFINITY)

    @staticmethod
    def _limit(pid: int, size: int) -> None:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    """A disk in a folder, gone at the end."""
    folder.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", str(folder)]
    if _done(mount):
        try:
            yield Mounted(folder)
        finally:
            _done(["umount", "--lazy", str(folder)])
    else:
        yield Limited()


def _done(words: list[str]) -> bool:
    try:
        return not subprocess.run(words, capture_output=True, check=False).returncode  # noqa: S603 - ours
    except OSError:
        return False
