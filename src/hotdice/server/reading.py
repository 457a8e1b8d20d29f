"""How sockets are read."""

from __future__ import annotations

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

LONGEST_READ = 65_536
"""Bytes of the longest message that is read at all; a shorter one may still be refused."""
_FEW = 16


class SteadyReader(WebSocketsSansIOProtocol):
    """Reads on while few messages wait.

    To stop reading after each message and to start again when it has been taken asks the system
    twice, a seventh of all the work for a command. Whoever piles messages up is stopped as before.
    """

    def send_receive_event_to_app(self) -> None:
        """Hand a message over."""
        paused, few = self.read_paused, self.queue.qsize() < _FEW
        self.read_paused = paused or few
        super().send_receive_event_to_app()
        if few:
            self.read_paused = paused
