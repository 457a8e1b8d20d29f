from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hotdice.cli.main import run


class Ran(NamedTuple):
    """The exit code and output of a command."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Ran]


@pytest.fixture
def hotdice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """Run hotdice as a shell would, with a temporary home."""
    monkeypatch.setenv("HOTDICE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")

    def command(*words: str, typed: str = "") -> Ran:
        monkeypatch.setattr("sys.argv", ["hotdice", *words])
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            run()
        captured = capsys.readouterr()
        return Ran(int(ended.value.code or 0), captured.out, captured.err)

    return command
