"""Every parser, each as a function that takes bytes and complains if a rule of parsers is broken.

Nothing but a ``HotDiceError`` may come out of a parser, and what it read is written to a text that
it reads as the same again. Where rules are needed to read something, lines before it name them.
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
from hotdice.storage.store import read_url
from hotdice.table.commands import auto_roll
from hotdice.table.dice_sources import SeededDice
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat, resume

_STATES = 40
"""How many states of each game typed dice and choices are read in."""


class Unfaithful(Exception):
    """What was read, written and read again is not the same."""


def _same(read: Any, again: Any) -> None:
    if read != again:
        raise Unfaithful(f"{read!r} is read again as {again!r}")


def _text(data: bytes) -> str:
    """As arguments of commands come: bytes that are no text stay what they are."""
    return data.decode("utf-8", "surrogateescape")


def _split(data: bytes, heads: int) -> list[str]:
    return (_text(data).split("\n", heads) + [""] * heads)[: heads + 1]


# Options and set-ups ----------------------------------------------------------------------------


def read_options(data: bytes) -> None:
    """GAME, then options in one line."""
    slug, line = _split(data, 1)
    kind = game_type(slug).options_type
    options = kind.read(line)
    _same(options, kind.read(options.text()))
    _same(options, kind.read(options.text(full=True)))
    _same(options, kind.read_values(options.values()))


def read_values(data: bytes) -> None:
    """GAME, then lines of NAME=VALUE."""
    slug, rest = _split(data, 1)
    kind = game_type(slug).options_type
    pairs = (line.partition("=") for line in rest.split("\n"))
    options = kind.read_values({name: value for name, _, value in pairs})
    _same(options, kind.read_values(options.values()))
    _same(options, kind.read(options.text()))


def read_setup(data: bytes) -> None:
    """A set-up in its line of JSON; where it can be, a table is set up with it."""
    setup = Setup.read(_text(data))
    _same(setup, Setup.read(setup.text()))
    checked = setup.checked()
    _same(checked, checked.checked())
    _same(checked, Setup.read(checked.text()))
    if checked.dice == "seeded":
        auto_roll(Table.of(checked), 0.0)


def read_sheet(data: bytes) -> None:
    """GAME, the name of an option with a type of its own, then a value of it."""
    slug, name, rest = _split(data, 2)
    kind: Any = type(getattr(game_type(slug).options_type(), name, None))
    if not hasattr(kind, "read_file"):
        return
    value = kind.read(rest)
    _same(value, kind.read(value.text()))


# Games ------------------------------------------------------------------------------------------


def read_state(data: bytes) -> None:
    """GAME, options, then a state; whatever is read can be shown and played on."""
    slug, options, line = _split(data, 2)
    game = load_game(slug, options)
    state = game.read_state(line)
    _same(state, game.read_state(game.state_text(state)))
    game.view(state)
    for choice in game.choices(state):
        game.apply(state, choice)
    due = game.due(state)
    if isinstance(due, ToRoll):
        game.apply(state, SeededDice("fuzz").throw(due.dice, 0))
    elif isinstance(due, Over):
        game.rematch_first(due.result)


def read_event(data: bytes) -> None:
    """GAME, options, then a roll or a choice in its line."""
    slug, options, line = _split(data, 2)
    event = load_game(slug, options).read_event(line)
    text = load_game(slug, options).event_text(event)
    _same(event, load_game(slug, options).read_event(text))


def read_typed(data: bytes) -> None:
    """GAME, the number of a state, then dice or a choice as people type them."""
    slug, number, line = _split(data, 2)
    game, states = _states(game_type(slug).slug)
    state = states[int(number[:4]) % _STATES if number.isdecimal() else 0]
    due = game.due(state)
    if isinstance(due, ToChoose):
        choice = game.pick(state, line)
        _same(choice, game.pick(state, game.event_text(choice)))
    else:
        roll = game.read_roll(state, line)
        game.apply(state, roll)  # dice that are not due need not be read the same again
        _same(roll, game.read_roll(state, game.event_text(roll)))


def read_dice(data: bytes) -> None:
    """GAME, options, then dice as people write them; what they are worth is found."""
    slug, options, line = _split(data, 2)
    game = load_game(slug, options)
    faces = game.read_dice(line)
    _same(faces, game.read_dice(game.dice_text(faces)))
    game.keeps(faces)


@cache
def _states(slug: str) -> tuple[AnyGame, list[Any]]:
    """States of a game in which something has to happen, from games that are played at random."""
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
    """A record; a sitting goes on from it."""
    record = read_record(_text(data))
    _same(_parts(record), _parts(read_record(record.text())))
    resume(record)


def _parts(record: Record) -> tuple[Any, ...]:
    game = record.game
    return game.slug, game.options, record.names, record.events, record.first, record.tags


def read_playthrough(data: bytes) -> None:
    """GAME, then a playthrough; it may say what is not so."""
    slug, text = _split(data, 1)
    list(examples(text))
    try:
        written = render(game_type(slug), text)
    except AssertionError:  # an event that should be refused is legal
        return
    _same(written, render(game_type(slug), written))
    check(game_type(slug), written)


@dataclass
class _Solved:
    values: np.ndarray[Any, Any]
    residual: float = 0.0


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="hotdice-fuzz-")


def read_head(data: bytes) -> None:
    """The file of a solved table; one that is not whole is none."""
    with patch.dict(os.environ, {"HOTDICE_CACHE": _folder().name}):
        path = solutions.solutions_folder() / "fuzz.table"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        solutions.solution_files()
        solutions._load(path, _Solved)  # noqa: SLF001 - what reads it


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
    _same(message, kind.model_validate_json(message.model_dump_json()))
    if isinstance(message, messages.TableWanted):
        setup = read_wanted(message).checked()
        _same(setup, Setup.read(setup.text()))
    if isinstance(message, messages.SeatTaken):
        check_name(message.name)


def read_seat(data: bytes) -> None:
    """A seat as commands are given it."""
    seat = Seat.read(_text(data))
    _same(seat, Seat.read(f"{seat.name}=bot:{seat.bot}" if seat.bot else seat.name))


def read_database(data: bytes) -> None:
    """The address of a database."""
    read_url(_text(data))


def read_notices(data: bytes) -> None:
    """A notice of another server process."""
    notice = read_notice(_text(data))
    if notice is not None:
        _same(notice, read_notice(f"{notice[0]} {notice[1]}"))


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
}


def feed(name: str, data: bytes) -> None:
    """Give a parser something to read; raises what it must not raise."""
    try:
        TARGETS[name](data)
    except HotDiceError as error:
        str(error).encode("utf-8", "surrogateescape")


def prepare() -> None:
    """Load every game, so that loading is not part of what is measured."""
    for name in game_names():
        _states(game_type(name).slug)
