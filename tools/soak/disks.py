"""Simulates a full disk: with a small tmpfs if mounting is allowed, else with a file size limit."""

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
    """A disk that can be made full for a process."""

    @abstractmethod
    def fill(self, pid: int) -> None:
        """Make the disk full."""

    @abstractmethod
    def empty(self, pid: int) -> None:
        """Free the space again."""


class Mounted(Disk):
    """A separate file system."""

    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    def fill(self, pid: int) -> None:
        """Write a file until the disk is full."""
        block = bytes(_BLOCK)
        with self._filler.open("wb", buffering=0) as file:
            try:
                while file.write(block) == _BLOCK:
                    pass
            except OSError:
                return

    def empty(self, pid: int) -> None:
        """Delete that file."""
        self._filler.unlink(missing_ok=True)


class Limited(Disk):
    """A file size limit of the process, which also affects its log."""

    def fill(self, pid: int) -> None:
        """Set the limit."""
        self._limit(pid, _BLOCK)

    def empty(self, pid: int) -> None:
        """Remove the limit."""
        self._limit(pid, resource.RLIM_INFINITY)

    @staticmethod
    def _limit(pid: int, size: int) -> None:
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


@contextmanager
def small_disk(folder: Path) -> Iterator[Disk]:
    """A disk mounted at a folder, unmounted afterwards."""
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
