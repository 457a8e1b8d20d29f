"""Refused requests: the documented status codes, and the methods a path allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import Match

from hotdice.server.messages import PLAYER, Problem

_PROBLEM = f"#/components/schemas/{Problem.__name__}"
_API = "/api/"


def refused(description: str, **headers: str) -> dict[str, object]:
    """A refusal in the schema: a ``Problem`` in JSON, whatever the route returns otherwise."""
    content = {"application/json": {"schema": {"$ref": _PROBLEM}}}
    shown = {
        name.replace("_", "-"): {"description": what, "schema": {"type": "string"}}
        for name, what in headers.items()
    }
    return {"description": description, "content": content, "headers": shown}


Responses = dict[int | str, dict[str, object]]
"""Documented responses by status code."""

ANYWHERE: Responses = {
    400: refused("The body is not JSON."),
    403: refused("The request comes from another site's page, or the seat is not theirs."),
    405: refused("The method is not allowed.", Allow="The allowed methods."),
    408: refused("The body came too slowly."),
    413: refused("The body is too long."),
    421: refused("The Host header names another server."),
    422: refused("The request is not valid, and why."),
    429: refused("A limit was reached.", Retry_After="Seconds to wait."),
    503: refused("The database does not answer."),
}
"""Refusals that any request can get."""


def invalid_words(first: Mapping[str, Any]) -> str:
    """What is wrong with a request, in a sentence, from its first validation error."""
    if first.get("ctx", {}).get("pattern") == PLAYER:
        return _NO_KEY
    is_json = first["type"] != "json_invalid"
    place = ".".join(str(part) for part in first["loc"][1:] if is_json) or "the body"
    if first["type"] in _NUMBERS:
        return f"{place} has to be a {_NUMBERS[first['type']]}."
    return f"{place} is not valid: {first['msg']}."


_NUMBERS = {"int_type": "whole number", "float_type": "number"}
_NO_KEY = "A player key has 16 to 64 characters; send one of that length, or leave X-Player out."


def _methods(request: Request) -> list[str]:
    """The methods that a path of the API allows; none if there is no such path."""
    allowed: set[str] = set()
    for route in request.app.routes:
        declared = str(getattr(route, "path", ""))
        if declared.startswith(_API) and route.matches(request.scope)[0] is not Match.NONE:
            allowed |= set(getattr(route, "methods", None) or ())
    return sorted(allowed)


def status_and_headers(request: Request, error: HTTPException) -> tuple[int, dict[str, str]]:
    """The status code and headers of an HTTP error.

    The route of the pages matches every path, so the router answers 404 to a wrong method of the
    API, and 405 to a path of the API that does not exist.
    """
    headers = dict(error.headers or {})
    if error.status_code not in (404, 405) or not request.url.path.startswith(_API):
        return error.status_code, headers
    allowed = _methods(request)
    if not allowed:
        return 404, {}
    return (404, headers) if request.method in allowed else (405, {"Allow": ", ".join(allowed)})
