"""Malformed traffic for a table's WebSocket; each attack is reproducible from its seed."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tools.fuzz.wire import BINARY, CLOSE, PING, TEXT, closing, frame, handshake

_DOES = (
    *("roll", "choose", "undo", "rematch", "say", "bot", "back", "advise"),
    *("chain", "link", "dance", ""),
)
_LEVELS = ("casual", "greedy", "random", "nobody", "")  # the others solve the game first
_HEADERS = (
    ("Upgrade", ("", "h2c", "websocket, websocket", "x" * 9000)),
    ("Connection", ("", "close", "Upgrade, close", "\x00")),
    ("Sec-WebSocket-Key", ("", "short", "=" * 24, "\xff" * 24)),
    ("Sec-WebSocket-Version", ("", "12", "99999999999999999999", "13, 13", "-1")),
    ("Sec-WebSocket-Extensions", ("permessage-deflate", "x; y=\x7f", ",,,,", "a" * 4000)),
    ("Sec-WebSocket-Protocol", ("chat", ",", "\xe9")),
    ("Host", ("", "evil.example", "[::1", "127.0.0.1:99999", "a, b")),
    ("Origin", ("null", "http://evil.example", "://", "http://127.0.0.1", "\xff")),
    ("Content-Length", ("-1", "1e9", "99999999999", "5, 6")),
    ("Transfer-Encoding", ("chunked", "identity, chunked", "gzip")),
    ("X-Forwarded-For", ("1.2.3.4", "\x00", "a" * 3000)),
)
_ODD = (
    b"[" * 4000,
    b'{"a":' * 700,
    b"9" * 4000,
    b"-" + b"9" * 4000,
    b"1e999999999",
    b"NaN",
    b"Infinity",
    b"null",
    b'""',
    b'"\\ud800"',
    b'"\\ud800\\udc00"',
    b"\xed\xa0\x80",
    b"\xff\xfe\x00",
    b"\x00",
    b"",
    b" " * 4000,
    b"x" * 4096,
    b"x" * 4097,
    b"y" * 65_536,
    b"z" * 65_537,
    "é".encode() * 4096,
    b'{"secrets": ["a", "a"], "secrets": [], "seen": 0, "seen": 1}',
    b'{"secrets": null}',
    b'{"seen": -1}',
    b'{"seen": 1e400}',
    b'{"seen": 99999999999999999999999999}',
    b'{"seen": true}',
    b'{"player": "' + b"a" * 65 + b'"}',
    b'{"do": "say", "seat": -1, "seen": 0, "text": "\\u0000"}',
    b'{"do": "say", "seat": 0, "seen": 0, "text": "\\ud83d"}',
)


@dataclass(frozen=True)
class Place:
    """A table to attack: its id, valid secrets, and some legal choices."""

    port: int
    table: str
    secrets: tuple[str, ...]
    choices: tuple[str, ...]


def broken_handshake(rng: Random, place: Place) -> Iterator[bytes]:
    """A handshake with invalid headers or corrupted bytes."""
    changed = {
        name.replace("-", "_"): rng.choice(values)
        for name, values in rng.sample(_HEADERS, rng.randint(1, 3))
    }
    table = rng.choice((place.table, "x", "%00", "..", "a" * 3000, "%ff%fe", "\xe9"))
    request = bytearray(handshake(place.port, table, **changed))
    for _ in range(rng.choice((0, 0, 1, 5, 50))):
        request[rng.randrange(len(request))] = rng.randrange(256)
    yield bytes(request)


def half_header(rng: Random, place: Place) -> Iterator[bytes]:
    """A truncated handshake."""
    request = handshake(place.port, place.table)
    yield request[: rng.randrange(1, len(request))]


def odd_frames(rng: Random, place: Place) -> Iterator[bytes]:
    """Invalid WebSocket frames."""
    yield handshake(place.port, place.table)
    if rng.random() < 0.7:
        yield frame(_hello(rng, place))
    for _ in range(rng.randint(1, 6)):
        yield rng.choice(_FRAMES)(rng)


def odd_messages(rng: Random, place: Place) -> Iterator[bytes]:
    """Valid frames with invalid messages."""
    yield handshake(place.port, place.table)
    if rng.random() < 0.8:
        yield frame(_hello(rng, place))
    for _ in range(rng.randint(1, 8)):
        payload = rng.choice(_ODD)
        if rng.random() < 0.5:
            payload = _changed(rng, json.dumps(_command(rng, place)).encode())
        yield frame(payload, rng.choice((TEXT, TEXT, BINARY)))
    yield closing()


def odd_commands(rng: Random, place: Place) -> Iterator[bytes]:
    """Well-formed messages in any order, for any seat."""
    yield handshake(place.port, place.table)
    yield frame(_hello(rng, place))
    for _ in range(rng.randint(1, 20)):
        yield frame(json.dumps(_command(rng, place)).encode())
    yield closing(rng.choice((1000, 1001, 4000)))


ATTACKS: tuple[Callable[[Random, Place], Iterator[bytes]], ...] = (
    broken_handshake,
    half_header,
    odd_frames,
    odd_messages,
    odd_commands,
)


def _hello(rng: Random, place: Place) -> bytes:
    hello: dict[str, Any] = {"seen": rng.choice((0, 0, 0, 1, 5, 10**6))}
    if rng.random() < 0.7:
        count = rng.randint(0, len(place.secrets))
        hello["secrets"] = rng.sample(place.secrets, count)
    if rng.random() < 0.2:
        hello["player"] = rng.choice(("", "p" * 16, "q" * 64))
    return json.dumps(hello).encode()


def _command(rng: Random, place: Place) -> dict[str, Any]:
    do = rng.choice(_DOES)
    text = rng.choice((*place.choices, "", "1", "115", "hello", "\u200d", "b" * 200, "c" * 201))
    command: dict[str, Any] = {
        "do": do,
        "seat": rng.choice((0, 0, 1, 1, 2, 7, -1, 8)),
        "seen": rng.choice((0, 1, 2, 3, 5, 8, rng.randrange(200), 2**63)),
        "text": rng.choice(_LEVELS) if do == "bot" else text,
    }
    if rng.random() < 0.4:
        command["other"] = rng.choice((0, 1, 2, 7, None))
    return command


def _changed(rng: Random, text: bytes) -> bytes:
    changed = bytearray(text)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed))
        changed[at : at + rng.randint(0, 2)] = rng.choice(
            (b"\xff", b'"', b"{", b"9" * 30, b"\\u0000", b"null", b"", b"NaN", b"\xc3")
        )
    return bytes(changed)


_FRAMES: tuple[Callable[[Random], bytes], ...] = (
    lambda rng: frame(b"{}", reserved=rng.randint(1, 7)),
    lambda rng: frame(b"x", rng.choice((3, 4, 5, 6, 7, 11, 15))),
    lambda _: frame(b"ping", PING, fin=False),
    lambda _: frame(b"p" * 126, PING),
    lambda _: frame(b"{}", mask=None),
    lambda rng: frame(b"{}", mask=bytes(rng.randrange(256) for _ in range(4)))[:-1],
    lambda rng: frame(b"{}", length=rng.choice((2**63, 2**64 - 1, 2**31, 65_537, 3))),
    lambda _: frame(b"\xff\xc0\x80"),
    lambda _: frame(b"more", 0),
    lambda _: frame(b"more", 0, fin=False),
    lambda _: frame(b'{"do":', fin=False) + frame(b'"say"', fin=False),
    lambda _: frame(b'{"do":', fin=False) + frame(b"in between", PING) + frame(b"}", 0),
    lambda rng: frame(
        struct.pack("!H", rng.choice((0, 999, 1005, 1006, 1015, 5000, 65535))), CLOSE
    ),
    lambda _: frame(b"\x03", CLOSE),
    lambda _: frame(struct.pack("!H", 1000) + b"\xff\xfe", CLOSE),
    lambda _: frame(b"a" * 30_000, fin=False) + frame(b"b" * 60_000, 0),
    lambda rng: bytes(rng.randrange(256) for _ in range(rng.randint(1, 200))),
    lambda _: b"GET / HTTP/1.1\r\n\r\n",
)
