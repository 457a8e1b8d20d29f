"""Verified dice as hashes: chains, seals, faces, and the verification of records."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotdice import game_names, game_type
from hotdice.core.errors import HotDiceError
from hotdice.core.record import read_record
from hotdice.table.commands import Rematch
from hotdice.table.log import Table
from hotdice.table.sitting import Seat
from hotdice.table.verification import verify
from hotdice.table.verified import (
    SERVER_LINKS,
    SKIPPED,
    Draw,
    Links,
    Untrue,
    hashed_back,
    read_given,
    server_links,
    sides_of,
)
from tests.table.devices import VERIFIED, Device, begun, played
from tests.table.playing import committed

SHORT = 47
"""The seed of a short game with rolls that miss links for either reason."""
VECTORS = Path(__file__).parents[2] / "docs/verified-dice.json"


def game(seed: int = 1, options: str = VERIFIED.options, slug: str = "farkle") -> Table:
    """A game with two devices that miss some rolls, the second game at its table."""
    rng = Random(seed)
    setup = replace(VERIFIED, game=slug, options=options, seats=(Seat("Ann"), Seat("Ben")))
    ann, ben = Device("ann", 0), Device("ben", 1)
    table = ben.announced(ann.announced(begun(setup)))
    table = played(table, [ann, ben], rng, skips=0.3)
    return committed(table, Rematch(0, table.seq).on(table, 4.0))


# Chains and faces -------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 200])
def test_every_link_is_the_hash_of_the_next(length: int) -> None:
    links = Links("secret", length)
    assert links.link(length) == sha256(b"secret").hexdigest()
    for at in range(length):
        assert links.link(at) == sha256(bytes.fromhex(links.link(at + 1))).hexdigest()
    assert hashed_back(links.link(length), length) == links.link(0)
    with pytest.raises(ValueError, match="-1"):
        links.link(-1)
    with pytest.raises(ValueError, match=str(length + 1)):
        links.link(length + 1)


def test_the_servers_chain_lasts_for_the_longest_log() -> None:
    assert SERVER_LINKS * 3 > 20_000
    assert server_links("a").link(0) != server_links("b").link(0)


@pytest.mark.parametrize("sides", [1, 2, 3, 6, 8, 20, 100])
def test_all_sides_are_equally_likely(sides: int) -> None:
    """The chi-square of 3,000 dice is below its 0.9999 quantile; the seeds are fixed."""
    rolled = Counter[int]()
    for number in range(300):
        rolled.update(sides_of(sha256(str(number).encode()).digest(), [sides] * 10))
    assert set(rolled) <= set(range(sides))
    expected = 3000 / sides
    square = sum((rolled[side] - expected) ** 2 / expected for side in range(sides))
    free = sides - 1
    assert square < free + 4 * (2 * free) ** 0.5 + 8


def test_words_that_would_favour_a_side_are_drawn_again() -> None:
    """With 3 * 2**30 sides, a quarter of all words has to be left out."""
    sides = 3 << 30
    found = sides_of(b"seed", [sides] * 50)
    assert max(found) < sides
    assert len(set(found)) == 50
    plain = sides_of(b"seed", [1 << 32] * 80)
    assert found == [word for word in plain if word < sides][:50]


def test_every_part_of_a_draw_changes_its_seed() -> None:
    draw = Draw("t" * 64, 1, 2, {1: "a" * 64, 2: "b" * 64}, "c" * 64)
    others = [
        draw._replace(table="u" * 64),
        draw._replace(game=2),
        draw._replace(roll=3),
        draw._replace(links={1: "a" * 64}),
        draw._replace(links={1: "a" * 64, 3: "b" * 64}),
        draw._replace(seal="d" * 64),
    ]
    assert len({one.seed("00" * 32) for one in [draw, *others]} | {draw.seed("11" * 32)}) == 8


@pytest.mark.parametrize(
    "text", ["", "0", "0=absent 0=absent", "1=absent 0=absent", "0=x", "-1=absent"]
)
def test_unreadable_links_are_refused(text: str) -> None:
    with pytest.raises(Untrue):
        read_given(text)


# Records ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", game_names())
def test_the_records_of_every_game_are_true(slug: str) -> None:
    """Also of games with dice of several kinds, and of games that are not over."""
    rng = Random(slug)
    seats = (Seat("Ann"), Seat("Ben"))[: game_type(slug).max_players]
    table = begun(replace(VERIFIED, game=slug, options="", seats=seats))
    devices = [Device(f"device {seat}", seat) for seat in range(len(seats))]
    for device in devices:
        table = device.announced(table)
    table = played(table, devices, rng, skips=0.2, most=120)
    record = table.record()
    assert read_record(record.text()).text() == record.text()
    verdict = verify(record.text())
    assert table.drawing
    assert verdict.rolls == table.sitting.rolls > 5
    assert verdict.skipped == table.drawing.without


def test_every_game_of_a_table_has_its_own_proof() -> None:
    table = game()
    assert table.number == 2
    first, second = table.record(1).text(), table.record().text()
    assert "\nbefore -\n" in first
    assert "\ngame 2\n" in second
    assert verify(first).rolls
    verify(second)
    assert verify(first).seals[0] not in verify(second).seals


def test_the_servers_secret_is_not_in_a_record() -> None:
    table = game()
    for record in (table.record(1), table.record()):
        assert VERIFIED.seed not in record.text()
        assert "seed" not in record.tags


def test_records_of_other_dice_have_no_proof() -> None:
    record = Table.of(replace(VERIFIED, dice="seeded")).record()
    assert "proof" not in record.text()
    with pytest.raises(Untrue, match="no proof"):
        verify(record.text())


def _variants(word: str) -> list[str]:
    """Other words of the same kind."""
    if re.fullmatch("[0-9a-f]{64}", word):
        return [
            word[:-1] + ("0" if word[-1] != "0" else "1"),
            ("0" if word[0] != "0" else "1") + word[1:],
        ]
    if word.isdigit():
        return [str(int(word) + 1), f"{word}1"]
    if word in SKIPPED:
        return [SKIPPED[word == SKIPPED[0]], f"{word}x", ""]
    return [word + "x", word.swapcase(), ""]


def changed_records(text: str) -> set[str]:
    """The record with every word changed, and every line left out, doubled or moved."""
    lines = text.splitlines()
    found = set()
    for at, line in enumerate(lines):
        words = re.split(r"([ ,;:|={}.]+)", line)
        for place, word in enumerate(words):
            for other in _variants(word) if word else ():
                changed = "".join([*words[:place], other, *words[place + 1 :]])
                found.add("\n".join([*lines[:at], changed, *lines[at + 1 :]]) + "\n")
        found.add("\n".join([*lines[:at], *lines[at + 1 :]]) + "\n")
        found.add("\n".join([*lines[:at], line, *lines[at:]]) + "\n")
        if at + 1 < len(lines):
            found.add("\n".join([*lines[:at], lines[at + 1], line, *lines[at + 2 :]]) + "\n")
    return found - {text}


def resealed(text: str) -> str:
    """The text with a last line that fits it, as somebody would write it who hides a change."""
    body = text[: text.rindex("seal ")]
    return f"{body}seal {sha256(body.encode()).hexdigest()}\n"


def test_every_single_change_of_a_record_is_noticed() -> None:
    text = game(SHORT).record(1).text()
    verify(text)
    changed = changed_records(text)
    assert len(changed) > 300
    for other in changed:
        with pytest.raises(HotDiceError):
            verify(other)


def test_changes_are_noticed_although_the_last_line_fits_them() -> None:
    """All but one: the dice do not depend on why a link of the last roll is missing."""
    text = game(SHORT).record(1).text()
    changed = {resealed(other) for other in changed_records(text) if "\nseal " in other} - {text}
    assert len(changed) > 300
    start = text.rindex("roll ")
    last = text[start:]
    assert last.count("=absent") == 1
    expected = resealed(text[:start] + last.replace("=absent", "=silent"))
    assert [other for other in sorted(changed) if is_true(other)] == [expected]


def is_true(text: str) -> bool:
    try:
        verify(text)
    except HotDiceError:
        return False
    return True


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter() -> None:
    text = game().record(1).text()
    assert verify("\ufeff" + text.replace("\n", "\r\n")) == verify(text)


@given(st.text(max_size=300))
def test_any_text_gets_a_verdict_or_a_sentence(text: str) -> None:
    with pytest.raises(HotDiceError) as caught:
        verify(text)
    assert str(caught.value)


@given(st.data())
def test_damaged_records_get_a_sentence(data: st.DataObject) -> None:
    text = RECORD
    at = data.draw(st.integers(0, len(text) - 1))
    length = data.draw(st.integers(0, 80))
    put = data.draw(st.text(max_size=40))
    other = text[:at] + put + text[at + length :]
    if other.replace("\r\n", "\n") == text:
        return
    with pytest.raises(HotDiceError):
        verify(other)
    if "seal " in other:
        try:
            verify(resealed(other))
        except HotDiceError as error:
            assert "\n" not in str(error)


RECORD = game(2).record(1).text()


def test_hostile_proofs_are_refused_quickly() -> None:
    chain = re.search(r"chain 2, seats 2, skipped 0: .*\n", RECORD)
    assert chain
    many = "".join(chain[0].replace("chain 2", f"chain {n}") for n in range(2, 1500))
    with pytest.raises(Untrue, match="too many chains"):
        verify(resealed(RECORD.replace(chain[0], many)))
    skipped = RECORD.replace("chain 1, seats 1, skipped 0", "chain 1, seats 1, skipped 999999")
    with pytest.raises(Untrue):
        verify(resealed(skipped))
    with pytest.raises(HotDiceError):
        verify(resealed(RECORD.replace("skipped 0", "skipped 99999999999999")))


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("chain 0, server, skipped 0", "chain 0, server, skipped 1", "not made"),
        ("chain 1, seats 1, skipped 0", "chain 1, seats 1, skipped 1", "not made"),
        ("dice: verified", "date: today\ndice: verified", "no record of verified dice"),
        ("dice: verified", "bots: - | Big Bot\ndice: verified", "no record of verified dice"),
        ("dice: verified", "bots: -\ndice: verified", "no record of verified dice"),
    ],
)
def test_lines_that_no_table_writes_are_not_true(old: str, new: str, why: str) -> None:
    assert old in RECORD
    with pytest.raises(Untrue, match=why):
        verify(resealed(RECORD.replace(old, new)))


# The published vectors --------------------------------------------------------------------------


def test_the_published_vectors_hold() -> None:
    vectors = json.loads(VECTORS.read_text("utf-8"))
    for one in vectors["chains"]:
        links = Links(one["secret"], one["length"])
        assert [links.link(at) for at in one["at"]] == one["links"]
    for one in vectors["draws"]:
        given_links = {int(number): link for number, link in one["links"].items()}
        draw = Draw(one["table"], one["game"], one["roll"], given_links, one["seal"])
        seed = draw.seed(one["server"])
        assert seed.hex() == one["seed"]
        assert sides_of(seed, one["counts"]) == one["sides"]
    for one in vectors["records"]:
        if one["true"]:
            verdict = verify(one["text"])
            assert list(verdict.seals) == one["seals"]
        else:
            with pytest.raises(HotDiceError):
                verify(one["text"])
