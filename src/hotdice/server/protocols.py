"""How connections are read and let go, below what the application sees of them."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from hotdice.server.limits import Address, Addresses

LONGEST_READ = 65_536
"""Bytes of the longest message that is read at all; a shorter one may still be refused."""
DOOR = "addresses"
"""Under which name the application hands over who may connect."""
_FEW = 16
_REQUEST = 10.0
"""Seconds in which the head of a request has to come."""
_UNREAD = 20.0
"""Seconds in which somebody has to read something of what they are sent."""
_ENDING = 2.0
"""Seconds in which a connection that ends has to have ended."""
_PROBLEM = (
    b'{"type":"problem","error":"Too many connections; close some, or try again.","kind":"TooMany"}'
)
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
    b"Retry-After: 10\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
) % (len(_PROBLEM), _PROBLEM)


class _Ending:
    """Lets a connection go whose other end does not read, or does not let go itself."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    unread: asyncio.TimerHandle | None = None
    waiting = 0

    def expect_reading(self) -> None:
        """They are sent more than they read: give them a while, as long as they read at all."""
        if self.unread is None:
            self.waiting = self.transport.get_write_buffer_size()
            self.unread = self.loop.call_later(_UNREAD, self._look_again)

    def _look_again(self) -> None:
        self.unread = None
        if self.transport.get_write_buffer_size() < self.waiting:
            self.expect_reading()
        else:
            self.transport.abort()

    def is_read(self) -> None:
        """They have read it."""
        if self.unread is not None:
            self.unread.cancel()
            self.unread = None

    def end_soon(self) -> None:
        """The connection has been closed: it ends even if nobody reads the rest."""
        self.loop.call_later(_ENDING, self.transport.abort)


class PatientHttp(H11Protocol, _Ending):
    """HTTP for a bounded number of connections, none of which can be held without a request."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._address: Address | None = None
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as above it
        """Somebody connects; if there are too many, they are told so."""
        super().connection_made(transport)
        door: Addresses | None = self.app_state.get(DOOR)
        if door is None:
            return
        self._address = door.admit(self.client[0] if self.client else "")
        if self._address is None:
            transport.write(_FULL)
            transport.close()
            self.end_soon()
        else:
            self._expect_request()

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self._expect_nothing()
        self.is_read()
        self.leave()
        super().connection_lost(exc)

    def leave(self) -> None:
        """Make room for another connection."""
        door: Addresses | None = self.app_state.get(DOOR)
        if door is not None and self._address is not None:
            door.leave(self._address)
            self._address = None

    def data_received(self, data: bytes) -> None:
        """Read on; a request that has begun has to come soon."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # it has become a socket
            return
        if self.cycle is None or self.cycle.response_complete:
            self._expect_request()
        else:
            self._expect_nothing()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Go on as a socket, which is counted in its place."""
        self._expect_nothing()
        super().handle_websocket_upgrade(event)
        socket = self.transport.get_protocol()
        if isinstance(socket, SteadyReader):
            socket.follows(self.app_state.get(DOOR), self._address)
            self._address = None

    def _expect_request(self) -> None:
        if self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(_REQUEST, self.transport.abort)

    def _expect_nothing(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def on_response_complete(self) -> None:
        """What follows on the same connection is another request."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.end_soon()

    def pause_writing(self) -> None:
        """They do not read."""
        super().pause_writing()
        self.expect_reading()

    def resume_writing(self) -> None:
        """They do."""
        super().resume_writing()
        self.is_read()

    def shutdown(self) -> None:
        """The server ends."""
        super().shutdown()
        self.end_soon()


class SteadyReader(WebSocketsSansIOProtocol, _Ending):
    """Reads on while few messages wait.

    To stop reading after each message and to start again when it has been taken asks the system
    twice, a seventh of all the work for a command. Whoever piles messages up is stopped as before.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.close_timeout = _ENDING
        self._door: Addresses | None = None
        self._address: Address | None = None

    def follows(self, door: Addresses | None, address: Address | None) -> None:
        """Take over the place of the connection it began as."""
        self._door, self._address = door, address

    def connection_lost(self, exc: Exception | None) -> None:
        """They are gone."""
        self.is_read()
        if self._door is not None and self._address is not None:
            self._door.leave(self._address)
            self._address = None
        super().connection_lost(exc)

    def send_receive_event_to_app(self) -> None:
        """Hand a message over."""
        if self.curr_msg_data_type == "text" and not _is_text(self.frames):
            self.frames = []
            self.conn.fail(1007, "That is no text.")
            self.handle_parser_exception()
            return
        paused, few = self.read_paused, self.queue.qsize() < _FEW
        self.read_paused = paused or few
        super().send_receive_event_to_app()
        if few:
            self.read_paused = paused

    def handle_parser_exception(self) -> None:
        """They speak another language."""
        super().handle_parser_exception()
        self.end_soon()

    def keepalive_timeout(self) -> None:
        """They have not answered for a while."""
        super().keepalive_timeout()
        self.end_soon()

    def pause_writing(self) -> None:
        """They do not read."""
        super().pause_writing()
        self.expect_reading()

    def resume_writing(self) -> None:
        """They do."""
        super().resume_writing()
        self.is_read()

    async def send(self, message: Any) -> None:
        """Send something; who is told that it ends has to let go."""
        await super().send(message)
        if message["type"] == "websocket.close":
            self.loop.call_later(2 * _ENDING, self.transport.abort)

    def shutdown(self) -> None:
        """The server ends."""
        super().shutdown()
        self.end_soon()


UVICORN: dict[str, Any] = {
    "http": PatientHttp,
    "ws": SteadyReader,
    "ws_max_size": LONGEST_READ,
    "ws_per_message_deflate": False,  # squeezing a message costs more than working it out
    "h11_max_incomplete_event_size": 32_768,
    "access_log": False,
    "proxy_headers": False,
    "server_header": False,
    "timeout_graceful_shutdown": 10,
}
"""How the server below the application is set up, wherever it is started."""


def _is_text(frames: list[bytes]) -> bool:
    try:
        b"".join(frames).decode()
    except UnicodeDecodeError:
        return False
    return True
