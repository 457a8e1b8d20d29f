"""The published test vectors of verified dice: both verifiers are tested with them."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random

from hotdice import game_type
from hotdice.core.due import Over, ToRoll
from hotdice.table.commands import Choose, Rematch, RollDice, begin_table
from hotdice.table.dice_commands import Announce, DrawDice, GiveLink
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from hotdice.table.verification import verify
from hotdice.table.verified import Draw, Links, sides_of
from tools.verifiers.changing import resealed

_GAMES = (
    ("farkle", "starts=seat entry=0 target=100", 400),
    ("rogue", "", 30),
    ("peruke", "", 30),
    ("go500", "", 30),
)

_FORGED = (
    ("chain 0, server, skipped 0", "chain 0, server, skipped 1"),
    ("dice: verified", "date: today\ndice: verified"),
    ("dice: verified", "bots: Big Bot\ndice: verified"),
    ("dice: verified", "dice: verified "),
    ("\n\n1. ", "\n1. "),
    ("\n2. {", "\n3. {"),
    ("\n2. {", "\n2.  {"),
    ("\n2. {Ann}", "\n2. {Eve}"),
    ("; ", ";"),
    ("; ", "\u2028; "),
    ("\n\nproof:", "\nproof:"),
    ("\nproof:\n", "\nproof:\n\n"),
    ("\nroll 1,", "\n roll 1,"),
)
"""Changes that are still noticed after the last line has been made to fit them."""


def vectors_file() -> str:
    """Chains, draws and whole records, as JSON."""
    records = [one for number, game in enumerate(_GAMES) for one in _records(number, *game)]
    found = {"chains": _chains(), "draws": _draws(), "records": records}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _chains() -> list[dict[str, object]]:
    places = ((0, [0]), (5, [0, 1, 4, 5]), (2000, [0, 1, 63, 64, 65, 1999, 2000]))
    return [
        {
            "secret": f"secret {length}",
            "length": length,
            "at": at,
            "links": [Links(f"secret {length}", length).link(one) for one in at],
        }
        for length, at in places
    ]


def _draws() -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number, counts in enumerate(([6] * 6, [2, 3, 8, 20, 100, 1], [3 << 30] * 12, [])):
        table, server, seal, *links = (
            sha256(f"{name} {number}".encode()).hexdigest() for name in "tables"
        )
        given = dict(enumerate(links[:number], start=1))
        draw = Draw(table, number + 1, 7 * number + 1, given, seal)
        seed = draw.seed(server)
        found.append(
            {
                **draw._asdict(),
                "server": server,
                "counts": counts,
                "seed": seed.hex(),
                "sides": sides_of(seed, counts),
            }
        )
    return found


def _records(number: int, slug: str, options: str, most: int) -> list[dict[str, object]]:
    """The record of a game that some rolls were made without a device in, and changed ones."""
    seats = (Seat("Ann"), Seat("Zoë 🎲"))[: game_type(slug).max_players]
    setup = Setup(slug, options, seats, dice="verified", seed=f"vectors {number}")
    rng = Random(number)
    table = begin_table(Table.of(setup), 0.0).table
    devices = [Links(f"device {seat}", 2000) for seat in range(len(seats))]
    for seat, links in enumerate(devices):
        table = Announce((seat,), links.link(0)).on(table, 0.0).table
    table = _played(table, devices, rng, most)
    if isinstance(table.due, Over):
        table = _played(Rematch(0, table.seq).on(table, 0.0).table, devices, rng, most)
    text = table.record().text()
    lines = text.splitlines()
    found: list[dict[str, object]] = [
        {"true": True, "seals": list(verify(text).seals), "text": text}
    ]
    for _ in range(12):
        at = rng.randrange(len(lines))
        place = rng.randrange(len(lines[at]) + 1)
        line = lines[at][:place] + rng.choice("016ax") + lines[at][place + 1 :]
        if line == lines[at]:
            line = ""
        body = "\n".join([*lines[:at], line, *lines[at + 1 :]]) + "\n"
        found.append({"true": False, "seals": [], "text": body})
    forged = [resealed(text.replace(old, new, 1)) for old, new in _FORGED if old in text]
    return [*found, *({"true": False, "seals": [], "text": one} for one in forged)]


def _played(table: Table, devices: list[Links], rng: Random, most: int) -> Table:
    for _ in range(most):
        due, drawing = table.due, table.drawing
        if isinstance(due, Over) or drawing is None:
            break
        if drawing.ask is not None:
            draw = drawing.ask.number
            for seat, links in enumerate(devices):
                if rng.random() < 0.7:
                    give = GiveLink(seat, seat + 1, draw, links.link(draw))
                    table = give.on(table, 0.0).table
            table = DrawDice(draw, {1}).on(table, 0.0).table
        elif isinstance(due, ToRoll):
            table = RollDice(due.seat, "", table.seq).on(table, 0.0).table
        else:
            choice = rng.choice(table.game.choices(table.state))
            text = table.game.event_text(choice)
            table = Choose(due.seat, text, table.seq).on(table, 0.0).table
    return table
