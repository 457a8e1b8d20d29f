"""Builds and serves the page of all parts of a table, for ``make design``; not in the product."""

from __future__ import annotations

import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from hotdice.server.app import create_app
from hotdice.server.protocols import UVICORN
from tools.web import ROOT
from tools.web import main as run_web

PAGE = "/design/design.html"


def design_app(database: str) -> ASGIApp:
    """The server with the page of all parts beside its own pages."""
    app = create_app(database)
    built = StaticFiles(directory=ROOT / "web" / ".design")

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/design/"):
            inside = {**scope, "path": scope["path"].removeprefix("/design"), "root_path": ""}
            await built(inside, receive, send)
        else:
            await app(scope, receive, send)

    return serve


@contextmanager
def _empty_database() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as home:
        yield f"sqlite:///{home}/design.db"


def main() -> None:
    """Build the page, print its address and serve it until interrupted."""
    run_web(["design"])
    with _empty_database() as database, socket.create_server(("127.0.0.1", 0)) as bound:
        print(f"http://127.0.0.1:{bound.getsockname()[1]}{PAGE}", flush=True)  # noqa: T201
        uvicorn.Server(uvicorn.Config(design_app(database), log_level="warning", **UVICORN)).run(
            sockets=[bound]
        )


if __name__ == "__main__":
    main()
