"""What every answer of the server carries, and what is noted of every request."""

from __future__ import annotations

import logging
import time
from typing import Any

from fastapi import HTTPException
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotdice.server.metrics import Metrics

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
_LONGEST_BODY = 65_536
_log = logging.getLogger(__name__)


class Guard:
    """Adds the headers that keep other sites out, counts requests and logs them."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > _LONGEST_BODY:
                raise HTTPException(413, "That is too long.")
            return message

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self._app(scope, counted, guarded)
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(method, str(status)).inc()
        # The path as it is declared: a table's own path is the link to it.
        route: Any = scope.get("route")
        fields = {
            "method": scope["method"],
            "path": getattr(route, "path", "elsewhere"),
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
        }
        _log.info("request", extra=fields)
