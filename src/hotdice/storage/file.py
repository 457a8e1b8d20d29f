"""The file of a SQLite database: whether what is open still lies there."""

from __future__ import annotations

from pathlib import Path
from shutil import disk_usage

from hotdice.storage.stored import StorageError

_GONE = (
    "The file of the database was deleted or replaced while Hot Dice was running; "
    "put it back, or start Hot Dice again."
)


_NO_ROOM = 256 * 1024


class DatabaseFile:
    """The files of a database, by their identity: their names can be given to others.

    SQLite goes on writing to a deleted file without an error, and all of it is gone at the end.
    """

    def __init__(self, path: str) -> None:
        self._paths = (Path(path), Path(f"{path}-wal"))
        self._known: dict[Path, tuple[int, int]] = {}

    def is_disk_full(self) -> bool:
        """Whether there is next to no room left; SQLite may still fit a little into its files."""
        try:
            return disk_usage(self._paths[0].parent).free < _NO_ROOM
        except OSError:
            return False

    def check(self) -> None:
        """Raise ``StorageError`` if the files are not those that were there at first."""
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
