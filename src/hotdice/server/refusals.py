"""How requests are refused: the documented status codes, and the methods an address knows."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Match

from hotdice.server.messages import Problem

_PROBLEM = f"#/components/schemas/{Problem.__name__}"
_API = "/api/"


def refused(description: str, **headers: str) -> dict[str, Any]:
    """A refusal as the schema documents it: a ``Problem``, JSON whatever the route answers."""
    content = {"application/json": {"schema": {"$ref": _PROBLEM}}}
    shown = {
        name.replace("_", "-"): {"description": what, "schema": {"type": "string"}}
        for name, what in headers.items()
    }
    return {"description": description, "content": content, "headers": shown}


ANYWHERE: dict[int | str, dict[str, Any]] = {
    400: refused("The body is not JSON."),
    403: refused("The page that asks is from another site, or the seat is not theirs."),
    405: refused("The address knows other methods.", Allow="The methods it knows."),
    408: refused("The body came too slowly."),
    413: refused("The body is too long."),
    421: refused("The Host header names another server."),
    422: refused("It cannot be, and why."),
    429: refused("Too much was asked for.", Retry_After="Seconds to wait."),
    503: refused("The database does not answer."),
}
"""What any request may be answered with."""


def _methods(request: Request) -> list[str]:
    """The methods that an address of the API knows; none if there is no such address."""
    known: set[str] = set()
    for route in request.app.routes:
        declared = str(getattr(route, "path", ""))
        if declared.startswith(_API) and route.matches(request.scope)[0] is not Match.NONE:
            known |= set(getattr(route, "methods", None) or ())
    return sorted(known)


def elsewhere(request: Request, error: HTTPException) -> tuple[int, dict[str, str]]:
    """The status code and the headers of a request for what is not there.

    The route of the pages matches every address. So the router takes an address of the API asked
    for with the wrong method for a page, and an address that is nowhere for a page too.
    """
    headers = dict(error.headers or {})
    if error.status_code not in (404, 405) or not request.url.path.startswith(_API):
        return error.status_code, headers
    known = _methods(request)
    if not known:
        return 404, {}
    return (404, headers) if request.method in known else (405, {"Allow": ", ".join(known)})
