"""Files on this machine: saved games and personal bests."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.core.record import Record, read_record

_HOME = "HOTDICE_HOME"
_LONGEST = 10_000_000


class BadFile(HotDiceError):
    """A file cannot be read or written."""


def data_folder() -> Path:
    """The folder for data of Hot Dice; the environment variable HOTDICE_HOME changes it."""
    if home := os.environ.get(_HOME):
        return Path(home)
    from platformdirs import user_data_path  # noqa: PLC0415 - only when a file is written

    return user_data_path("hotdice")


def write_atomically(path: Path, text: str) -> None:
    """Write a file atomically: after a crash it is complete or unchanged."""
    path = path.resolve()
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def save_record(path: Path, record: Record) -> None:
    """Save a game; raises ``BadFile``."""
    try:
        if path.exists() and not path.is_file():
            raise BadFile(f"The game cannot be saved to {path}: it is not a file.")
        write_atomically(path, record.text())
    except OSError as error:
        raise BadFile(f"The game cannot be saved to {path}: {error.strerror}.") from error


def load_record(path: Path) -> Record:
    """A saved game; raises ``BadFile``."""
    text = load_text(path)
    try:
        return read_record(text)
    except HotDiceError as error:
        raise BadFile(f"{path} cannot be used: {error}") from error


def load_text(path: Path) -> str:
    """The text of a saved game; raises ``BadFile``."""
    try:
        if path.exists() and not path.is_file():
            raise BadFile(f"{path} cannot be opened: it is not a file.")
        with path.open("rb") as file:
            data = file.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            raise BadFile(f"{path} is too long to be a record.")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not a record: it is not text.") from error
    except OSError as error:
        raise BadFile(f"{path} cannot be opened: {error.strerror}.") from error


class PersonalBests:
    """The best totals of solitaire games, by game, options and player (P8)."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "bests.json"

    def best(self, game: AnyGame, name: str) -> int | None:
        """The best total so far; ``None`` if there is none."""
        return self._read().get(_key(game, name))

    def note(self, game: AnyGame, name: str, score: int) -> bool:
        """Store a total if it is the best; returns whether it was."""
        bests = self._read()
        known = bests.get(_key(game, name))
        if known is not None and known >= score:
            return False
        bests[_key(game, name)] = score
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path, json.dumps(bests, indent=1, sort_keys=True) + "\n")
        return True

    def _read(self) -> dict[str, int]:
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise BadFile(
                f"The personal bests in {self._path} cannot be read; repair or remove the file."
            ) from error
        if not isinstance(found, dict) or not all(type(n) is int for n in found.values()):
            raise BadFile(f"The personal bests in {self._path} are damaged; remove the file.")
        return found


def _key(game: AnyGame, name: str) -> str:
    return f"{game.slug} | {game.options.text()} | {name}"
