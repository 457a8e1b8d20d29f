"""The seed corpus of the parsers' fuzzing: valid inputs, and a dictionary of tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from hotdice.bots.players import play_random
from hotdice.core.game import AnyGame
from hotdice.core.look import PALETTE
from hotdice.core.playthrough import examples
from hotdice.core.registry import game_names, game_type, load_game
from hotdice.table.dice_sources import SeededDice
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat, Sitting
from tools.fuzz import verified_targets

_CASES = Path(__file__).parents[2] / "tests" / "fuzz" / "cases"
_PEOPLE = ("Ann", "Ben", "Cara")
_EVENTS = 12
_FEW, _EVERY = 4, 7
"""How many entries of each kind are seeds: the first, and then one in so many."""
LONGEST = 20_000

_HEAD = {
    "game": "any",
    "what": "win",
    "options": "",
    "version": 2,
    "facts": {"residual": 0.5},
    "arrays": {"values": ["<f8", [2], 0]},
    "size": 64,
}


def seeds(target: str) -> Iterator[bytes]:
    """The corpus of a target, including former findings."""
    for path in sorted((_CASES / target).glob("*.txt")):
        yield path.read_bytes()
    made = _MAKERS.get(target)
    if target in _VERIFIED:
        yield from (text.encode() for text in _VERIFIED[target]())
        return
    if made is None:
        yield from (text.encode() for text in _PLAIN[target])
        return
    for name in game_names():
        yield from (text.encode("utf-8", "surrogateescape") for text in made(_sitting(name)))


def long_ones(target: str) -> Iterator[bytes]:
    """Inputs of the maximum length: repeated pieces of valid ones."""
    for seed in list(seeds(target))[:12]:
        if len(seed) > LONGEST:
            continue
        text = seed.decode("utf-8", "surrogateescape")
        head = "\n".join(text.split("\n")[:2]) + "\n"
        for piece in sorted({*text.split()[:6], text[-8:], "[", '{"a":', "'", "9", "-", "é"}):
            for between in ("", " ", ",", ";", "\n", "/"):
                unit = piece + between
                for start in ("", head, text):
                    room = LONGEST - len(start)
                    yield (start + unit * (room // len(unit))).encode("utf-8", "surrogateescape")


def words() -> Iterator[str]:
    """Tokens for the fuzzer to combine."""
    for name in game_names():
        game = load_game(name)
        yield from (name, *game.verbs, *game.thens, *game.tokens.values())
        yield from (f"{info.name}=" for info in game.options_type.describe())
        yield from (f"{field}=" for field in getattr(game.state_type, "_fields", ()))
    yield from ("name:", "segment:", "about:", "weather:", "; ", " = ", "none", "(", ")", " / ")
    yield from (
        "hotdice record 1",
        "seats:",
        "first:",
        "result:",
        "bots:",
        "dice:",
        "{",
        "}",
        " | ",
    )
    yield from (*PALETTE, "chain ", "roll ", "seal ", "absent", "silent", "reseal", "skipped ")
    yield from ("<svg ", "</svg>", "<g ", "</g>", "viewBox=", "drawing = ", "icon = ", "[[chart]]")
    yield from ('{"', '":', "null", "true", "1e999", "NaN", "Infinity", '"\\ud800"', "[[[[[[[[")
    yield from ("-0", "-1", "00", "999999999", "9" * 30, "\u2212", "\u00b2", "\u0661", "\u2028")


def dictionary(path: Path) -> Path:
    """Write the tokens in libFuzzer's dictionary format."""
    lines = {
        '"' + "".join(f"\\x{byte:02x}" for byte in word.encode("utf-8")) + '"' for word in words()
    }
    path.write_text("\n".join(sorted(lines)) + "\n", "ascii")
    return path


def _sitting(name: str) -> Sitting:
    """A reproducible game in progress."""
    game, rng = load_game(name), Random(name)
    players = min(game.max_players, max(game.min_players, 2))
    sitting = Sitting.of(game, [Seat(one) for one in _PEOPLE[:players]], SeededDice(name))
    while len(sitting.moves) < _EVENTS and not sitting.is_over():
        choosing = bool(game.choices(sitting.state))
        event = play_random(game, sitting.state, rng) if choosing else sitting.throw()
        if event is None:
            raise AssertionError("seeded dice always roll")
        sitting = sitting.played(event)
    return sitting


def _options(sitting: Sitting) -> Iterator[str]:
    game = sitting.game
    yield game.slug
    yield f"{game.slug}\n{game.options.text(full=True)}"


def _values(sitting: Sitting) -> Iterator[str]:
    lines = (f"{name}={value}" for name, value in sitting.game.options.values().items())
    yield "\n".join([sitting.game.slug, *lines])


def _setups(sitting: Sitting) -> Iterator[str]:
    for setup in (
        Setup(sitting.game.slug, "", sitting.seats, seed="s"),
        Setup(sitting.game.slug, "", sitting.seats, "typed", clock=60, open=(0,), series=3),
    ):
        yield setup.text()


def _sheets(sitting: Sitting) -> Iterator[str]:
    options = sitting.game.options
    for info in options.describe():
        value = getattr(options, info.name)
        if not hasattr(value, "read_file"):
            continue
        yield f"{sitting.game.slug}\n{info.name}\n{value.text()}"
        for one in value.names():  # renamed, so that the whole sheet is written out
            written: Any = replace(type(value).read(one), name="own")
            yield f"{sitting.game.slug}\n{info.name}\n{written.text()}"


def _states(sitting: Sitting) -> Iterator[str]:
    for state in [*(move.before for move in sitting.moves), sitting.state]:
        yield f"{sitting.game.slug}\n\n{sitting.game.state_text(state)}"


def _events(sitting: Sitting) -> Iterator[str]:
    for event in dict.fromkeys(sitting.events):
        yield f"{sitting.game.slug}\n\n{sitting.game.event_text(event)}"


def _typed(sitting: Sitting) -> Iterator[str]:
    for at, event in enumerate(sitting.events):
        yield f"{sitting.game.slug}\n{at}\n{sitting.game.event_text(event)}"


def _dice(sitting: Sitting) -> Iterator[str]:
    game: AnyGame = sitting.game
    for die in game.dice:
        labels = " ".join(face.label for face in die.faces[:5])
        yield f"{game.slug}\n\n{die.name} {labels}"
        yield f"{game.slug}\n\n{game.dice_text(tuple(face.code for face in die.faces[:4]))}"


def _records(sitting: Sitting) -> Iterator[str]:
    yield sitting.record().text()


def _playthroughs(sitting: Sitting) -> Iterator[str]:
    for example in examples(game_type(sitting.game.slug).rules_text()):
        yield f"{sitting.game.slug}\n{example}"


def _looks(sitting: Sitting) -> Iterator[str]:
    kind = game_type(sitting.game.slug)
    folder = files(kind.__module__.rpartition(".")[0]).joinpath("look")
    yield f"{kind.slug}\n{folder.joinpath('look.toml').read_text('utf-8')}"


def _challenges(sitting: Sitting) -> Iterator[str]:
    slug = sitting.game.slug
    yield f"{slug}-2026-11-16"
    bots = ["sharp"] * min(1, sitting.game.max_players - 1)
    wanted = {"game": slug, "options": sitting.game.options.values(), "bots": bots, "days": 7}
    yield json.dumps(wanted)


def _entries(kind: str) -> Callable[[], Iterator[str]]:
    def made() -> Iterator[str]:
        for number, (_, entry) in enumerate(verified_targets.tables()[kind]):
            if number < _FEW or number % _EVERY == 0:
                yield f"{number}\n{entry.text}"

    return made


def _announced() -> Iterator[str]:
    for _, entry in verified_targets.tables()["chain"]:
        tip = entry.text.split(" ")[3]
        yield from (tip, f"{tip} 1")


def _given() -> Iterator[str]:
    for number, (table, entry) in enumerate(verified_targets.tables()["link"]):
        if number % _EVERY == 0 and table.drawing and table.drawing.ask:
            yield f"{number}\n{table.drawing.ask.number} {entry.text}"


def _proofs() -> Iterator[str]:
    for record in verified_targets.records():
        yield from (record, f"reseal\n{record}")


_VERIFIED: dict[str, Callable[[], Iterator[str]]] = {
    "chains": _entries("chain"),
    "asks": _entries("ask"),
    "links": _entries("link"),
    "draws": _entries("draw"),
    "announced": _announced,
    "given": _given,
    "proofs": _proofs,
}
_MAKERS = {
    "options": _options,
    "values": _values,
    "setups": _setups,
    "sheets": _sheets,
    "states": _states,
    "events": _events,
    "typed": _typed,
    "dice": _dice,
    "records": _records,
    "playthroughs": _playthroughs,
    "looks": _looks,
    "challenges": _challenges,
}
_PLAIN = {
    "heads": (json.dumps(_HEAD) + "\n" + "\0" * 64,),
    "messages": (
        'Hello\n{"secrets": ["abc"], "player": "0123456789abcdef", "seen": 3}',
        'Command\n{"do": "choose", "seat": 0, "seen": 1, "text": "keep 1 roll", "other": null}',
        (
            'TableWanted\n{"game": "farkle", "options": {"target": "500"}, "clock": 60, '
            '"seats": [{"name": "Ann"}, {"name": "Ben", "bot": "casual"}]}'
        ),
        'OptionsWanted\n{"options": {"target": "500"}}',
        'SeatTaken\n{"name": "Ann", "seat": 1}',
    ),
    "seats": ("Ann", "Ben=bot:casual", "bot:x"),
    "notices": ("aZ_-9 12", "! 0123456789abcdef"),
    "limits": ("connections=0", "tables=12\nthinking-seconds=5\ndays=400"),
    "positions": ("win-17", "points-999999", "2026-11-16"),
    "presence": (
        "0123456789abcdef 12.500000 t-1:0,1 t_2:",
        "0123456789abcdef 12.500000",
        "fedcba9876543210 1.0 other:7",
    ),
    "svgs": (
        (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><g fill="#1b4d3d">'
            '<circle cx="5" cy="5%" r="1e1" transform="rotate(45 5 5) scale(2)" stroke="none"/>'
            '<path d="M1 2L3-4z" stroke-linecap="round"/></g></svg>'
        ),
        '<svg viewBox="0,0 1 1 1"><!-- none --><polyline points="1,2 3,4" opacity=".5"/></svg>',
    ),
    "databases": ("sqlite:///x.db", "postgresql://user:word@host:5432/name?sslmode=require"),
}
