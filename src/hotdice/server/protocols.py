"""Uvicorn's protocols, with limits on connections and timeouts for slow or idle clients."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, TypedDict

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from hotdice.server.limits import Address, Addresses
from hotdice.server.messages import Problem

if TYPE_CHECKING:
    import h11
    from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
    from websockets.frames import Frame

LONGEST_READ = 65_536
"""Bytes of the longest message that is read at all; a shorter one may still be refused."""
ADDRESSES = "addresses"
"""The key of the ``Addresses`` in the application's lifespan state."""
_FEW = 16
_AT_ONCE = 4096
"""Bytes of a socket that are parsed at once; the rest waits until the messages are taken."""
_EXTRA = 200
"""Control frames and continuations that a client may send in ``_EXTRA_SECONDS``."""
_EXTRA_SECONDS = 10.0
_REQUEST = 10.0
"""Seconds for the head of a request."""
_UNREAD = 20.0
"""Seconds without progress after which a client that does not read is disconnected."""
_CLOSING = 2.0
"""Seconds for closing a connection, after which it is aborted."""


def _refusal(status: str, error: str, kind: str) -> bytes:
    """A whole response, for connections that no application sees."""
    body = Problem(error=error, kind=kind).model_dump_json()
    head = ("Content-Type: application/json", "Connection: close", f"Content-Length: {len(body)}")
    return "\r\n".join((f"HTTP/1.1 {status}", *head, "", body)).encode("ascii")


_FULL = _refusal(
    "503 Service Unavailable\r\nRetry-After: 10",
    "Too many connections; close some, or try again.",
    "TooMany",
)
_UNREADABLE = _refusal(
    "400 Bad Request", "This request cannot be read: it is malformed or too long.", "Unreadable"
)


class _Timeouts:
    """Aborts connections whose clients do not read or do not close."""

    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    counting: Addresses | None = None
    unread: asyncio.TimerHandle | None = None
    waiting = 0

    def refuse(self, limit: str) -> None:
        """Count that a limit was reached."""
        if self.counting is not None:
            self.counting.refuse(limit)

    def start_write_timeout(self) -> None:
        """Abort the connection later unless the client reads some of what is buffered."""
        if self.unread is None:
            self.waiting = self.transport.get_write_buffer_size()
            self.unread = self.loop.call_later(_UNREAD, self._check_progress)

    def _check_progress(self) -> None:
        self.unread = None
        if self.transport.get_write_buffer_size() < self.waiting:
            self.start_write_timeout()
        else:
            self.refuse("reading")
            self.transport.abort()

    def cancel_write_timeout(self) -> None:
        """The client has read enough."""
        if self.unread is not None:
            self.unread.cancel()
            self.unread = None

    def abort_soon(self) -> None:
        """Abort a connection that is being closed, even if the client does not read the rest."""
        self.loop.call_later(_CLOSING, self.transport.abort)


class HttpProtocol(H11Protocol, _Timeouts):
    """HTTP with a limit on connections and a timeout for requests."""

    _address: Address | None = None
    _request_timer: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn does
        """Admit a connection, or refuse it if there are too many."""
        super().connection_made(transport)
        _send_at_once(transport)
        addresses = self.counting = self.app_state.get(ADDRESSES)
        if addresses is None:
            return
        self._address = addresses.admit(self.client[0] if self.client else "")
        if self._address is None:
            self.refuse("connections")
            transport.write(_FULL)
            transport.close()
            self.abort_soon()
        else:
            self._start_request_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after a connection."""
        self._cancel_request_timer()
        self.cancel_write_timeout()
        self.leave()
        super().connection_lost(exc)

    def leave(self) -> None:
        """Stop counting the connection."""
        if self.counting is not None and self._address is not None:
            self.counting.leave(self._address)
            self._address = None

    def data_received(self, data: bytes) -> None:
        """Parse data; an incomplete request has a timeout."""
        if self.transport.is_closing() or self._is_refused:
            return
        super().data_received(data)
        if self.transport.get_protocol() is not self:  # upgraded to a socket
            return
        if self.cycle is None or self.cycle.response_complete:
            self._start_request_timer()
        else:
            self._cancel_request_timer()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, or too long, as a sentence that the client can read.

        What it still sends is read for a while: closing at once would reset the connection, and
        the client would lose the response.
        """
        self._is_refused = True
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering or not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write(_UNREADABLE)
        self.transport.write_eof()
        self.abort_soon()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Upgrade to a socket, which is counted instead."""
        self._cancel_request_timer()
        super().handle_websocket_upgrade(event)
        upgraded = self.transport.get_protocol()
        if isinstance(upgraded, WebSocketProtocol):
            upgraded.take_over(self.counting, self._address)
            self._address = None

    def _start_request_timer(self) -> None:
        if self._request_timer is None and not self.transport.is_closing():
            self._request_timer = self.loop.call_later(_REQUEST, self._time_out)

    def _time_out(self) -> None:
        self.refuse("heads")
        self.transport.abort()

    def _cancel_request_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def on_response_complete(self) -> None:
        """Continue with the next request, or close."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.abort_soon()

    def pause_writing(self) -> None:
        """The write buffer is full."""
        super().pause_writing()
        self.start_write_timeout()

    def resume_writing(self) -> None:
        """The write buffer has room again."""
        super().resume_writing()
        self.cancel_write_timeout()

    def shutdown(self) -> None:
        """The server stops."""
        super().shutdown()
        self.abort_soon()


def _send_at_once(transport: asyncio.Transport) -> None:
    """Do not hold back a message until the client has acknowledged the one before it.

    asyncio sees to that only for listening sockets that name their protocol, which those of
    ``socket.create_server`` do not.
    """
    with suppress(OSError):  # the client has gone already
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _Inbox:
    """Messages for one reader: what uvicorn needs of asyncio's queue.

    That one looks up the running loop whenever it is empty, a system call before Python 3.12, and
    takes two kilobytes more for every socket.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._messages: deque[ASGIReceiveEvent] = deque()
        self._loop = loop
        self._reader: asyncio.Future[None] | None = None

    def qsize(self) -> int:
        """How many messages wait."""
        return len(self._messages)

    def empty(self) -> bool:
        """Whether none waits."""
        return not self._messages

    def put_nowait(self, item: ASGIReceiveEvent) -> None:
        """Add a message."""
        self._messages.append(item)
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def get(self) -> ASGIReceiveEvent:
        """Wait for the next message."""
        while not self._messages:
            self._reader = self._loop.create_future()
            await self._reader
        return self._messages.popleft()


class WebSocketProtocol(WebSocketsSansIOProtocol, _Timeouts):
    """A socket that keeps reading while few messages are queued.

    Uvicorn pauses reading after each message and resumes when it is taken: two system calls, a
    seventh of all the work for a command. Here only a long queue pauses reading.

    The empty frames of one read would take a fifth of a second to parse, so they are parsed in
    small parts. Whole messages are limited as commands, all other frames here.
    """

    _address: Address | None = None
    _unparsed = b""
    _extra = 0
    _extra_since = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start with a shorter timeout for closing."""
        self.queue = _Inbox(self.loop)  # type: ignore[assignment] # all that uvicorn uses
        super().connection_made(transport)
        self.close_timeout = _CLOSING

    def take_over(self, addresses: Addresses | None, address: Address | None) -> None:
        """Be counted in place of the HTTP connection that was upgraded."""
        self.counting, self._address = addresses, address

    def connection_lost(self, exc: Exception | None) -> None:
        """Clean up after a connection."""
        self.cancel_write_timeout()
        if self.counting is not None and self._address is not None:
            self.counting.leave(self._address)
            self._address = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse data, until many messages wait."""
        if self._unparsed or len(data) > _AT_ONCE:
            self._unparsed += data
            self._parse_more()
        else:
            super().data_received(data)

    def _parse_more(self) -> None:
        while self._unparsed and not self.read_paused:
            if self.transport.is_closing():
                self._unparsed = b""
                return
            part, self._unparsed = self._unparsed[:_AT_ONCE], self._unparsed[_AT_ONCE:]
            super().data_received(part)

    async def receive(self) -> ASGIReceiveEvent:
        """The next message for the application; parses and reads more if none waits."""
        message = await self.queue.get()
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._parse_more()
            if not self.read_paused:
                self.transport.resume_reading()
        return message

    def handle_ping(self) -> None:
        """Answer a ping, unless there are too many."""
        if self._allows_extra():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take an answer to a ping, unless there are too many."""
        if self._allows_extra():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """Take a part of a message, unless there are too many."""
        if self._allows_extra():
            super().handle_cont(event)

    def _allows_extra(self) -> bool:
        """Count a frame that is no message; with too many, the connection is closed."""
        if self.close_sent:
            return False
        now = self.loop.time()
        if now - self._extra_since > _EXTRA_SECONDS:
            self._extra, self._extra_since = 0, now
        self._extra += 1
        if self._extra <= _EXTRA:
            return True
        self.refuse("frames")
        self.frames = []
        self.conn.fail(1008, "Too many control frames or parts of messages.")
        self.handle_parser_exception()
        return False

    def send_receive_event_to_app(self) -> None:
        """Pass a message to the application."""
        data, self.frames = b"".join(self.frames), []
        if self.close_sent:  # nobody waits for it any more
            return
        if self.curr_msg_data_type == "bytes":
            self.queue.put_nowait({"type": "websocket.receive", "bytes": data})
        else:
            try:
                text = data.decode()
            except UnicodeDecodeError:
                self.conn.fail(1007, "The message is not valid UTF-8.")
                self.handle_parser_exception()
                return
            self.queue.put_nowait({"type": "websocket.receive", "text": text})
        if not self.read_paused and self.queue.qsize() >= _FEW:
            self.read_paused = True
            self.transport.pause_reading()

    def handle_parser_exception(self) -> None:
        """Close after a protocol error, or abort if no handshake has been made yet."""
        if self.conn.close_sent is None:
            self.transport.abort()
            return
        super().handle_parser_exception()
        self.abort_soon()

    def keepalive_timeout(self) -> None:
        """Close after a missing pong."""
        super().keepalive_timeout()
        self.abort_soon()

    def pause_writing(self) -> None:
        """The write buffer is full."""
        super().pause_writing()
        self.start_write_timeout()

    def resume_writing(self) -> None:
        """The write buffer has room again."""
        super().resume_writing()
        self.cancel_write_timeout()

    async def send(self, message: ASGISendEvent) -> None:
        """Send a message; after a close, the client has to close in time.

        Text goes straight to an open connection: on the usual way it is copied five times.
        """
        if message["type"] == "websocket.send" and self._is_open():
            text = message.get("text")
            if text is not None:
                self.transport.write(text_frame(text.encode()))
                return
        if message["type"] == "websocket.close":
            self.loop.call_later(2 * _CLOSING, self.transport.abort)
        await super().send(message)
        if self._unparsed and self.close_sent:
            self._parse_more()  # the client may have closed, too

    def _is_open(self) -> bool:
        """Whether messages can be sent, and the client has read enough of the last ones."""
        return (
            self.handshake_complete
            and self.conn.state is State.OPEN
            and not self.close_sent
            and not self.disconnected
            and self.writable.is_set()
        )

    def shutdown(self) -> None:
        """The server stops."""
        super().shutdown()
        self.abort_soon()


class UvicornSettings(TypedDict):
    """The settings of uvicorn that we change."""

    http: type[asyncio.Protocol]
    ws: type[asyncio.Protocol]
    ws_max_size: int
    ws_per_message_deflate: bool
    h11_max_incomplete_event_size: int
    access_log: bool
    proxy_headers: bool
    server_header: bool
    timeout_graceful_shutdown: int
    backlog: int


UVICORN: UvicornSettings = {
    "http": HttpProtocol,
    "ws": WebSocketProtocol,
    "ws_max_size": LONGEST_READ,
    "ws_per_message_deflate": False,  # compressing a message costs more than computing it
    "h11_max_incomplete_event_size": 32_768,
    "access_log": False,
    "proxy_headers": False,
    "server_header": False,
    "timeout_graceful_shutdown": 10,
    # asyncio accepts as many connections at once from each socket, and those refused are closed
    # three turns of the loop later: all of them have to fit into the descriptors that are reserved.
    "backlog": 16,
}
"""Uvicorn's settings, wherever the server is started."""


def text_frame(data: bytes) -> bytes:
    """A whole message of a server, without compression."""
    size = len(data)
    if size < 126:
        return b"\x81%c%b" % (size, data)
    if size < 65_536:
        return b"\x81\x7e%b%b" % (size.to_bytes(2, "big"), data)
    return b"\x81\x7f%b%b" % (size.to_bytes(8, "big"), data)
