"""Denial-of-service attacks: ``python -m tools.soak.attacks NAME PORT SECONDS``.

Each attack runs in a separate process and from a different loopback address than the victim. At
the end it prints how much it did, as JSON; ``PROOFS`` says how much that has to be.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import resource
import sys
import termios
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from itertools import count
from random import Random
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State

from hotdice.core.registry import load_game
from hotdice.server.limits import Limits
from hotdice.table.bots import play_turn
from hotdice.table.commands import begin_table
from hotdice.table.log import Table
from hotdice.table.setup import Setup
from hotdice.table.sitting import Seat
from tools.soak.attacker import GONE, Attacker, repeat

_NICE = 10
"""A low priority, so that the attack does not compete with the server for the CPU."""
_BIG = "name: big; " + "; ".join(
    (
        "black: " + " ".join(f"({n})" for n in range(20)),
        "green: " + " ".join(f"({n})" for n in range(20)),
        "flag: " + " ".join(["green", "yellow", "red", "black"] * 5),
        "yellow: " + " ".join(f"-{n}" for n in range(20)),
        "red: " + " ".join(f"-{n}" for n in range(20)),
    )
)
_HEAVY: list[tuple[str, dict[str, str]]] = [
    ("go500", {"course": "grand", "rerolls": "6"}),
    ("rogue", {"target": "5000", "war_at": "4999"}),
    ("go500", {"course": "pass", "rerolls": "6"}),
    ("rogue", {"target": "4999", "war_at": "4990"}),
    ("farkle", {"target": "2000", "entry": "5"}),
    ("farkle", {"target": "1995", "entry": "10"}),
]
"""The most expensive rules that are still solved."""
_ENDLESS = {"target": "1000000", "entry": "0", "starts": "seat", "carry_over": "off"}
FULL = tuple(f"full-log-{number}" for number in range(4))
"""The ids of tables with full logs, which are there before the attack."""
_FLOOD = 250_000
"""Bytes of frames that are sent at once."""
_TALKERS = 5
_REFUSED = 0.3
"""Seconds in which a connection that is not admitted is told so."""


Attack = Callable[[Attacker], Coroutine[Any, Any, None]]


async def big_dice(attacker: Attacker) -> None:
    """Go 500 with 20-sided dice, a sharp bot and the coach."""

    async def one(_at: int) -> None:
        table = await attacker.table("go500", {"dice": _BIG}, "sharp")
        opened = await attacker.socket(table)
        while True:
            seq = table["table"]["status"]["seq"]
            await opened.send(json.dumps({"do": "advise", "seat": 0, "seen": seq}))
            await attacker.hear(opened)
            await asyncio.sleep(0.2)

    await repeat(1, one)


async def solvers(attacker: Attacker) -> None:
    """Six tables of perfect bots, each with different rules to solve."""

    async def one(at: int) -> None:
        table = await attacker.table(*_HEAVY[at], "perfect", "perfect", people=0)
        attacker.figures["tables followed"] += 1
        async for _ in await attacker.socket(table):
            pass

    await repeat(len(_HEAVY), one)


async def options(attacker: Attacker) -> None:
    """Requests with thousands of unknown options."""
    wrong = {"options": {f"o{number}": "" for number in range(5500)}}

    async def one(_at: int) -> None:
        await attacker.post("/api/games/farkle/options", wrong)
        attacker.figures["requests answered"] += 1

    await repeat(4, one)


async def only_bots(attacker: Attacker) -> None:
    """Endless tables of bots without spectators."""
    for _ in range(50):
        await attacker.table("farkle", {"target": "1000000"}, "random", "sharp", people=0)


async def half_headers(attacker: Attacker) -> None:
    """Incomplete request headers (Slowloris)."""
    head = b"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: "
    await _hold(attacker, 1100, head, b"x")


async def slow_bodies(attacker: Attacker) -> None:
    """Request bodies sent byte by byte."""
    head = b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    await _hold(attacker, 800, head + b"Content-Length: 60000\r\n\r\n{", b" ")


async def _hold(attacker: Attacker, number: int, head: bytes, more: bytes) -> None:
    """Keep connections with unfinished requests open, and reopen those that are closed."""
    held = 0

    async def one(_at: int) -> None:
        nonlocal held
        reader, writer = await asyncio.wait_for(attacker.raw(head), 5)
        answered = asyncio.create_task(reader.read(1))
        try:
            _, waits = await asyncio.wait({answered}, timeout=_REFUSED)
            if not waits:
                await asyncio.sleep(2)
                return
            held += 1
            attacker.reached("connections held", held)
            while not answered.done():
                writer.write(more)
                await asyncio.wait({answered}, timeout=0.5)
            held -= 1
        finally:
            answered.cancel()
            writer.close()

    await repeat(number, one)


async def silent_readers(attacker: Attacker) -> None:
    """As many sockets that never read as an address may have, at a table with much chat."""
    table = await attacker.table("farkle", {}, people=2)
    talkers = [await attacker.socket(table) for _ in range(_TALKERS)]
    silent = Limits().sockets - _TALKERS
    held = [await attacker.socket(table, max_queue=1, small=True) for _ in range(silent)]
    listening = [asyncio.create_task(_listen(attacker, talker)) for talker in talkers]

    async def one(at: int) -> None:
        await talkers[at].send(json.dumps({"do": "say", "seat": 0, "seen": 0, "text": "x" * 200}))
        attacker.reached("bytes unread", sum(map(_unread, held)))
        await asyncio.sleep(0.05)

    try:
        await repeat(len(talkers), one)
    finally:
        for task in listening:
            task.cancel()


def _unread(opened: ClientConnection) -> int:
    """Bytes that the operating system holds because a client does not read them."""
    found = opened.transport.get_extra_info("socket")
    if found is None or found.fileno() < 0:
        return 0
    waiting = fcntl.ioctl(found.fileno(), termios.FIONREAD, bytes(4))
    return int.from_bytes(waiting, sys.byteorder)


async def _listen(attacker: Attacker, opened: ClientConnection) -> None:
    """Read everything, and count the lines of chat."""
    async for text in opened:
        entries = json.loads(text).get("entries", ())
        attacker.figures["lines heard"] += sum(one["kind"] == "say" for one in entries)


async def chat(attacker: Attacker) -> None:
    """A flood of chat messages."""
    table = await attacker.table("farkle", {}, people=2)
    talkers = [await attacker.socket(table) for _ in range(50)]
    listening = [asyncio.create_task(_listen(attacker, talker)) for talker in talkers]

    async def one(at: int) -> None:
        await talkers[at].send(json.dumps({"do": "say", "seat": 0, "seen": 0, "text": "y" * 200}))
        await asyncio.sleep(0.001)

    try:
        await repeat(len(talkers), one)
    finally:
        for task in listening:
            task.cancel()


async def growing(attacker: Attacker) -> None:
    """Tables of seven bots that play without pause while their player sits there and chats."""

    async def one(_at: int) -> None:
        table = await attacker.table("farkle", _ENDLESS, *["greedy"] * 7)
        opened = await attacker.socket(table)
        status, view, acted = dict[str, Any](), dict[str, Any](), -1
        while True:
            try:
                message = json.loads(await asyncio.wait_for(opened.recv(), 2))
            except TimeoutError:
                acted, message = -1, {"type": ""}
            if message["type"] == "problem" and message["kind"] == "TooMany":
                await asyncio.sleep(0.5)
                acted = -1
            elif message["type"] in ("table", "news"):
                entries = message.get("entries", ())
                attacker.figures["entries grown"] += len(entries)
                status = message["status"]
                view = entries[-1]["view"] if entries else message["view"]
            if status and status["seat"] == 0 and status["seq"] > acted:
                base, due = {"seat": 0, "seen": status["seq"]}, status["due"]
                text = view["choices"][-1]["text"] if due == "choose" else ""
                await opened.send(json.dumps({"do": due, **base, "text": text}))
                acted = status["seq"]
                if acted % 4 == 0:
                    await opened.send(json.dumps({"do": "say", **base, "text": "z" * 200}))
                    acted += 1

    await repeat(12, one)


async def hellos(attacker: Attacker) -> None:
    """Hellos at tables with full logs, again and again."""

    async def one(at: int) -> None:
        table = {"id": FULL[at % len(FULL)], "seats": []}
        opened = await attacker.socket(table)
        try:
            lines = json.loads(await opened.recv())["log"]
            attacker.figures["lines read"] += len(lines)
        except ConnectionClosed:  # a request that is refused is charged for, too
            await asyncio.sleep(2)
        finally:
            await opened.close()

    await repeat(4, one)


async def tables(attacker: Attacker) -> None:
    """A flood of new tables."""

    async def one(_at: int) -> None:
        await attacker.table("go500", {}, people=6)

    await repeat(16, one)


async def sockets(attacker: Attacker) -> None:
    """A flood of sockets."""
    table = await attacker.table("farkle", {}, people=2)
    held: list[ClientConnection] = []

    async def one(_at: int) -> None:
        held.append(await attacker.socket(table, max_queue=1))
        held[:] = [one for one in held if one.state is State.OPEN]
        attacker.reached("sockets held", len(held))

    await repeat(32, one)


async def advice(attacker: Attacker) -> None:
    """A flood of questions to the coach."""
    opened = []
    for number in range(40):
        table = await attacker.table("rogue", {"target": f"{1900 + number}"}, people=2)
        opened.append((table, await attacker.socket(table)))

    async def one(at: int) -> None:
        table, asking = opened[at]
        seq = table["table"]["status"]["seq"]
        await asking.send(json.dumps({"do": "advise", "seat": 0, "seen": seq}))
        await asking.send(json.dumps({"do": "advise", "seat": 1, "seen": seq}))
        await attacker.hear(asking)

    await repeat(len(opened), one)


async def frames(attacker: Attacker) -> None:
    """Floods of control frames, of empty messages and of empty parts of messages."""
    table = await attacker.table("farkle", {}, people=2)
    floods = [
        b"\x89\xfd\0\0\0\0" + bytes(125),  # a ping of full length, whose answer nobody reads
        b"\x8a\x80\0\0\0\0",
        b"\x81\x80\0\0\0\0",
        b"\x00\x80\0\0\0\0",
    ]

    async def one(at: int) -> None:
        opened = await attacker.socket(table, max_queue=1, small=True)
        flood = floods[at % len(floods)]
        begin = b"\x01\x80\0\0\0\0" if flood[0] == 0 else b""
        opened.transport.write(begin + flood * (_FLOOD // len(flood)))
        attacker.figures["floods sent"] += 1
        with suppress(TimeoutError):
            await asyncio.wait_for(opened.wait_closed(), 3)
        opened.transport.abort()

    await repeat(20, one)


async def questions(attacker: Attacker) -> None:
    """Hard questions to all kinds of worker processes, and to the solver, at once."""
    record = _record()
    asked = [(slug, options, _position(slug, options)) for slug, options in _HEAVY]

    async def ask(at: int) -> None:
        slug, options, state = asked[at % len(asked)]
        words = {**options, "target": f"{2000 + at}"} if slug == "rogue" else options
        text = " ".join(f"{name}={value}" for name, value in words.items())
        where = f"/api/games/{slug}/position"
        await attacker.get(where, state=state, options=text)
        await attacker.get(f"/api/learn/{slug}/next")
        await attacker.get("/api/ratings")
        attacker.figures["questions asked"] += 3

    async def analyse(_at: int) -> None:
        await attacker.stream("/api/analysis", {"record": record})
        attacker.figures["questions asked"] += 1

    async def follow(at: int) -> None:
        table = await attacker.table(*_HEAVY[at], "perfect", "sharp", people=0)
        async for _ in await attacker.socket(table):
            pass

    await asyncio.gather(repeat(12, ask), repeat(6, analyse), repeat(len(_HEAVY), follow))


def _record() -> str:
    """The record of a long game between bots, of rules that are not solved yet."""
    seats = tuple(Seat(name, "greedy") for name in "AB")
    setup = Setup("farkle", "target=1990 starts=seat", seats, seed="long")
    table = begin_table(Table.of(setup.checked()), 0.0).table
    while not table.sitting.is_over():
        table = play_turn(table, 0.0).table
    return table.record().text()


def _position(slug: str, options: dict[str, str]) -> str:
    """A position with choices."""
    game = load_game(slug, " ".join(f"{name}={value}" for name, value in options.items()))
    state, rng = game.start(2), Random(slug)
    while not game.choices(state):
        state = game.apply(state, rng.choice(game.rolls(state))[0])
    return game.state_text(state)


ATTACKS: dict[str, Attack] = {
    "big-dice": big_dice,
    "solvers": solvers,
    "options": options,
    "only-bots": only_bots,
    "half-headers": half_headers,
    "slow-bodies": slow_bodies,
    "silent-readers": silent_readers,
    "chat": chat,
    "growing": growing,
    "hellos": hellos,
    "tables": tables,
    "sockets": sockets,
    "advice": advice,
    "frames": frames,
    "questions": questions,
}
"""All attacks by name."""


PROOFS: dict[str, dict[str, int]] = {
    "big-dice": {"tables made": 1, "questions met with advice": 1},
    "solvers": {"tables followed": 6},
    "options": {"requests answered": 50},
    "only-bots": {"tables made": 50},
    "half-headers": {"connections held": 150},
    "slow-bodies": {"connections held": 150},
    "silent-readers": {"bytes unread": 100_000, "lines heard": 1000},
    "chat": {"lines heard": 1000},
    "growing": {"tables made": 12, "entries grown": 2000},
    "hellos": {"lines read": 60_000},
    "tables": {"tables made": 200},
    "sockets": {"sockets held": 100},
    "advice": {"questions met with advice": 10},
    "frames": {"floods sent": 100},
    "questions": {"questions asked": 100},
}
"""What each attack has to reach; an attack that is refused from the start measures nothing."""


def missing(name: str, figures: Mapping[str, int]) -> list[str]:
    """What an attack has not reached."""
    return [
        f"only {figures.get(what, 0):,} {what}, not {least:,}"
        for what, least in PROOFS[name].items()
        if figures.get(what, 0) < least
    ]


async def _run(name: str, port: int, seconds: float) -> None:
    figures: Counter[str] = Counter()
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for _ in count():
                with suppress(*GONE):
                    await ATTACKS[name](Attacker(port, figures))
                await asyncio.sleep(0.5)
    sys.stdout.write(json.dumps(figures))
    sys.stdout.flush()


if __name__ == "__main__":
    os.nice(_NICE)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it reports sockets that were closed
    asyncio.run(_run(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
    os._exit(0)  # hundreds of connections need not be closed in order
