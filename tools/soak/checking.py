"""Final consistency checks: clients' updates, the database and the derived state must agree."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from hotdice.core.due import Over
from hotdice.core.errors import HotDiceError
from hotdice.core.record import read_record
from hotdice.core.view import View
from hotdice.storage import Stored
from hotdice.table.entries import Entry
from hotdice.table.log import Table
from hotdice.table.verification import verify
from tools.soak.house import House
from tools.soak.playing import Match, Player, Told
from tools.soak.report import Report

_VIEW = TypeAdapter(View)
_SAME_TIME = 1e-5
"""Tolerance in seconds, because databases may round times."""


async def check(house: House, matches: list[Match], report: Report) -> None:
    """Compare everything clients received with the database."""
    kept = await house.load([match.id for match in matches])
    for match in matches:
        report.told += sum(len(player.told) for player in match.players)
        stored = kept[match.id]
        numbers = [entry.seq for entry in stored.entries]
        if numbers != list(range(1, len(numbers) + 1)):
            report.other.append(f"{match.id}: the log has the numbers {numbers}")
            continue
        for player in match.players:
            _check_told(player, stored, report)
        table = Table.of(stored.setup, stored.entries)
        report.games += len(table.results) + isinstance(table.due, Over)
        if not match.stalls:
            for player in match.players:
                _check_end(player, table, report)
        _check_records(table, match, report)


def _check_told(player: Player, stored: Stored, report: Report) -> None:
    where = f"{player.match.game} {player.match.id}, {player.name}"
    for seq, told in player.told.items():
        if seq > len(stored.entries):
            report.lost.append(f"{where}: received {seq} {told}, which is not stored")
        elif not _same(told, stored.entries[seq - 1]):
            kept = stored.entries[seq - 1]
            report.lost.append(f"{where}: received {seq} {told}, but {kept} is stored")


def _same(told: Told, entry: Entry) -> bool:
    return (
        (told.kind, told.seat) == (entry.kind, entry.seat)
        and told.text in (None, entry.text)
        and abs(told.at - entry.at) < _SAME_TIME
    )


def _check_end(player: Player, table: Table, report: Report) -> None:
    where = f"{player.match.game} {player.match.id}, {player.name} at {player.server.name}"
    if player.seen != table.seq:
        report.other.append(f"{where}: ends at {player.seen}, the database at {table.seq}")
        return
    view: Any = _VIEW.dump_python(table.game.view(table.state), mode="json")
    if player.view != view:
        report.other.append(f"{where}: ends with a different view than the database")
    if player.status["game"] != table.number:
        report.other.append(f"{where}: ends in game {player.status['game']}, not {table.number}")


def _check_records(table: Table, match: Match, report: Report) -> None:
    for number in range(1, table.number + 1):
        text = table.record(number).text()
        try:
            read = read_record(text)
            if table.setup.dice == "verified":
                verify(text)
        except HotDiceError as error:
            report.other.append(f"{match.id}: the record of game {number} is bad: {error}")
            continue
        if read.state() != table.at_game(number).state:
            report.other.append(f"{match.id}: the record of game {number} replays differently")
