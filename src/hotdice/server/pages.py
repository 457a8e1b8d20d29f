"""The browser client: one page for all of its paths, and the files it loads."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

STATIC = Path(__file__).parent / "static"
PAGES = (
    *("/", "/new/{game}", "/t/{table}", "/t/{table}/report", "/rules/{game}"),
    *("/tables", "/statistics", "/settings", "/about", "/verified"),
    *("/analysis", "/position/{game}", "/dice", "/t/{table}/dice"),
    *("/challenges", "/challenge/{challenge}"),
    *("/learn", "/learn/{game}"),
)
_FOREVER = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".webmanifest": "application/manifest+json"}
"""Some systems are configured with other types, with which browsers run no script."""


def add_pages(app: FastAPI) -> None:
    """Serve the client's page at all of its paths, and its files."""

    async def page() -> Response:
        return _page(200)

    for path in PAGES:
        app.add_api_route(path, page, methods=["GET", "HEAD"], include_in_schema=False)

    @app.get("/{path:path}", include_in_schema=False)
    async def file(path: str, request: Request) -> Response:
        if path.startswith("api/"):
            raise HTTPException(404)
        if path not in _files():
            return _page(404)
        found = STATIC / path
        # Everything else is looked for at every load, above all sw.js, which brings new versions.
        cached = _FOREVER if path.startswith("assets/") else "no-cache"
        return FileResponse(
            found, headers={"Cache-Control": cached}, media_type=_TYPES.get(found.suffix)
        )


@cache
def _files() -> frozenset[str]:
    """The paths of all files of the client."""
    return frozenset(
        found.relative_to(STATIC).as_posix() for found in STATIC.rglob("*") if found.is_file()
    )


def _page(status: int) -> Response:
    index = STATIC / "index.html"
    if not index.is_file():
        return PlainTextResponse(
            "The pages of Hot Dice have not been built; run `pip install .` in its folder.",
            503,
        )
    return FileResponse(index, status, headers={"Cache-Control": "no-cache"})
