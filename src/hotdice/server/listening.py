"""Uvicorn, which can listen on more addresses while it serves."""

from __future__ import annotations

import asyncio
import socket

import uvicorn

from hotdice.server.lan import LAN, Lan

WAITING = 2048
"""Connections that the system keeps until they are accepted."""


async def lengthen(bound: socket.socket) -> None:
    """Keep more connections waiting than are accepted at once, to which uvicorn limits both."""
    bound.listen(WAITING)


class ListeningServer(uvicorn.Server):
    """A server that can let others in the same network in.

    Attributes:
        lan: the sockets for others; there only once it has started.
    """

    lan: Lan

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening on the first sockets."""
        await super().startup(sockets)
        for bound in sockets or ():
            await lengthen(bound)
        if self.started:
            self.lan = self.lifespan.state[LAN]

    async def listen_too(self, bound: socket.socket) -> asyncio.Server:
        """Serve on one more socket."""

        def protocol() -> asyncio.Protocol:
            return self.config.http_protocol_class(  # type: ignore[call-arg] # as uvicorn does
                config=self.config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
            )

        loop = asyncio.get_running_loop()
        server = await loop.create_server(protocol, sock=bound, backlog=self.config.backlog)
        await lengthen(bound)
        return server
