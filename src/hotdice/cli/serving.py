"""``hotdice serve``: tables for people who sit apart, and pages to play on."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import sqlite3
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from hotdice.core.errors import BadSetup
from hotdice.server.app import CONNECTIONS, DATABASE, LIMITS, PROXIES, PUBLIC
from hotdice.server.bounds import raise_descriptors
from hotdice.server.limits import Limits
from hotdice.server.logs import STYLES, log_config
from hotdice.server.metrics import SHARED
from hotdice.server.protocols import UVICORN
from hotdice.server.site import Site
from hotdice.storage import Store, default_url
from hotdice.storage.store import read_url

PORT = 8000
_MOST_WORKERS = 64
_KEPT_FREE = 256
"""Descriptors left for everything that is not a connection."""


def serve(
    host: str,
    port: int | None,
    database: str,
    workers: int,
    log: str,
    *,
    limits: Sequence[str] = (),
    public: Sequence[str] = (),
    proxies: Sequence[str] = (),
    show: bool,
) -> None:
    """Serve until somebody stops it; raises ``BadSetup`` or ``StorageError`` before it starts.

    Args:
        host: the address to listen at.
        port: the port; without one the usual port, or with ``show`` the next that is free.
        database: where tables are kept; without one, a file of this user's.
        workers: how many processes serve.
        log: how logs are written; without a word as suits where they go.
        limits: the limits that are not the usual ones, as ``name=number``.
        public: the addresses by which people reach a proxy in front of this server.
        proxies: the addresses of proxies that are believed when they say for whom they ask.
        show: whether to open a browser.
    """
    database = database or default_url()
    log = log or ("text" if sys.stderr.isatty() else "json")
    if log not in STYLES:
        raise BadSetup(f"Logs are written as {' or '.join(STYLES)}, not as '{log}'.")
    if not 1 <= workers <= _MOST_WORKERS:
        raise BadSetup(f"There are 1 to {_MOST_WORKERS} workers, not {workers}.")
    kind = read_url(database).get_backend_name()
    if workers > 1 and kind == "sqlite":
        raise BadSetup("Several workers share a PostgreSQL database; say --db postgresql://….")
    chosen = Limits.read(limits)
    Site(public)
    for proxy in proxies:
        _check_proxy(proxy)
    listening = _listening(host, port, show=show)
    port = int(listening.getsockname()[1])
    asyncio.run(_check_database(database))
    os.environ[DATABASE] = database
    os.environ[LIMITS] = chosen.text()
    os.environ[PUBLIC] = " ".join(public)
    os.environ[PROXIES] = " ".join(proxies)
    descriptors = raise_descriptors()
    os.environ[CONNECTIONS] = str(max(descriptors - _KEPT_FREE, descriptors // 2))
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - asked for
    url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}/"
    with ExitStack() as stack:
        stack.enter_context(listening)
        stack.enter_context(_only_one(database))
        sys.stdout.write(f"Hot Dice is at {url} (Ctrl+C stops it).\n")
        sys.stdout.flush()
        if show:
            threading.Thread(target=_show, args=(url,), daemon=True).start()
        if workers > 1:
            os.environ[SHARED] = stack.enter_context(tempfile.TemporaryDirectory())
        _run(
            listening,
            "hotdice.server.app:create_app",
            factory=True,
            workers=workers,
            **{**tuned(log), "proxy_headers": bool(proxies)},
            forwarded_allow_ips=",".join(proxies) or None,
        )


def _run(listening: socket.socket, app: str, **tuning: Any) -> None:
    """Serve at a socket that is bound already, so that nobody else can get its port meanwhile."""
    import uvicorn  # noqa: PLC0415 - only here

    if tuning["workers"] > 1:  # each has a socket of its own
        host, port = listening.getsockname()[:2]
        listening.close()
        uvicorn.run(app, host=host, port=port, **tuning)
        return
    server = uvicorn.Server(uvicorn.Config(app, **tuning))
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
    if not server.started:
        sys.exit(3)


def tuned(log: str) -> dict[str, Any]:
    """How uvicorn serves Hot Dice, wherever it listens."""
    return {**UVICORN, "log_config": log_config(log)}


def _show(url: str) -> None:
    """Open a browser; where there is no screen, the line on the terminal has to do."""
    has_screen = sys.platform in ("darwin", "win32") or any(
        os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")
    )
    if has_screen:
        webbrowser.open(url)


def _listening(host: str, port: int | None, *, show: bool) -> socket.socket:
    """A socket that listens: at a port, at the usual one, or (to show it) at the next free one."""
    if port is None and show:
        for following in range(PORT, PORT + 100):
            with suppress(OSError):
                return _bound(host, following)
    port = PORT if port is None else port
    if not 0 <= port <= 65_535:
        raise BadSetup(f"A port is a number up to 65,535, not {port}.")
    try:
        return _bound(host, port)
    except OSError as error:
        raise BadSetup(
            f"{host}:{port} cannot be used: {error.strerror}; choose another with --port."
        ) from error


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.create_server((host, port), family=family, backlog=2048)
    bound.set_inheritable(True)
    return bound


def _check_proxy(address: str) -> None:
    try:
        ipaddress.ip_network(address)
    except ValueError:
        raise BadSetup(
            f"'{address[:80]}' is no address of a proxy; write 127.0.0.1 or 10.0.0.0/8."
        ) from None


@contextmanager
def _only_one(database: str) -> Iterator[None]:
    """Keep a second server away from a file: neither would hear what the other adds."""
    url = read_url(database)
    if url.get_backend_name() != "sqlite":
        yield
        return
    # A lock that every system knows, and that goes with the process however it ends.
    path = f"{Path(url.database or '').resolve()}.lock"
    with ExitStack() as stack:
        try:
            lock = stack.enter_context(closing(sqlite3.connect(path, timeout=0.5)))
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                why = "Another Hot Dice serves this database already; use that one, or say --db."
            else:
                why = f"{path} cannot be written: {error}; make it writable, or say --db."
            raise BadSetup(why) from None
        yield


async def _check_database(database: str) -> None:
    await (await Store.open(database)).close()
