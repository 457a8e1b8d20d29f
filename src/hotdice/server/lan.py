"""Lets people in the same network in, while the server runs.

A server on the loopback address can listen on the machine's other addresses as well, on the same
port. People on this machine go on using the loopback address, so their names and seats stay.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress

from fastapi import FastAPI, Request

from hotdice.core.errors import HotDiceError
from hotdice.server.guarding import address_of
from hotdice.server.messages import Flag, Message
from hotdice.server.refusals import Responses, refused
from hotdice.table.rights import Forbidden

LAN = "lan"
"""The key of the ``Lan`` in the application's lifespan state."""
_ELSEWHERE = "192.0.2.1"
"""An address in no network: asked for a way to it, the system names its own address on that way."""
_TRY = 3.0
"""Seconds for a connection to ourselves."""

Listen = Callable[[socket.socket], Awaitable[asyncio.Server]]
"""Serves the application on one more socket."""

_NOT_YOURS: Responses = {403: refused("That is up to people at the server's machine.")}

_log = logging.getLogger(__name__)


class LanWanted(Message):
    """Whether others in the network may come in."""

    open: Flag


class LanShown(Message):
    """Whether others in the network can be let in, and where they find the server if they are.

    ``yours``: the request comes from this machine, whose users decide about it.
    """

    possible: bool
    yours: bool
    links: list[str]


class CannotLetIn(HotDiceError):
    """Others cannot be let in."""


def own_addresses() -> list[str]:
    """The addresses of this machine in its networks, the most likely first."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect((_ELSEWHERE, 9))  # sends nothing
        found.append(str(probe.getsockname()[0]))
    with suppress(OSError):
        _, _, more = socket.gethostbyname_ex(socket.gethostname())
        found += more
    return [one for one in dict.fromkeys(found) if not ipaddress.ip_address(one).is_loopback]


def is_this_machine(address: str) -> bool:
    """Whether a client's address is the loopback address."""
    with suppress(ValueError):
        return ipaddress.ip_address(address).is_loopback
    return False


class Lan:
    """The sockets for others in the network.

    Attributes:
        links: where others find the server, while it is open for them.
    """

    def __init__(self) -> None:
        self.links: list[str] = []
        self._servers: list[asyncio.Server] = []
        self._listen: Listen | None = None
        self._port = 0
        self._changing = asyncio.Lock()

    def attach(self, port: int, listen: Listen) -> None:
        """Say how to serve on one more socket; without this, others cannot be let in."""
        self._port, self._listen = port, listen

    @property
    def is_possible(self) -> bool:
        """Whether others can be let in."""
        return self._listen is not None

    async def open(self) -> None:
        """Let others in; raises ``CannotLetIn``."""
        async with self._changing:
            if self.links:
                return
            if self._listen is None:
                raise CannotLetIn(
                    "This server cannot let others in by itself; start it with --lan or --host."
                )
            why = "this machine is in no network"
            for address in await asyncio.to_thread(own_addresses):
                try:
                    await self._open(address, self._listen)
                except OSError as error:
                    why = f"{address}:{self._port} cannot be used: {error.strerror or error}"
            if not self.links:
                raise CannotLetIn(f"Nobody can be let in: {why}.")
            _log.info("others are let in", extra={"links": self.links})

    async def _open(self, address: str, listen: Listen) -> None:
        bound = socket.create_server((address, self._port), backlog=2048)
        server = await listen(bound)
        try:
            async with asyncio.timeout(_TRY):
                _, writer = await asyncio.open_connection(address, self._port)
            writer.close()
        except (OSError, TimeoutError):
            server.close()
            raise
        self._servers.append(server)
        self.links.append(f"http://{address}:{self._port}")

    async def close(self) -> None:
        """Let nobody else in; those who are connected stay until they disconnect."""
        async with self._changing:
            for server in self._servers:
                server.close()
            self._servers.clear()
            self.links.clear()


def add_lan(app: FastAPI) -> None:
    """Add the routes of letting others in."""

    @app.get("/api/lan", tags=["server"])
    async def others(request: Request) -> LanShown:
        """Whether others in the same network can open Hot Dice, and where."""
        return _shown(request)

    @app.post("/api/lan", tags=["server"], responses=_NOT_YOURS)
    async def let_in(wanted: LanWanted, request: Request) -> LanShown:
        """Let others in the same network in, or no longer; only from this machine."""
        if not is_this_machine(address_of(request.scope)):
            raise Forbidden("Only people at the machine that Hot Dice runs on can let others in.")
        lan: Lan = request.app.state.lan
        await (lan.open() if wanted.open else lan.close())
        return _shown(request)


def _shown(request: Request) -> LanShown:
    lan: Lan = request.app.state.lan
    yours = is_this_machine(address_of(request.scope))
    return LanShown(possible=lan.is_possible, yours=yours, links=list(lan.links))
