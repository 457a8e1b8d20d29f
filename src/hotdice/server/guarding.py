"""What every answer of the server carries, and what is noted of every request."""

from __future__ import annotations

import asyncio
import logging
import time
from math import ceil
from typing import TYPE_CHECKING, Any

from fastapi import HTTPException
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hotdice.server.limits import TooMany, network_of
from hotdice.server.messages import Problem
from hotdice.server.metrics import Metrics
from hotdice.server.problems import problem_of
from hotdice.server.site import Site

if TYPE_CHECKING:  # it needs what stands here
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
_FLOODS = (421, 429)
"""Answers that are counted and not logged: whoever gets them may get very many."""
_LOOKING = ("GET", "HEAD", "OPTIONS")
_METHODS = ("GET", "HEAD", "POST", "OPTIONS")
_LONGEST_BODY = 65_536
_SLOWEST_BODY = 10.0
"""Seconds in which all of a request's body has to come."""
_log = logging.getLogger(__name__)


def address_of(scope: Scope) -> str:
    """Whom a request comes from; addresses of one IPv6 network are one."""
    client = scope.get("client")
    return network_of(str(client[0])) if client else ""


class Guard:
    """Keeps other sites and floods of requests out, counts requests and logs them."""

    def __init__(self, app: ASGIApp, metrics: Metrics, site: Site) -> None:
        self._app = app
        self._metrics = metrics
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500
        read = 0
        until = asyncio.get_running_loop().time() + _SLOWEST_BODY
        more = True

        async def counted() -> Message:
            nonlocal read, more
            try:
                # Once the body is there, only the end of the connection is still to come.
                async with asyncio.timeout_at(until if more else None):
                    message = await receive()
            except TimeoutError:
                raise HTTPException(408, "That comes too slowly") from None
            more = bool(message.get("more_body"))
            read += len(message.get("body", b""))
            if read > _LONGEST_BODY:
                raise HTTPException(413, "That is too long")
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
            self._note(scope, status, time.perf_counter() - began)

    def _refusal(self, scope: Scope) -> ASGIApp | None:
        """The answer to a request that may not be made; ``None`` if it may."""
        headers = Headers(scope=scope)
        if not self._site.has(headers.get("host")):
            why = "This server does not go by that name; start it with --public http://NAME:PORT."
            return _said(Problem(error=why, kind="Misdirected"), 421)
        if scope["method"] not in _LOOKING and not self._site.may_act(scope, headers):
            return _said(Problem(error="This page may do nothing here.", kind="Forbidden"), 403)
        hub: Hub | None = getattr(scope["app"].state, "hub", None)
        try:
            if hub is not None:
                hub.addresses.of(address_of(scope)).take("requests")
        except TooMany as error:
            return too_many(error, self._metrics)
        return None

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._metrics.requests.labels(method, str(status)).inc()
        if status in _FLOODS:
            return
        # The path as it is declared: a table's own path is the link to it.
        route: Any = scope.get("route")
        fields = {
            "method": scope["method"],
            "path": getattr(route, "path", "elsewhere"),
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
        }
        _log.info("request", extra=fields)


def too_many(error: TooMany, metrics: Metrics) -> JSONResponse:
    """The answer to who has met a limit."""
    metrics.refused.labels(error.limit).inc()
    return _said(problem_of(error), 429, {"Retry-After": str(ceil(error.after))})


def _said(problem: Problem, code: int, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(problem.model_dump(), code, headers)
