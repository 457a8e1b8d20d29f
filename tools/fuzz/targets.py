"""The fuzz targets: a function for every parser that takes bytes and checks its properties.

A parser may only raise ``HotDiceError``, and what it accepts must round-trip. Where parsing needs a
game or options, they are on the lines before the input.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from pydantic import BaseModel, ValidationError

from hotdice.bots.players import play_random
from hotdice.core.due import Over, ToChoose, ToRoll
from hotdice.core.errors import HotDiceError
from hotdice.core.game import AnyGame
from hotdice.core.playthrough import check, examples, render
from hotdice.core.record import Record, check_name, read_record
from hotdice.core.registry import game_names, game_type, load_game
from hotdice.server import messages
from hotdice.server.tables import read_wanted
from hotdice.solve import solutions
from hotdice.storage.listening import read_notice
from hotdice.storage.opening import read_url
from hotdice.table.commands import auto_roll
from hotdice.table.dice_sources import SeededDice
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat, resume
from tools.fuzz.server_targets import SERVER_TARGETS
from tools.fuzz.values import same, split, text_of
from tools.fuzz.verified_targets import VERIFIED_TARGETS

_STATES = 40
"""How many states of each game typed dice and choices are parsed at."""


# Options and set-ups ----------------------------------------------------------------------------


def read_options(data: bytes) -> None:
    """GAME, then options on one line."""
    slug, line = split(data, 1)
    kind = game_type(slug).options_type
    options = kind.read(line)
    same(options, kind.read(options.text()))
    same(options, kind.read(options.text(full=True)))
    same(options, kind.read_values(options.values()))


def read_values(data: bytes) -> None:
    """GAME, then lines of NAME=VALUE."""
    slug, rest = split(data, 1)
    kind = game_type(slug).options_type
    pairs = (line.partition("=") for line in rest.split("\n"))
    options = kind.read_values({name: value for name, _, value in pairs})
    same(options, kind.read_values(options.values()))
    same(options, kind.read(options.text()))


def read_setup(data: bytes) -> None:
    """A set-up as JSON; a table is set up with it if it is valid."""
    setup = Setup.read(text_of(data))
    same(setup, Setup.read(setup.text()))
    checked = setup.checked()
    same(checked, checked.checked())
    same(checked, Setup.read(checked.text()))
    if checked.dice == "seeded":
        auto_roll(Table.of(checked), 0.0)


def read_sheet(data: bytes) -> None:
    """GAME, the name of an option with its own type, then its value."""
    slug, name, rest = split(data, 2)
    kind: Any = type(getattr(game_type(slug).options_type(), name, None))
    if not hasattr(kind, "read_file"):
        return
    value = kind.read(rest)
    same(value, kind.read(value.text()))


# Games ------------------------------------------------------------------------------------------


def read_state(data: bytes) -> None:
    """GAME, options, then a state; an accepted state can be shown and played."""
    slug, options, line = split(data, 2)
    game = load_game(slug, options)
    state = game.read_state(line)
    same(state, game.read_state(game.state_text(state)))
    game.view(state)
    for choice in game.choices(state):
        game.apply(state, choice)
    due = game.due(state)
    if isinstance(due, ToRoll):
        game.apply(state, SeededDice("fuzz").throw(due.dice, 0))
    elif isinstance(due, Over):
        game.rematch_first(due.result)


def read_event(data: bytes) -> None:
    """GAME, options, then a roll or a choice."""
    slug, options, line = split(data, 2)
    event = load_game(slug, options).read_event(line)
    text = load_game(slug, options).event_text(event)
    same(event, load_game(slug, options).read_event(text))


def read_typed(data: bytes) -> None:
    """GAME, the number of a state, then dice or a choice as people type them."""
    slug, number, line = split(data, 2)
    game, states = _states(game_type(slug).slug)
    state = states[int(number[:4]) % _STATES if number.isdecimal() else 0]
    due = game.due(state)
    if isinstance(due, ToChoose):
        choice = game.pick(state, line)
        same(choice, game.pick(state, game.event_text(choice)))
    else:
        roll = game.read_roll(state, line)
        game.apply(state, roll)  # only rolls of the dice that are due have to round-trip
        same(roll, game.read_roll(state, game.event_text(roll)))


def read_dice(data: bytes) -> None:
    """GAME, options, then dice as people write them, which are also scored."""
    slug, options, line = split(data, 2)
    game = load_game(slug, options)
    faces = game.read_dice(line)
    same(faces, game.read_dice(game.dice_text(faces)))
    game.keeps(faces)


@cache
def _states(slug: str) -> tuple[AnyGame, list[Any]]:
    """States of random games that are not over."""
    game, rng, found = load_game(slug), Random(slug), list[Any]()
    while len(found) < _STATES:
        state = game.start(max(game.min_players, min(2, game.max_players)))
        while not isinstance(due := game.due(state), Over) and len(found) < _STATES:
            if rng.random() < 0.3:
                found.append(state)
            if isinstance(due, ToRoll):
                seed = SeededDice(str(rng.random()))
                state = game.apply(state, seed.throw(due.dice, 0))
            else:
                state = game.apply(state, play_random(game, state, rng))
    return game, found


# Files ------------------------------------------------------------------------------------------


def read_records(data: bytes) -> None:
    """A record, which is also resumed."""
    record = read_record(text_of(data))
    same(_parts(record), _parts(read_record(record.text())))
    resume(record)


def _parts(record: Record) -> tuple[Any, ...]:
    game = record.game
    return game.slug, game.options, record.names, record.events, record.first, record.tags


def read_playthrough(data: bytes) -> None:
    """GAME, then a playthrough, which may be wrong."""
    slug, text = split(data, 1)
    list(examples(text))
    try:
        written = render(game_type(slug), text)
    except AssertionError:  # an event that should be refused is legal
        return
    same(written, render(game_type(slug), written))
    check(game_type(slug), written)


@dataclass
class _Solved:
    values: np.ndarray[Any, Any]
    residual: float = 0.0


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="hotdice-fuzz-")


def read_head(data: bytes) -> None:
    """A solution file; a damaged one is ignored."""
    with patch.dict(os.environ, {"HOTDICE_CACHE": _folder().name}):
        path = solutions.solutions_folder() / "fuzz.table"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        solutions.solution_files()
        solutions._load(path, _Solved)  # noqa: SLF001 - the parser


# The wire ---------------------------------------------------------------------------------------

_MESSAGES: dict[str, type[BaseModel]] = {
    kind.__name__: kind
    for kind in (
        messages.Hello,
        messages.Command,
        messages.TableWanted,
        messages.OptionsWanted,
        messages.SeatTaken,
    )
}


def read_message(data: bytes) -> None:
    """The name of a message, then its JSON."""
    name, _, rest = data.decode(errors="replace").partition("\n")
    kind = _MESSAGES.get(name, messages.Command)
    try:
        message = kind.model_validate_json(rest)
    except ValidationError:
        return
    same(message, kind.model_validate_json(message.model_dump_json()))
    if isinstance(message, messages.TableWanted):
        setup = read_wanted(message).checked()
        same(setup, Setup.read(setup.text()))
    if isinstance(message, messages.SeatTaken):
        check_name(message.name)


def read_seat(data: bytes) -> None:
    """A seat as on the command line."""
    seat = Seat.read(text_of(data))
    same(seat, Seat.read(f"{seat.name}=bot:{seat.bot}" if seat.bot else seat.name))


def read_database(data: bytes) -> None:
    """A database URL."""
    read_url(text_of(data))


def read_notices(data: bytes) -> None:
    """A notification of another server process."""
    notice = read_notice(text_of(data))
    if notice is not None:
        same(notice, read_notice(f"{notice[0]} {notice[1]}"))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "options": read_options,
    "values": read_values,
    "setups": read_setup,
    "sheets": read_sheet,
    "states": read_state,
    "events": read_event,
    "typed": read_typed,
    "dice": read_dice,
    "records": read_records,
    "playthroughs": read_playthrough,
    "heads": read_head,
    "messages": read_message,
    "seats": read_seat,
    "databases": read_database,
    "notices": read_notices,
    **VERIFIED_TARGETS,
    **SERVER_TARGETS,
}


def feed(name: str, data: bytes) -> None:
    """Feed an input to a parser; raises what the parser should not."""
    try:
        TARGETS[name](data)
    except HotDiceError as error:
        str(error).encode("utf-8", "surrogateescape")


def prepare() -> None:
    """Load every game in advance, so that loading is not timed."""
    for name in game_names():
        _states(game_type(name).slug)
