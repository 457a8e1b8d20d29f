"""``hotdice verify``: true and untrue records, and files that are no records."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import Command
from tests.table.devices import Device, begun, played


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A game of which some rolls were made without a device of Ben's."""
    ann, ben = Device("ann", 0), Device("ben", 1)
    table = ben.announced(ann.announced(begun()))
    table = played(played(table, [ann], Random(1), most=6), [ann, ben], Random(1))
    path = tmp_path / "game.txt"
    path.write_text(table.record().text(), "utf-8")
    return path


def test_a_true_record_is_true(hotdice: Command, record: Path) -> None:
    ran = hotdice("verify", str(record))
    assert ran.code == 0
    said = " ".join(ran.out.split())
    assert said.startswith("True: all dice of ")
    assert "without Ben)" in said
    assert "Ann" not in said
    found = hotdice("verify", str(record), "--json").json()
    assert found["true"]
    assert set(found["without"]) == {"Ben"}


def test_a_changed_record_is_not_true(hotdice: Command, record: Path) -> None:
    text = record.read_text("utf-8")
    record.write_text(text.replace("{Ann}", "{Bob}", 1), "utf-8")
    ran = hotdice("verify", str(record))
    assert ran.code == 1
    assert ran.out.startswith("Not true: ")
    found = hotdice("verify", str(record), "--json")
    assert found.code == 1
    assert found.json()["true"] is False


NO_PROOF = b"hotdice record 1\ngame: farkle\nseats: Ann | Ben\ndice: seeded\nseed: x\n\n"
NO_RECORD = "Not true: This is not a record; its first line is not 'hotdice record 1'."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", NO_RECORD),
        (b"\0" * 100, NO_RECORD),
        (b"game: chess\n" * 1000, NO_RECORD),
        (b"hotdice record 1\n", "Not true: The record does not name its game."),
        (NO_PROOF, "Not true: The record has no proof: its dice were not verified dice."),
    ],
)
def test_what_is_no_record_is_not_true(
    hotdice: Command, tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    ran = hotdice("verify", str(path))
    assert (ran.code, " ".join(ran.out.split()), ran.err) == (1, sentence, "")
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (bytes(range(256)), "is not a record: it is not text."),
        ("hotdice record 1\n".encode("utf-16"), "is not a record: it is not text."),
        (b"hotdice record 1\n" + b"x" * 10_000_000, "is too long to be a record."),
        ("hotdice record 1\né".encode() + "é".encode() * 5_000_000, "is too long to be a record."),
    ],
    ids=["binary", "utf-16", "huge", "huge and cut off in a letter"],
)
def test_files_that_are_no_text_or_too_long_are_refused(
    hotdice: Command, tmp_path: Path, content: bytes, sentence: str
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    ran = hotdice("verify", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert " ".join(ran.err.split()) == f"hotdice: {path} {sentence}"


def test_files_that_are_missing_or_none_are_refused(hotdice: Command, tmp_path: Path) -> None:
    missing = tmp_path / "missing.txt"
    for path, why in ((missing, "No such file or directory."), (tmp_path, "it is not a file.")):
        ran = hotdice("verify", str(path))
        assert (ran.code, ran.out) == (2, "")
        assert " ".join(ran.err.split()) == f"hotdice: {path} cannot be opened: {why}"
        assert "cannot be opened" in hotdice("verify", str(path), "--json").json()["error"]


def test_line_ends_of_other_systems_do_not_matter(hotdice: Command, record: Path) -> None:
    said = hotdice("verify", str(record)).out
    record.write_bytes(b"\xef\xbb\xbf" + record.read_bytes().replace(b"\n", b"\r\n"))
    assert hotdice("verify", str(record)).out == said
