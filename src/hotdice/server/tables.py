"""Tables over HTTP: reading requests, and showing, listing and counting tables."""

from __future__ import annotations

from collections.abc import Mapping

import orjson

from hotdice.core.due import Over
from hotdice.core.errors import HotDiceError, UnknownGame
from hotdice.core.options import Options
from hotdice.core.registry import game_names, game_type
from hotdice.server.career_messages import CareerShown, Statistics
from hotdice.server.dice_messages import ChainShown
from hotdice.server.hub import Hub, Opened
from hotdice.server.live import Live, Visitor
from hotdice.server.messages import (
    ListedTable,
    LogLine,
    Message,
    News,
    OptionsRead,
    SeatOpened,
    Status,
    TableOpened,
    Tables,
    TableShown,
    TableWanted,
)
from hotdice.server.showing import due_word, show_news, show_result, show_status, show_view
from hotdice.storage.stored import Career
from hotdice.table.log import PATIENCE, Next, Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat

_PAGE = 20


def show_table(live: Live, visitor: Visitor, seen: int, trouble: str = "") -> TableShown:
    """A table with the part of its log that a visitor has not seen."""
    table = live.table
    return TableShown.model_construct(
        type="table",
        id=live.id,
        game=table.game.slug,
        title=table.game.title,
        options=table.game.options.values(),
        changed=table.setup.options,
        rules=table.game.options.in_force(),
        dice=table.setup.dice,
        coach=table.setup.coach,
        clock=table.setup.clock,
        series=table.setup.series,
        challenge=table.setup.challenge,
        patience=PATIENCE,
        now=live.clock.now(),
        yours=sorted(live.seats_of(visitor)),
        host=visitor.has(live.host),
        trouble=live.trouble(trouble),
        away=sorted(live.away),
        chains=_chains(table),
        status=Status.model_validate(show_status(table)),
        view=show_view(table),
        log=[
            LogLine.model_construct(
                seq=entry.seq, kind=entry.kind, seat=entry.seat, at=entry.at, told=told
            )
            for entry, told in zip(table.entries[seen:], live.told[seen:], strict=True)
        ],
    )


def table_json(live: Live, visitor: Visitor, seen: int, trouble: str = "") -> str:
    """The same as JSON: with a model for each line, a long log would block the server for long."""
    fields = dict(show_table(live, visitor, live.table.seq, trouble))
    fields["log"] = [
        {"seq": seq, "kind": kind, "seat": seat, "at": at, "told": told}
        for (seq, kind, seat, _, at), told in zip(
            live.table.entries[seen:], live.told[seen:], strict=True
        )
    ]
    return orjson.dumps(fields, default=Message.model_dump).decode()


def _chains(table: Table) -> list[ChainShown]:
    drawing = table.drawing
    return [
        ChainShown(number=one.number, seats=one.seats, base=one.base, tip=one.tip)
        for one in (drawing.chains.values() if drawing else ())
    ]


def read_wanted(wanted: TableWanted) -> Setup:
    """The set-up that a request asks for; raises ``HotDiceError`` if it is not valid."""
    kind = game_type(wanted.game)
    is_open = any(seat.open for seat in wanted.seats)
    return Setup(
        game=kind.slug,
        options=kind.options_type.read_values(wanted.options).text(),
        seats=tuple(Seat(seat.name, seat.bot) for seat in wanted.seats),
        dice=wanted.dice or ("verified" if is_open else "seeded"),
        coach=wanted.coach,
        clock=wanted.clock,
        first=wanted.first,
        open=tuple(number for number, seat in enumerate(wanted.seats) if seat.open),
        series=wanted.series,
    )


def read_options(kind: type[Options], texts: Mapping[str, str]) -> OptionsRead:
    """The values of all options, or what is wrong with them."""
    try:
        read = kind.read_values(texts)
    except HotDiceError as error:
        known = {option.name for option in kind.describe()}
        if len(texts) > len(known):  # checking each of so many costs too much
            return OptionsRead(options={}, text="", problem=str(error))
        alone = {name: _problem(kind, {name: text}) for name, text in texts.items()}
        wrong = {name: problem for name, problem in alone.items() if problem}
        return OptionsRead(options={}, text="", problem=str(error), wrong=wrong)
    return OptionsRead(options=read.values(), text=read.text(), problem="")


def _problem(kind: type[Options], texts: Mapping[str, str]) -> str:
    try:
        kind.read_values(texts)
    except HotDiceError as error:
        return str(error)
    return ""


async def show_opened(hub: Hub, opened: Opened) -> TableOpened:
    """A new table and its secrets, and how it has become what it is."""
    live = await hub.open(opened.id)
    table = live.table
    visitor = Visitor([opened.host, *opened.seats.values()])
    entries = list(table.entries)
    news = show_news(Next(entries, table))[1] if entries else None
    return TableOpened(
        id=opened.id,
        host=opened.host,
        seats=[SeatOpened(seat=seat, secret=secret) for seat, secret in opened.seats.items()],
        table=show_table(live, visitor, 0, hub.trouble),
        before=show_view(Table.of(table.setup)),
        entries=News.model_validate_json(news).entries if news else [],
    )


async def list_tables(hub: Hub, visitor: Visitor, before: float) -> Tables:
    """One page of the tables of a player."""
    if not visitor.owner:
        return Tables(tables=[], more=None)
    found = await hub.store.tables_of(visitor.owner, before, _PAGE + 1)
    listed = []
    for one in found[:_PAGE]:
        try:
            live = await hub.open(one.id)
        except UnknownGame:  # a game that is no longer installed
            continue
        table, due = live.table, live.table.due
        yours = sorted(live.seats_of(visitor))
        listed.append(
            ListedTable(
                id=one.id,
                game=table.game.slug,
                title=table.game.title,
                names=table.names,
                created=one.created,
                touched=one.touched,
                due=due_word(table),
                your_turn=not isinstance(due, Over) and due.seat in yours and not table.waiting,
                games=table.number,
                result=show_result(due.result) if isinstance(due, Over) else None,
                yours=yours,
            )
        )
    return Tables(tables=listed, more=found[_PAGE - 1].created if len(found) > _PAGE else None)


async def count_up(hub: Hub, visitor: Visitor) -> Statistics:
    """Statistics of the finished games of a player."""
    careers = await hub.store.career(visitor.owner) if visitor.owner else []
    known = game_names()
    return Statistics(careers=[_career(career) for career in careers if career.slug in known])


def _career(career: Career) -> CareerShown:
    kind = game_type(career.slug)
    rules, length = rules_in(career.slug, career.options)
    return CareerShown(
        game=career.slug,
        title=kind.title,
        alone=career.alone,
        goal=kind.goal,
        name=career.name,
        rules=rules,
        length=length if career.alone else 0,
        games=career.games,
        won=career.won,
        mean=career.mean,
        top=career.top,
        best=career.best,
        turns=career.turns,
        empty=career.empty,
    )


def rules_in(slug: str, options: str) -> tuple[str, int]:
    """The rules of a game in words, and how many games a series adds up: 0 without series."""
    try:
        read = game_type(slug).options_type.read(options)
    except HotDiceError:  # another version of the game had such options
        return options, 0
    return read.without_series().words(), read.series_length
