"""The file of a SQLite database: whether it has been deleted or replaced."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import disk_usage

from hotdice.storage.stored import StorageError

_GONE = (
    "The database file was deleted or replaced while Hot Dice was running; "
    "put it back, or restart Hot Dice."
)
_MIN_FREE = 256 * 1024
"""Bytes."""


class DatabaseFile:
    """The files of a database, identified by device and inode.

    SQLite keeps writing to a deleted file without an error, and all of it is lost at the end.
    """

    def __init__(self, path: str) -> None:
        self._paths = (Path(path), Path(f"{path}-wal"))
        self._known: dict[Path, tuple[int, int]] = {}

    def is_disk_full(self) -> bool:
        """Whether the disk is almost full; SQLite may still fit a little into its files."""
        try:
            return disk_usage(self._paths[0].parent).free < _MIN_FREE
        except OSError:
            return False

    def is_writable(self) -> bool:
        """Whether the disk has room and the file may be written, as far as the system says."""
        return not self.is_disk_full() and os.access(self._paths[0], os.W_OK)

    def check(self) -> None:
        """Raise ``StorageError`` if a file was deleted or replaced since the first check."""
        for path in self._paths:
            try:
                found = path.stat()
            except OSError:
                if path in self._known:
                    raise StorageError(_GONE, _GONE) from None
            else:
                identity = found.st_dev, found.st_ino
                if self._known.setdefault(path, identity) != identity:
                    raise StorageError(_GONE, _GONE)
