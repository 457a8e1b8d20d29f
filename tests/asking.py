"""Clients of test servers."""

from __future__ import annotations

import json
import ssl
from typing import Any

import httpx
import websockets

_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Given to every client: by default, each one loads all certificates of the world."""


def client_of(address: str) -> httpx.AsyncClient:
    """A client of the server at this host and port; its time limit is only met by what hangs."""
    return httpx.AsyncClient(base_url=f"http://{address}", timeout=60, verify=_NO_CERTIFICATES)


AT_ANY_TIME = ("presence", "trouble")
"""Messages to expect at any time: who is away, and what a busy machine does to the server."""


async def heard(opened: websockets.ClientConnection) -> dict[str, Any]:
    """The next message of a socket, except those to expect at any time."""
    while (said := json.loads(await opened.recv()))["type"] in AT_ANY_TIME:
        pass
    found: dict[str, Any] = said
    return found
