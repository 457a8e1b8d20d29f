"""How evenly dice fall at tables, over HTTP.

The rolls of former games are only in the log, so it is folded again; that is charged by its length
like other reads of logs, and happens in a thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fastapi import FastAPI, Request

from hotdice.analysis.fairness import (
    Counts,
    Fit,
    Roller,
    Throw,
    added,
    count,
    fit,
    judge,
    odds,
    together,
    usual,
    words,
)
from hotdice.core.dice import Die
from hotdice.core.errors import HotDiceError
from hotdice.core.registry import game_type
from hotdice.server.dice_messages import DieDue
from hotdice.server.fairness_messages import (
    CountedShown,
    DiceShown,
    FaceCounted,
    GameDice,
    JudgedShown,
    KindShown,
    SourceDice,
)
from hotdice.server.guarding import address_of
from hotdice.server.headers import Player
from hotdice.server.hub import Hub
from hotdice.server.live import Visitor
from hotdice.server.refusals import Responses, refused
from hotdice.server.showing import show_die
from hotdice.storage import NoSuchTable, Stored
from hotdice.storage.stored import Listed
from hotdice.table.entries import Entry
from hotdice.table.rolled import Rolled, rolls_of
from hotdice.table.setup import Setup

_TABLES = 100
"""The most tables of a player that are read at once, newest first."""
_ENTRIES = 20_000
"""The most entries of all their logs together."""
_LOADING = 50
"""Loading a table costs as much as this many entries."""
_EVER = 1e12
_NOT_FOUND: Responses = {404: refused("There is no such table.")}
_PEOPLE, _BOTS, _ALL = "People", "Bots", "All"
_YOURS, _OTHERS = "Your seats", "Other people"


class Played(NamedTuple):
    """A game, the source of its dice, and its rolls."""

    game: str
    source: str
    throws: list[Throw]


def add_fairness(app: FastAPI) -> None:
    """Add the routes about how evenly dice fall."""

    @app.get("/api/tables/{table_id}/dice", tags=["analysis"], responses=_NOT_FOUND)
    async def of_table(table_id: str, request: Request) -> DiceShown:
        """How evenly the dice fell in all games of a table."""
        hub: Hub = request.app.state.hub
        table = (await hub.current(table_id)).table
        hub.charge(address_of(request.scope), table.seq)
        played = await asyncio.to_thread(_by_name, table.setup, list(table.entries))
        return show_dice(played, tables=1)

    @app.get("/api/dice", tags=["analysis"])
    async def mine(request: Request, player: Player = "") -> DiceShown:
        """How evenly the dice fell at the player's newest tables."""
        hub, visitor = request.app.state.hub, Visitor(player=player)
        if not visitor.owner:
            return show_dice([], tables=0)
        listed = await hub.store.tables_of(visitor.owner, _EVER, _TABLES + 1)
        chosen = bounded(listed)
        hub.charge(address_of(request.scope), sum(one.length + _LOADING for one in chosen))
        return await _of_tables(hub, visitor, chosen, older=len(chosen) < len(listed))


def bounded(listed: list[Listed], tables: int = _TABLES, entries: int = _ENTRIES) -> list[Listed]:
    """The first of these tables, with at most so many entries in all."""
    chosen: list[Listed] = []
    for one in listed[:tables]:
        entries -= one.length
        if entries < 0:
            break
        chosen.append(one)
    return chosen


async def _of_tables(hub: Hub, visitor: Visitor, chosen: list[Listed], *, older: bool) -> DiceShown:
    played: list[Played] = []
    for one in chosen:
        try:
            stored = await hub.store.load(one.id)
        except NoSuchTable:  # deleted meanwhile
            continue
        played += await asyncio.to_thread(_by_owner, stored, visitor)
    return show_dice(played, tables=len(chosen), older=older)


# Rolls ------------------------------------------------------------------------------------------


def _by_name(setup: Setup, entries: Iterable[Entry]) -> list[Played]:
    """The games of a table; rollers are told apart by name."""

    def roller(one: Rolled) -> Roller:
        return Roller(one.who.name, bool(one.who.bot))

    return _games(setup, rolls_of(setup, entries), roller)


def _by_owner(stored: Stored, visitor: Visitor) -> list[Played]:
    """The games of a table as a visitor sees them; none if the log cannot be read."""
    yours = {seat for seat, key in stored.keys.items() if visitor.has(key)}

    def roller(one: Rolled) -> Roller:
        if one.who.bot:
            return Roller(_BOTS, bot=True)
        return Roller(_YOURS if one.seat in yours else _OTHERS, bot=False)

    try:
        rolls = rolls_of(stored.setup, stored.entries)
    except HotDiceError:  # for instance of a game that is no longer installed
        return []
    return _games(stored.setup, rolls, roller)


def _games(setup: Setup, rolls: list[Rolled], roller: Callable[[Rolled], Roller]) -> list[Played]:
    games: dict[int, list[Throw]] = {}
    for one in rolls:
        games.setdefault(one.game, []).append(Throw(roller(one), one.dice, one.faces))
    return [Played(setup.game, setup.dice, throws) for throws in games.values()]


# Counts -----------------------------------------------------------------------------------------


class Counted(NamedTuple):
    """The counts of one roller or of several together, with how well they fit fair dice."""

    who: Roller
    counts: Counts
    fit: Fit


class Kind(NamedTuple):
    """The counts of one kind of die; see ``KindShown``."""

    die: Die
    all: Counted
    parties: list[Counted]
    rollers: list[Counted]

    @property
    def looks(self) -> int:
        """How many of the counts are compared with fair dice."""
        parts = (self.all, *self.parties, *self.rollers)
        return sum(one.fit.p is not None for one in parts)


def kind_of(die: Die, rolled: Mapping[Roller, Counts]) -> Kind:
    """The counts of a kind of die, in all and in every part that differs from the whole."""

    def counted(who: Roller, *counts: Counts) -> Counted:
        total = added(counts)
        return Counted(who, total, fit(die, total))

    sides = {bot: [who for who in rolled if who.bot is bot] for bot in (False, True)}
    parties = [
        counted(Roller(_BOTS if bot else _PEOPLE, bot), *(rolled[who] for who in party))
        for bot, party in sides.items()
    ]
    rollers = [
        counted(who, rolled[who]) for party in sides.values() if len(party) > 1 for who in party
    ]
    everybody = counted(Roller(_ALL, bot=False), *rolled.values())
    return Kind(die, everybody, parties if all(sides.values()) else [], rollers)


# Messages ---------------------------------------------------------------------------------------


def show_dice(played: Iterable[Played], *, tables: int, older: bool = False) -> DiceShown:
    """How evenly the dice of these games fell, by game and source."""
    groups: dict[tuple[str, str], list[Played]] = {}
    for one in played:
        groups.setdefault((one.game, one.source), []).append(one)
    kinds = {key: _kinds(group) for key, group in groups.items()}
    looks = sum(_looks(group) for group in kinds.values())
    sources = dict.fromkeys(source for _, source in groups)
    return DiceShown(
        tables=tables,
        older=older,
        looks=looks,
        games=[_game(groups[key], kinds[key], looks) for key in groups],
        sources=[
            SourceDice(
                source=source,
                rolls=sum(_rolls(group) for key, group in groups.items() if key[1] == source),
                judged=_judged(
                    together(
                        kind.all.fit for key in groups if key[1] == source for kind in kinds[key]
                    ),
                    len(sources),
                ),
            )
            for source in sources
        ],
    )


def _kinds(group: Iterable[Played]) -> list[Kind]:
    throws = [throw for one in group for throw in one.throws]
    return [kind_of(die, rolled) for die, rolled in count(throws).items()]


def _looks(kinds: list[Kind]) -> int:
    """The comparisons of a game: those of its kinds of dice, and of several kinds together."""
    several = sum(kind.all.fit.p is not None for kind in kinds) > 1
    return sum(kind.looks for kind in kinds) + several


def _rolls(group: Iterable[Played]) -> int:
    return sum(len(one.throws) for one in group)


def _game(group: list[Played], kinds: list[Kind], looks: int) -> GameDice:
    first = group[0]
    return GameDice(
        game=first.game,
        title=game_type(first.game).title,
        source=first.source,
        games=len(group),
        rolls=_rolls(group),
        kinds=[_kind(kind, looks) for kind in kinds],
        judged=_judged(together(kind.all.fit for kind in kinds), looks),
    )


def _kind(kind: Kind, looks: int) -> KindShown:
    return KindShown(
        die=DieDue.model_validate(show_die(kind.die)),
        all=_counted(kind.die, kind.all, looks),
        parties=[_counted(kind.die, one, looks) for one in kind.parties],
        rollers=[_counted(kind.die, one, looks) for one in kind.rollers],
    )


def _counted(die: Die, one: Counted, looks: int) -> CountedShown:
    ranges = usual(die, one.fit.thrown)
    return CountedShown(
        who=one.who.name,
        bot=one.who.bot,
        faces=[
            FaceCounted(count=one.counts.get(face.code, 0), **ranges[face.code]._asdict())
            for face in die.faces
        ],
        judged=_judged(one.fit, looks),
    )


def _judged(found: Fit, looks: int) -> JudgedShown:
    return JudgedShown(
        thrown=found.thrown,
        chi_square=found.chi_square,
        freedom=found.freedom,
        p=found.p,
        odds="" if found.p is None else odds(found.p),
        verdict=judge(found, looks),
        words=words(found, looks),
    )
