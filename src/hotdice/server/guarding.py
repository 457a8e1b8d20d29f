"""Middleware for all requests: checks, limits, security headers, logging."""

from __future__ import annotations

import asyncio
import logging
import time
from math import ceil
from typing import TYPE_CHECKING

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotdice.server.limits import TooMany, network_of
from hotdice.server.messages import Problem
from hotdice.server.metrics import Metrics
from hotdice.server.problems import problem_of
from hotdice.server.site import Site

if TYPE_CHECKING:  # a circular import
    from hotdice.server.hub import Hub

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
_NOT_LOGGED = (421, 429)
"""Responses that are only counted: a flood of requests would flood the log."""
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_COUNTED_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
_LONGEST_BODY = 65_536
_BODY_TIMEOUT = 10.0
"""Seconds for the whole body of a request."""
_log = logging.getLogger(__name__)


def address_of(scope: Scope) -> str:
    """The address a request comes from; IPv6 addresses are grouped by /64 network."""
    client = scope.get("client")
    return network_of(str(client[0])) if client else ""


class Guard:
    """Refuses requests of other sites and above the limits; counts and logs requests."""

    def __init__(self, app: ASGIApp, metrics: Metrics, site: Site) -> None:
        self._app = app
        self._metrics = metrics
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or pass a socket on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500
        read = 0
        until = asyncio.get_running_loop().time() + _BODY_TIMEOUT
        more = True

        async def counted() -> Message:
            nonlocal read, more
            try:
                # After the body, only the disconnect is still to come.
                async with asyncio.timeout_at(until if more else None):
                    message = await receive()
            except TimeoutError:
                self._metrics.refuse("bodies")
                raise HTTPException(408, "The body comes too slowly") from None
            more = bool(message.get("more_body"))
            read += len(message.get("body", b""))
            if read > _LONGEST_BODY:
                raise HTTPException(413, "The body is too long")
            return message

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = self._refusal(scope)
        try:
            await (self._app if refused is None else refused)(scope, counted, guarded)
        finally:
            self._count_and_log(scope, status, time.perf_counter() - began)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """The response to a request that is refused; ``None`` if it is allowed."""
        headers = Headers(scope=scope)
        if not self._site.has(headers.get("host")):
            why = "This server is not configured for that host name; start it with --public http://NAME:PORT."
            return problem_response(Problem(error=why, kind="Misdirected"), 421)
        if scope["method"] not in _SAFE_METHODS and not self._site.may_act(scope, headers):
            return problem_response(
                Problem(error="Pages of other sites may not act here.", kind="Forbidden"), 403
            )
        hub: Hub | None = getattr(scope["app"].state, "hub", None)
        try:
            if hub is not None:
                hub.addresses.of(address_of(scope)).take("requests")
        except TooMany as error:
            return too_many(error, self._metrics)
        return None

    def _count_and_log(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _COUNTED_METHODS else "other"
        self._metrics.requests.labels(method, str(status)).inc()
        if status in _NOT_LOGGED:
            return
        # The path of the route, not of the request: a table's id gives access to it.
        route = scope.get("route")
        fields = {
            "method": scope["method"],
            "path": getattr(route, "path", "elsewhere"),
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
        }
        _log.info("request", extra=fields)


def too_many(error: TooMany, metrics: Metrics) -> JSONResponse:
    """The response to a request above a limit."""
    metrics.refuse(error.limit)
    return problem_response(problem_of(error), 429, {"Retry-After": str(ceil(error.after))})


def problem_response(
    problem: Problem, code: int, headers: dict[str, str] | None = None
) -> JSONResponse:
    """A problem as a response."""
    return JSONResponse(problem.model_dump(), code, headers)
