"""Hand-made WebSocket handshakes and frames, valid or not."""

from __future__ import annotations

import base64
import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

from tools.fuzz.serving import HOST

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9
_WAIT = 5.0


def connected(port: int) -> socket.socket:
    """Open a TCP connection."""
    found = socket.create_connection((HOST, port), _WAIT)
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return found


def handshake(port: int, table: str, **headers: str) -> bytes:
    """The handshake of a table's socket; headers without a value are omitted."""
    said = {
        "Host": f"{HOST}:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
        "Sec-WebSocket-Version": "13",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    lines = [f"GET /api/tables/{table}/socket HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in said.items() if value]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def frame(
    payload: bytes,
    opcode: int = TEXT,
    *,
    fin: bool = True,
    reserved: int = 0,
    mask: bytes | None = b"\x01\x02\x03\x04",
    length: int | None = None,
) -> bytes:
    """A frame as a client sends it; the length it claims may be wrong."""
    size = len(payload) if length is None else length
    masked = 0x80 if mask is not None else 0
    head = bytes([(0x80 if fin else 0) | (reserved & 7) << 4 | (opcode & 15)])
    if size < 126:
        head += bytes([masked | size])
    elif size < 1 << 16:
        head += bytes([masked | 126]) + struct.pack("!H", size)
    else:
        head += bytes([masked | 127]) + struct.pack("!Q", size & ((1 << 64) - 1))
    if mask is None:
        return head + payload
    repeated = mask * (len(payload) // 4 + 1)
    return head + mask + bytes(one ^ two for one, two in zip(payload, repeated, strict=False))


def closing(code: int = 1000) -> bytes:
    """A close frame."""
    return frame(struct.pack("!H", code), CLOSE)


def heard(connection: socket.socket) -> bytes:
    """Everything the server sends until it closes the connection or is silent for too long."""
    found = bytearray()
    try:
        while piece := connection.recv(65_536):
            found += piece
    except OSError:  # timeout or connection reset
        pass
    return bytes(found)


def messages(heard_: bytes) -> Iterator[Any]:
    """The JSON messages in the bytes of a server; raises ``ValueError`` if one is invalid."""
    start, _, rest = heard_.partition(b"\r\n\r\n")
    while b"101" in start.split(b"\r\n")[0] and len(rest) >= 2:
        size, at = rest[1] & 127, 2
        if size == 126:
            size, at = int(struct.unpack("!H", rest[2:4])[0]), 4
        elif size == 127:
            size, at = int(struct.unpack("!Q", rest[2:10])[0]), 10
        opcode, payload, rest = rest[0] & 15, rest[at : at + size], rest[at + size :]
        if opcode == TEXT and len(payload) == size:
            yield json.loads(payload)
