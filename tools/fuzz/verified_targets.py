"""The fuzz targets for verified dice: what devices send, what logs store, and what proves dice."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

from hotdice.core.due import Over
from hotdice.core.record import read_record
from hotdice.core.registry import game_names
from hotdice.server.sockets import read_chain, read_link
from hotdice.table.commands import auto_roll
from hotdice.table.dice_commands import Announce, DrawDice
from hotdice.table.drawing import Chain
from hotdice.table.entries import Entry, Kind
from hotdice.table.log import Table
from hotdice.table.verification import verify
from tools.fuzz.values import same, split, text_of
from tools.verifiers.changing import resealed
from tools.verifiers.making import Evening

_MOST = 60
_KINDS = ("chain", "ask", "link", "draw")


@cache
def tables() -> dict[str, list[tuple[Table, Entry]]]:
    """Tables at which an entry of each kind is next, with that entry."""
    found: dict[str, list[tuple[Table, Entry]]] = {kind: [] for kind in _KINDS}
    for slug in game_names():
        evening = Evening(Random(slug), slug)
        evening.record(_MOST)
        table = Table.of(evening.table.setup)
        for entry in evening.table.entries:
            if entry.kind in found:
                found[entry.kind].append((table, entry))
            table = table.add(entry)
    return found


@cache
def records() -> tuple[str, ...]:
    """Records of games with verified dice."""
    return tuple(Evening(Random(slug), slug).record(_MOST) for slug in game_names())


def read_entry(kind: str) -> Callable[[bytes], None]:
    """A target: the number of a table, then the text of an entry of this kind that is added."""

    def read(data: bytes) -> None:
        number, text = split(data, 1)
        places = tables()[kind]
        table, next_entry = places[int(number[:4]) % len(places) if number.isdecimal() else 0]
        if kind == Kind.CHAIN:
            chain, ended = Chain.read(text)
            same(" ".join([chain.text(), *map(str, ended)]), text)
        after = table.add(next_entry._replace(text=text))
        same(after, Table.of(table.setup, after.entries))
        _go_on(after)

    return read


def _go_on(table: Table) -> None:
    """Play on after an entry that was accepted, and verify the record."""
    if table.drawing is not None and table.drawing.ask is not None:
        table = DrawDice(table.drawing.ask.number).on(table, 0.0).table
    elif not isinstance(table.due, Over) and table.drawing is not None:
        table = auto_roll(table, 0.0).table
    read_record(table.record().text())


def read_announced(data: bytes) -> None:
    """What a device sends to announce its chain, at the first table that takes one."""
    tip, ended = read_chain(text_of(data))
    same((tip, ended), read_chain(tip if ended is None else f"{tip} {ended}"))
    table, _ = tables()["ask"][0]
    after = Announce((0,), tip, ended).on(table, 0.0).table
    same(after, Table.of(table.setup, after.entries))


def read_given_link(data: bytes) -> None:
    """The number of a table, then what a device sends to give its link for a roll there."""
    number, text = split(data, 1)
    places = tables()["link"]
    table, next_entry = places[int(number[:4]) % len(places) if number.isdecimal() else 0]
    command = read_link(next_entry.seat, text)
    same(command, read_link(next_entry.seat, f"{command.number} {command.chain} {command.link}"))
    after = command.on(table, 0.0).table
    same(after, Table.of(table.setup, after.entries))
    _go_on(after)


def read_proof(data: bytes) -> None:
    """A record with a proof, as it is or with a last line that fits it."""
    text = data.decode(errors="replace")
    if text.startswith("reseal\n"):
        text = resealed(text.removeprefix("reseal\n"))
    verdict = verify(text)
    same(verdict, verify(read_record(text).text()))


VERIFIED_TARGETS: dict[str, Callable[[bytes], None]] = {
    "chains": read_entry("chain"),
    "asks": read_entry("ask"),
    "links": read_entry("link"),
    "draws": read_entry("draw"),
    "announced": read_announced,
    "given": read_given_link,
    "proofs": read_proof,
}
